// What happened while slow units were under way. Pure functions. An overlap is no proof of a cause: see bench/README.md.
import type { Measured } from './figures.ts'
import type { TailCause, TailFigures } from './result.ts'

/** A time in which something was going on, such as a collection of garbage. */
export interface Interval {
  readonly cause: string
  readonly fromNs: number
  readonly toNs: number
}

const slowShare = 0.01

/** Units in the slowest hundredth against the others, by what overlapped with them. Undefined without units. */
export function tailOf(
  measured: readonly Measured[],
  intervals: readonly Interval[],
): TailFigures | undefined {
  const sorted = [...measured].sort((a, b) => took(b) - took(a))
  const slowest = sorted.slice(0, Math.ceil(sorted.length * slowShare))
  const rest = sorted.slice(slowest.length)
  if (slowest.length === 0) return undefined
  const causes = [...groupsOf(intervals)].map(([cause, spans]): TailCause => {
    const overlaps = slowest.map((unit) => overlapNs(unit, spans))
    return {
      cause,
      slow: overlaps.filter((ns) => ns > 0).length,
      rest: rest.filter((unit) => overlapNs(unit, spans) > 0).length,
      overlapMs: sum(overlaps) / 1e6,
    }
  })
  const all = merge(intervals)
  return {
    slow: slowest.length,
    rest: rest.length,
    slowMs: sum(slowest.map(took)) / 1e6,
    unexplained: slowest.filter((unit) => overlapNs(unit, all) === 0).length,
    causes: causes.filter(({ slow }) => slow > 0).sort((a, b) => b.overlapMs - a.overlapMs),
  }
}

const took = ({ atNs, plannedNs }: Measured): number => atNs - plannedNs
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function groupsOf(intervals: readonly Interval[]): Map<string, Interval[]> {
  const groups = new Map<string, Interval[]>()
  for (const one of intervals) {
    const group = groups.get(one.cause)
    if (group) group.push(one)
    else groups.set(one.cause, [one])
  }
  for (const [cause, group] of groups) groups.set(cause, merge(group))
  return groups
}

/** In their order, none overlapping another. */
function merge(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const one of [...intervals].sort((a, b) => a.fromNs - b.fromNs)) {
    const last = merged.at(-1)
    if (last && one.fromNs <= last.toNs)
      merged[merged.length - 1] = { ...last, toNs: Math.max(last.toNs, one.toNs) }
    else merged.push(one)
  }
  return merged
}

/** `spans` as `merge` gives them. */
function overlapNs({ plannedNs, atNs }: Measured, spans: readonly Interval[]): number {
  let total = 0
  for (let index = firstEndingAfter(spans, plannedNs); index < spans.length; index += 1) {
    const { fromNs, toNs } = spans[index] as Interval
    if (fromNs >= atNs) break
    total += Math.min(toNs, atNs) - Math.max(fromNs, plannedNs)
  }
  return total
}

function firstEndingAfter(spans: readonly Interval[], atNs: number): number {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle] as Interval).toNs > atNs) high = middle
    else low = middle + 1
  }
  return low
}

/** Of several rounds. */
export function mergedTails(tails: readonly TailFigures[]): TailFigures | undefined {
  if (tails.length === 0) return undefined
  const causes = new Map<string, TailCause>()
  for (const { cause, slow, rest, overlapMs } of tails.flatMap((one) => one.causes)) {
    const before = causes.get(cause) ?? { cause, slow: 0, rest: 0, overlapMs: 0 }
    causes.set(cause, {
      cause,
      slow: before.slow + slow,
      rest: before.rest + rest,
      overlapMs: before.overlapMs + overlapMs,
    })
  }
  return {
    slow: sum(tails.map(({ slow }) => slow)),
    rest: sum(tails.map(({ rest }) => rest)),
    slowMs: sum(tails.map(({ slowMs }) => slowMs)),
    unexplained: sum(tails.map(({ unexplained }) => unexplained)),
    causes: [...causes.values()].sort((a, b) => b.overlapMs - a.overlapMs),
  }
}

const widths = { cause: 34, cell: 18 } as const

/** A line for each cause, widest overlap first. */
export function tailLines({ slow, rest, slowMs, unexplained, causes }: TailFigures): string[] {
  const share = (count: number, of: number) => (of === 0 ? '-' : `${((count * 100) / of).toFixed(0)} %`)
  const line = (name: string, cells: readonly string[]) =>
    `    ${name.padEnd(widths.cause)}${cells.map((text) => text.padStart(widths.cell)).join('')}`
  return [
    `  the slowest hundredth: ${slow} units of ${(slowMs / slow).toFixed(1)} ms in the mean; what overlapped with them, and with the others`,
    line('', ['slow units', 'of the others', 'ms of a slow one']),
    ...causes.map(({ cause, slow: count, rest: others, overlapMs }) =>
      line(cause, [`${count} (${share(count, slow)})`, share(others, rest), (overlapMs / slow).toFixed(1)]),
    ),
    line('nothing of these', [`${unexplained} (${share(unexplained, slow)})`, '', '']),
  ]
}
