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
}

/** The exchange with the shortest way says most: half of its way bounds the error. */
export function offsetOf(samples: readonly ClockSample[]): ClockOffset {
  const [best] = [...samples].sort((a, b) => a.answeredNs - a.askedNs - (b.answeredNs - b.askedNs))
  if (!best) throw new Error('no exchange of clocks')
  const { askedNs, theirsNs, answeredNs } = best
  return { offsetNs: (askedNs + answeredNs) / 2 - theirsNs, uncertaintyNs: (answeredNs - askedNs) / 2 }
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
