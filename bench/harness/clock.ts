// The offset of another host's monotonic clock, by the exchange that NTP uses.
import { nowNs } from './monotonic.ts'

export interface ClockSample {
  readonly askedNs: number
  /** By the other clock. */
  readonly theirsNs: number
  readonly answeredNs: number
}

export interface ClockOffset {
  /** To be added to times of the other clock. */
  readonly offsetNs: number
  /** The offset is off by at most this. */
  readonly uncertaintyNs: number
  /** When it was so, by the other clock. */
  readonly theirsNs: number
}

/** Of a part on this host: all processes share the clock. */
export const sameClock: ClockOffset = { offsetNs: 0, uncertaintyNs: 0, theirsNs: 0 }

/** The exchange with the shortest way says most: half of its way bounds the error. */
export function offsetOf(samples: readonly ClockSample[]): ClockOffset {
  const [best] = [...samples].sort((a, b) => a.answeredNs - a.askedNs - (b.answeredNs - b.askedNs))
  if (!best) throw new Error('no exchange of clocks')
  const { askedNs, theirsNs, answeredNs } = best
  return {
    ...{ offsetNs: (askedNs + answeredNs) / 2 - theirsNs, theirsNs },
    uncertaintyNs: (answeredNs - askedNs) / 2,
  }
}

/** Times of the other clock as those of this host: clocks drift apart, so the offset moves from one to the other. */
export function clockBetween(before: ClockOffset, after: ClockOffset): (theirsNs: number) => number {
  const wayNs = after.theirsNs - before.theirsNs
  const driftNs = after.offsetNs - before.offsetNs
  return (theirsNs) => {
    const share = wayNs > 0 ? Math.min(1, Math.max(0, (theirsNs - before.theirsNs) / wayNs)) : 0
    return theirsNs + before.offsetNs + share * driftNs
  }
}

/** What a round says of the other clock; undefined where there is none. */
export function clockFigures(before: ClockOffset, after: ClockOffset) {
  if (before === sameClock) return undefined
  return {
    offsetMs: before.offsetNs / 1e6,
    driftMs: (after.offsetNs - before.offsetNs) / 1e6,
    errorMs: Math.max(before.uncertaintyNs, after.uncertaintyNs) / 1e6,
  }
}

export async function clockOffset(read: () => Promise<number>, times = 50): Promise<ClockOffset> {
  const samples: ClockSample[] = []
  for (let index = 0; index < times; index += 1) {
    const askedNs = nowNs()
    const theirsNs = await read()
    samples.push({ askedNs, theirsNs, answeredNs: nowNs() })
  }
  return offsetOf(samples)
}
