// Performs the runs at one rate. Gateway and floor alternate, so that a disturbance affects both.
import type { ScenarioName } from '../scenarios/scenario.ts'
import { isQuiet, isSound, type Round, type RunFigures } from './figures.ts'
import { measure } from './measure.ts'
import type { BenchOptions } from './options.ts'
import type { Target, World } from './world.ts'

export interface Bench extends BenchOptions {
  readonly world: World
  readonly contacts: number
  readonly say: (text: string) => void
}

/** Starts at a low rate: the first calls wait until the gateway has opened its socket, and few may wait. */
const warmUps = [
  { rate: 20, warmSeconds: 0, seconds: 2 },
  { rate: 200, warmSeconds: 0, seconds: 5 },
]
const leadSeconds = 1

/** Warms up code, connections and caches of every target. A frame that is lost here fails the bench too. */
export async function warmedUp(bench: Bench, scenario: ScenarioName): Promise<RunFigures[]> {
  const { contacts, say } = bench
  const done: RunFigures[] = []
  for (const target of targets(bench)) {
    for (const pace of warmUps) {
      const figures = await measure(bench.world, target, { scenario, contacts, ...pace })
      done.push(figures)
      say(`  ${scenario} warm-up at ${pace.rate}/s ${target.name}: ${told(figures)}`)
    }
  }
  await bench.world.analyze()
  return done
}

/** Reverses the order every other round: after-effects of a run must not always hit the same target. */
export async function rounds(bench: Bench, scenario: ScenarioName, rate: number): Promise<Round[]> {
  const done: Round[] = []
  for (let index = 0; index < bench.runs; index += 1) {
    const order = index % 2 === 0 ? targets(bench) : targets(bench).reverse()
    const round: { -readonly [Name in keyof Round]: Round[Name] } = {}
    for (const target of order) {
      const figures = await quietRun(bench, target, { scenario, rate })
      round[target.name] = figures
      bench.say(`  ${scenario} ${rate}/s round ${index + 1} ${target.name}: ${told(figures)}`)
    }
    done.push(round)
  }
  return done
}

async function quietRun(
  bench: Bench,
  target: Target,
  { scenario, rate }: { scenario: ScenarioName; rate: number },
): Promise<RunFigures> {
  const { contacts, seconds } = bench
  let best: RunFigures | undefined
  for (let tried = 1; tried <= bench.tries; tried += 1) {
    const run = { scenario, rate, contacts, seconds, warmSeconds: leadSeconds }
    const figures = await profiled(bench, target, () => measure(bench.world, target, run))
    // Keep a run with faults: a lost frame is an error and not noise of the machine.
    if (!isSound(figures.faults)) return figures
    if (!best || (figures.othersCores ?? 0) < (best.othersCores ?? 0)) best = figures
    if (isQuiet(best)) break
  }
  if (!best) throw new Error('a run needs a try')
  return best
}

async function profiled<Result>(bench: Bench, target: Target, run: () => Promise<Result>): Promise<Result> {
  const isProfiled = bench.profile && target.name === 'system'
  if (isProfiled) process.kill(target.pid, 'SIGUSR2')
  const result = await run()
  if (isProfiled) process.kill(target.pid, 'SIGUSR2')
  return result
}

const told = ({ latency, othersCores, faults }: RunFigures): string => {
  const others = othersCores === null ? '' : `, others ${othersCores.toFixed(2)} cores`
  const failed = isSound(faults) ? '' : `, FAILED: ${JSON.stringify(faults)}`
  return `p50 ${latency.p50.toFixed(2)} p99 ${latency.p99.toFixed(2)} ms${others}${failed}`
}

const targets = ({ world: { system, remote, floor }, only }: Bench): Target[] =>
  [system, ...(remote ? [remote] : []), floor].filter(({ name }) => only === undefined || name === only)
