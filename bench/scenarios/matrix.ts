// Every kind of work under every load, variant beside variant in the same rounds.
import { measure } from '../harness/measure.ts'
import { opponents, type WorkName } from '../harness/opponents.ts'
import type { Load, Row } from '../harness/result.ts'
import { loadText } from '../harness/table.ts'
import { told } from '../harness/told.ts'
import type { Target } from '../harness/world.ts'
import { hold } from './backlog.ts'
import { type Bench, rowCollector } from './bench.ts'
import { works } from './works.ts'

const leadSeconds = 1
/** Starts at a low rate: the first calls wait until the gateway has opened its socket, and few may wait. */
const warmUps = ({ rates }: Bench['options']) => [
  { perSecond: 20, seconds: 1 },
  { perSecond: Math.min(200, ...(rates.length > 0 ? [Math.max(20, ...rates)] : [])), seconds: 2 },
]

interface Cell {
  readonly work: WorkName
  readonly load: Exclude<Load, { kind: 'batch' }>
}

/** Answering at saturation would measure what the workspace's own client does. */
const canSaturate = (work: WorkName): boolean => work !== 'answer'

function cellsOf({ works: names, rates, connections }: Bench['options']): Cell[] {
  return names.flatMap((work): Cell[] => [
    ...rates.map((perSecond): Cell => ({ work, load: { kind: 'rate', perSecond } })),
    ...(canSaturate(work) ? connections : []).map(
      (count): Cell => ({
        work,
        load: { kind: 'closed', connections: count },
      }),
    ),
  ])
}

/** The gateways together; `remote`: only the last one, while the first one has the socket. */
export async function targetsOf(bench: Bench, work: WorkName): Promise<Target[]> {
  const { world, options } = bench
  const origins = world.gateways.map(({ origin }) => origin)
  const pids = world.gateways.flatMap(({ child }) => child?.process.pid ?? [])
  const targets: Target[] = []
  for (const variant of options.variants) {
    const opponent = opponents.find((one) => one.variant === variant)
    if (variant === 'gateway') targets.push({ variant, origins: origins.slice(0, options.gateways), pids })
    else if (variant === 'remote') targets.push({ variant, origins: origins.slice(-1), pids })
    else if (opponent?.works.includes(work))
      targets.push(await world.opponent(opponent, works[work].transport))
  }
  return targets
}

export async function matrix(bench: Bench): Promise<Row[]> {
  const { options, world } = bench
  const collector = rowCollector()
  for (const work of options.works) await warmUp(bench, work)
  if (options.backlog > 0) await hold(bench, options.backlog)
  if (world.sql) await world.sql`analyze`
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const cell of cellsOf(options)) {
      if (round > 1 && bench.isLate()) return collector.rows()
      await runCell(bench, { ...cell, round }, collector)
    }
  }
  return collector.rows()
}

/** Reverses the order every other round: after-effects of a run must not always hit the same variant. */
async function runCell(
  bench: Bench,
  { work, load, round }: Cell & { round: number },
  collector: ReturnType<typeof rowCollector>,
): Promise<void> {
  const targets = await targetsOf(bench, work)
  const pace = { warmSeconds: leadSeconds, seconds: bench.options.seconds }
  for (const target of round % 2 === 1 ? targets : targets.reverse()) {
    const figures = await bench.profiled(target, () => measure(bench.world, target, { work, load, pace }))
    bench.say(`  round ${round} ${work} ${loadText(load)} ${target.variant}: ${told(figures)}`)
    collector.add({ scenario: work, variant: target.variant, load }, { round, ...figures })
  }
}

/** Warms up code, connections and caches of every variant. What is lost here fails the bench too. */
async function warmUp(bench: Bench, work: WorkName): Promise<void> {
  for (const target of await targetsOf(bench, work)) {
    for (const { perSecond, seconds } of warmUps(bench.options)) {
      const pace = { warmSeconds: 0, seconds }
      const figures = await measure(bench.world, target, { work, load: { kind: 'rate', perSecond }, pace })
      bench.check(figures)
      bench.say(`  warm-up ${work} ${perSecond}/s ${target.variant}: ${told(figures)}`)
    }
  }
}
