// Every kind of work under every load, variant beside variant in the same rounds.
import { measure } from '../harness/measure.ts'
import { opponents, type WorkName } from '../harness/opponents.ts'
import type { Row } from '../harness/result.ts'
import { loadText } from '../harness/table.ts'
import { told } from '../harness/told.ts'
import type { Target } from '../harness/world.ts'
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
  const { options, world } = bench
  const collector = rowCollector(bench)
  bench.say(planText(options))
  await warmUpAll(bench)
  if (options.backlog > 0) await hold(bench, options.backlog)
  if (world.sql) await world.sql`analyze`
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const cell of cellsOf(options))
      if (round === 1 || !bench.isLate()) await runCell(bench, { ...cell, round }, collector)
  }
  const missing = leftOut(collector.rows(), options.rounds)
  if (missing) bench.note(missing)
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
