// Before anything is measured: code, connections and caches of every variant, all by the same rule. V8 compiles beside
// the program for as long as code gets hot, and that time would count for the first rounds.
import { measure, type Run } from '../harness/measure.ts'
import { told } from '../harness/told.ts'
import type { Target } from '../harness/world.ts'
import type { Bench } from './bench.ts'
import { canSaturate } from './plan.ts'

/** At a low rate: the first calls wait until the gateway has opened its socket, and few may wait. */
const first = { load: { kind: 'rate', perSecond: 20 }, seconds: 1 } as const
const connections = 16
/** Of what cannot be a closed loop, unless it is measured at less. */
const highestRate = 200
const windowSeconds = 1
const fewestWindows = 3
/** A window that is not this much cheaper than the best before it: nothing more is gained. */
const gain = 0.95

/** By the CPU that a unit took in each window so far. Without figures, as on systems without /proc, never. */
export function isSteady(windows: readonly (number | null)[]): boolean {
  const known = windows.filter((cpu) => cpu !== null)
  const last = known.at(-1)
  if (known.length < fewestWindows || last === undefined) return false
  return last >= gain * Math.min(...known.slice(0, -1))
}

/** A closed loop, until the CPU of a unit falls no more, for `--warm-up` seconds at most. What is lost fails the bench. */
export async function warmUp(
  bench: Bench,
  target: Target,
  { work, numbers }: Pick<Run, 'work' | 'numbers'>,
): Promise<void> {
  const { world, options, say, check } = bench
  const run = async (load: Run['load'], seconds: number) => {
    const pace = { warmSeconds: 0, seconds }
    const figures = await measure(world, target, { work, load, pace, ...(numbers && { numbers }) })
    check(figures)
    return figures
  }
  let figures = await run(first.load, first.seconds)
  const windows: (number | null)[] = []
  while (!isSteady(windows) && windows.length < options.warmUp / windowSeconds) {
    figures = await run(warmLoad(work, options.rates), windowSeconds)
    windows.push(figures.cpu.all)
  }
  const cpu = windows.map((one) => one?.toFixed(0) ?? '-').join(', ')
  say(`  warm-up ${work} ${target.variant}: ${told(figures)}${cpu === '' ? '' : `; us a unit ${cpu}`}`)
}

function warmLoad(work: Run['work'], rates: readonly number[]): Run['load'] {
  if (canSaturate(work)) return { kind: 'closed', connections }
  return { kind: 'rate', perSecond: Math.min(highestRate, Math.max(first.load.perSecond, ...rates)) }
}
