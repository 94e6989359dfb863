// The arithmetic of a campaign's progress: its rate now, the time that is left, and the bars of its chart.
import { DAY, HOUR, MINUTE, SECOND } from '../../../../web/browser/format.ts'

/** At one time; each count includes the recipients that went further. */
export interface Sample {
  readonly at: number
  readonly sent: number
  readonly delivered: number
  readonly read: number
  readonly failed: number
}

/** How many were no longer pending at one time. */
export interface Point {
  readonly at: number
  readonly done: number
}

const windowMs = 20 * SECOND
/** A shorter time says nothing of a second. */
const leastMs = 3 * SECOND

/** Recipients a second over the last 20 s, up to now: it falls when nothing moves. Undefined: not known yet. */
export function rateOf(points: readonly Point[], nowMs: number): number | undefined {
  const before = points.findLast(({ at }) => at <= nowMs - windowMs)
  const first = before ?? points[0]
  const last = points.at(-1)
  if (!first || !last) return undefined
  const from = before ? nowMs - windowMs : first.at
  if (nowMs - from < leastMs) return undefined
  return Math.max(0, ((last.done - first.done) / (nowMs - from)) * SECOND)
}

/** Ms until nobody is pending, by the rate now, or by the plan where none is known. Null: it does not move. */
export function timeLeft(
  pending: number,
  { rate, planned }: { readonly rate: number | undefined; readonly planned: number | undefined },
): number | null {
  if (pending === 0) return 0
  const perSecond = rate === undefined ? planned : rate
  return perSecond === undefined || perSecond === 0 ? null : (pending / perSecond) * SECOND
}

const lengths = [
  ...[5, 10, 15, 30].map((one) => one * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((one) => one * MINUTE),
  ...[1, 2, 6, 12].map((one) => one * HOUR),
  ...[1, 2, 7].map((one) => one * DAY),
]
const mostBars = 60

export interface Bars {
  readonly times: readonly number[]
  readonly lengthMs: number
  /** Each recipient counts in one of these. */
  readonly read: readonly number[]
  readonly delivered: readonly number[]
  readonly sent: readonly number[]
  readonly failed: readonly number[]
}

/** What had become of the recipients at the end of each stretch of time. */
export function barsOf(samples: readonly Sample[]): Bars {
  const first = samples[0]?.at ?? 0
  const last = samples.at(-1)?.at ?? first
  const lengthMs =
    lengths.find((one) => (last - first) / one < mostBars - 1) ?? Math.ceil((last - first) / mostBars)
  const begin = Math.floor(first / lengthMs) * lengthMs
  const many = samples.length === 0 ? 0 : Math.floor((last - begin) / lengthMs) + 1
  const times = Array.from({ length: many }, (_, place) => begin + place * lengthMs)
  let seen = 0
  const states = times.map((at) => {
    while (seen + 1 < samples.length && (samples[seen + 1]?.at ?? 0) < at + lengthMs) seen += 1
    return samples[seen] as Sample
  })
  return {
    ...{ times, lengthMs },
    read: states.map(({ read }) => read),
    delivered: states.map(({ delivered, read }) => delivered - read),
    sent: states.map(({ sent, delivered }) => sent - delivered),
    failed: states.map(({ failed }) => failed),
  }
}
