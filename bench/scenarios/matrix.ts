// Every kind of work under every load, variant beside variant in the same rounds.
import { measure } from '../harness/measure.ts'
import { opponents, type WorkName } from '../harness/opponents.ts'
import type { Row } from '../harness/result.ts'
import { loadText } from '../harness/table.ts'
import type { Target } from '../harness/target.ts'
import { told } from '../harness/told.ts'
import type { World } from '../harness/world.ts'
import { hold, openAll } from './backlog.ts'
import { type Bench, rowCollector } from './bench.ts'
import { type Cell, cellsOf, leadSeconds, leftOut, planText } from './plan.ts'
import { warmth, warmUp } from './warm-up.ts'
import { works } from './works.ts'

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
  bench.say(planText(bench.options))
  await prepare(bench)
  return rounds(bench, async ({ work }) => {
    const targets = await targetsOf(bench, work)
    return targets.map((target) => ({ world: bench.world, target, scenario: work, variant: target.variant }))
  })
}

/** Everything that comes before the first round. */
export async function prepare(bench: Bench): Promise<void> {
  const { options, world } = bench
  await warmUpAll(bench)
  if (options.backlog > 0) await hold(bench, options.backlog)
  // Else autovacuum would do it at a moment of its choice, which some runs have to themselves and others share.
  await world.vacuum()
}

/** What runs beside others in the same rounds, and the row that its figures go to. */
export interface Contestant extends Pick<Row, 'scenario' | 'variant'> {
  readonly world: World
  readonly target: Target
  /** Where it is not that of the others. */
  readonly load?: Cell['load']
}

export async function rounds(
  bench: Bench,
  contestantsOf: (cell: Cell) => Promise<Contestant[]>,
): Promise<Row[]> {
  const { options } = bench
  const collector = rowCollector(bench)
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const cell of cellsOf(options))
      if (round === 1 || !bench.isLate())
        await runCell(bench, { ...cell, round, contestants: await contestantsOf(cell) }, collector)
  }
  const missing = leftOut(collector.rows(), options.rounds)
  if (missing) bench.note(missing)
  return collector.rows()
}

/** Reverses the order every other round: after-effects of a run must not always hit the same variant. */
async function runCell(
  bench: Bench,
  { work, load, round, contestants }: Cell & { round: number; contestants: Contestant[] },
  collector: ReturnType<typeof rowCollector>,
): Promise<void> {
  const pace = { warmSeconds: leadSeconds, seconds: bench.options.seconds }
  for (const one of round % 2 === 1 ? contestants : contestants.toReversed()) {
    const { world, target, scenario, variant } = one
    const asked = { work, load: one.load ?? load, pace }
    const figures = await bench.measured(target, () => measure(world, target, asked))
    bench.say(`  round ${round} ${scenario} ${loadText(asked.load)} ${variant}: ${told(figures)}`)
    collector.add({ scenario, variant, load }, { round, ...figures })
  }
}

async function warmUpAll(bench: Bench): Promise<void> {
  const warm = warmth()
  // The gateway that a first text reaches keeps the socket: the first one, whatever is measured first.
  if (bench.options.variants.includes('remote'))
    await openAll(bench.world, { numbers: bench.world.seeded.numbers, say: bench.say })
  for (const work of bench.options.works) {
    const targets = await targetsOf(bench, work)
    const gateway = targets.find(({ variant }) => variant === 'gateway')
    for (const target of targets)
      warm.add(target, await warmUp(bench, target, { work, fewest: warm.fewest(target, gateway) }))
  }
}
