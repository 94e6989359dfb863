// The arithmetic of charts: round ticks, stacks, labels that do not overlap, and the part that a zoom shows.

import { DAY, formatsOf, HOUR, MINUTE, SECOND } from '../../../web/browser/format.ts'

export interface Span {
  readonly from: number
  readonly to: number
}

export interface Tick {
  readonly at: number
  readonly text: string
}

/** From 0 to at least `highest`, at most `most` steps, each 1, 2 or 5 times a power of ten. */
export function valueTicks(highest: number, most: number, isWhole: boolean): number[] {
  const rough = Math.max(highest, isWhole ? 1 : Number.MIN_VALUE) / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough * (1 - 1e-9)) ?? 10
  const step = isWhole ? Math.max(1, factor * power) : factor * power
  const count = Math.max(1, Math.ceil(highest / step - 1e-9))
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

const steps = [
  ...[1, 2, 5, 10, 15, 30].map((one) => one * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((one) => one * MINUTE),
  ...[1, 2, 3, 6, 12].map((one) => one * HOUR),
  ...[1, 2, 7, 14, 28, 91, 364].map((one) => one * DAY),
]

const { dayOfYear, time, timeToSecond } = formatsOf()

/** At round times of the local clock. A day begins with its date instead of 00:00. */
export function timeTicks({ from, to }: Span, most: number): Tick[] {
  const step = steps.find((one) => (to - from) / one <= most) ?? (steps.at(-1) as number)
  const ticks: Tick[] = []
  for (let at = roundUp(from, step); at <= to; at = roundUp(at + 1, step))
    ticks.push({ at, text: told(at, step) })
  return ticks
}

/** The offset is taken at the tick itself: the clock may change between two ticks. */
function roundUp(at: number, step: number): number {
  const offset = (ms: number) => new Date(ms).getTimezoneOffset() * MINUTE
  const local = Math.ceil((at - offset(at)) / step) * step
  const found = local + offset(at)
  const corrected = local + offset(found)
  return corrected >= at ? corrected : found
}

function told(at: number, step: number): string {
  const date = new Date(at)
  const isMidnight = date.getHours() + date.getMinutes() + date.getSeconds() === 0
  if (step >= DAY || isMidnight) return dayOfYear(at)
  return step < MINUTE ? timeToSecond(at) : time(at)
}

/** The time of a value, or from when until when it counts. Times of another day than `today` have their date. */
export function timeText(at: number, { lengthMs = 0, hasSeconds = false, today = Date.now() } = {}): string {
  const isToday = new Date(at).toDateString() === new Date(today).toDateString()
  const plain = hasSeconds ? timeToSecond : time
  const first = isToday ? plain(at) : `${dayOfYear(at)}, ${plain(at)}`
  return lengthMs === 0 ? first : `${first} – ${plain(at + lengthMs)}`
}

/** For each series the lower and the upper edge of each bar, the first series at the bottom. */
export function stacked(series: readonly (readonly (number | null)[])[]): (readonly [number, number])[][] {
  const heights: number[] = []
  return series.map((values) =>
    values.map((value, index) => {
      const low = heights[index] ?? 0
      heights[index] = low + Math.max(0, value ?? 0)
      return [low, heights[index]] as const
    }),
  )
}

/** The index of the time that is nearest to `at`; the times ascend. -1 of none. */
export function nearest(times: readonly number[], at: number): number {
  let best = -1
  for (const [index, time] of times.entries())
    if (best < 0 || Math.abs(time - at) < Math.abs((times[best] ?? 0) - at)) best = index
  return best
}

/** Moves positions apart until there are `gap` between any two, within `low` and `high` as far as there is room. */
export function spread(
  positions: readonly number[],
  gap: number,
  { low, high }: { low: number; high: number },
): number[] {
  const order = positions.map((_, index) => index).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0))
  const moved = [...positions]
  let least = low
  for (const index of order) {
    moved[index] = Math.max(positions[index] ?? 0, least)
    least = (moved[index] ?? 0) + gap
  }
  let most = high
  for (const index of order.toReversed()) {
    moved[index] = Math.min(moved[index] ?? 0, most)
    most = (moved[index] ?? 0) - gap
  }
  return moved
}

/** What a drag from one time to another shows; undefined if that is less than two values. */
export function zoomOf(times: readonly number[], one: number, other: number): Span | undefined {
  const span = { from: Math.min(one, other), to: Math.max(one, other) }
  return times.filter((at) => at >= span.from && at <= span.to).length < 2 ? undefined : span
}

/** Half or twice of what is shown, around one time; undefined: everything. */
export function zoomBy(
  times: readonly number[],
  shown: Span,
  around: number,
  factor: number,
): Span | undefined {
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0]
  const from = Math.max(first, around - (around - shown.from) * factor)
  const to = Math.min(last, around + (shown.to - around) * factor)
  if (from <= first && to >= last) return undefined
  return zoomOf(times, from, to) ?? shown
}
