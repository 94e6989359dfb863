// Before anything is measured: code, connections and caches of every variant, all by the same rule. V8 compiles beside
// the program for as long as code gets hot, and that time would count for the first rounds.
import { measure, type Run } from '../harness/measure.ts'
import type { Target } from '../harness/target.ts'
import { told } from '../harness/told.ts'
import type { Bench } from './bench.ts'
import { canSaturate } from './plan.ts'

/** At a low rate: the first calls wait until the gateway has opened its socket, and few may wait. */
const first = { load: { kind: 'rate', perSecond: 20 }, seconds: 1 } as const
const connections = 16
/** Of what cannot be a closed loop, unless it is measured at less. */
const highestRate = 200
/** So many windows in a row of which none was this much cheaper than the best before them: nothing more is gained. */
const quietWindows = 3
const gain = 0.97

/** By the CPU that a unit took in each window so far. Without figures, as on systems without /proc, never. */
export function isSteady(windows: readonly (number | null)[]): boolean {
  const known = windows.filter((cpu) => cpu !== null && cpu > 0) as number[]
  if (known.length <= quietWindows) return false
  return Math.min(...known.slice(-quietWindows)) >= gain * Math.min(...known.slice(0, -quietWindows))
}

/**
 * A closed loop in windows of a second for each gateway, which share its units, until the CPU of a unit falls no more: for
 * `--warm-up` windows at most, and for `fewest` at least. What is lost fails the bench. Gives the number of windows.
 */
export async function warmUp(
  bench: Bench,
  target: Target,
  { work, numbers, fewest = 0 }: Pick<Run, 'work' | 'numbers'> & { readonly fewest?: number },
): Promise<number> {
  const { world, options, say, check } = bench
  const run = async (load: Run['load'], seconds: number) => {
    const pace = { warmSeconds: 0, seconds }
    const figures = await measure(world, target, { work, load, pace, ...(numbers && { numbers }) })
    check(figures)
    return figures
  }
  let figures = await run(first.load, first.seconds)
  const windows: (number | null)[] = []
  while (windows.length < fewest || (!isSteady(windows) && windows.length < options.warmUp)) {
    figures = await run(warmLoad(work, options.rates), options.gateways)
    windows.push(figures.cpu.all)
  }
  const cpu = windows.map((one) => one?.toFixed(0) ?? '-').join(', ')
  const capped =
    windows.length === 0 || isSteady(windows)
      ? ''
      : `; not steady after ${windows.length * options.gateways} s`
  say(
    `  warm-up ${work} ${target.variant}: ${told(figures)}${cpu === '' ? '' : `; us a unit ${cpu}`}${capped}`,
  )
  return windows.length
}

/** Windows that processes have had. */
export function warmth() {
  const had = new Map<number, number>()
  const of = ({ pids }: Pick<Target, 'pids'>) => Math.max(0, ...pids.map((pid) => had.get(pid) ?? 0))
  return {
    /** A process that is new gets as many as the gateway has had by then, which is warm from its other work. */
    fewest: (target: Target, gateway: Target | undefined): number =>
      gateway && target !== gateway && of(target) === 0 ? of(gateway) : 0,
    add({ pids }: Target, windows: number): void {
      for (const pid of pids) had.set(pid, (had.get(pid) ?? 0) + windows)
    },
  }
}

function warmLoad(work: Run['work'], rates: readonly number[]): Run['load'] {
  if (canSaturate(work)) return { kind: 'closed', connections }
  return { kind: 'rate', perSecond: Math.min(highestRate, Math.max(first.load.perSecond, ...rates)) }
}
