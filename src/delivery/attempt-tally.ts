// Counts the attempts of each workspace by quarter of an hour and duration, for figures over time. In memory first: a row
// of attempts is written for each of them anyway, and the tally must not make that statement heavier.
import type { Clock, Timer } from '../shared/clock.ts'
import type { WorkspaceId } from '../shared/ids.ts'
import type { AttemptRecord } from './settle-attempt.ts'

export const quarterMs = 15 * 60_000
/** Four buckets double the duration, so a percentile is at most a tenth off. */
const bucketsToDouble = 4
const lastBucket = 79

export interface AttemptCount {
  readonly workspaceId: WorkspaceId
  /** The start of the quarter of an hour. */
  readonly atMs: number
  readonly bucket: number
  attempts: number
  failures: number
}

export const bucketOf = (durationMs: number): number =>
  Math.min(lastBucket, Math.max(0, Math.floor(Math.log2(Math.max(1, durationMs)) * bucketsToDouble)))

export const startOf = (bucket: number): number => 2 ** (bucket / bucketsToDouble)

/** A percentile in ms, as if durations were spread evenly within their bucket. Null of none. */
export function percentileOf(
  counts: readonly Pick<AttemptCount, 'bucket' | 'attempts'>[],
  share: number,
): number | null {
  const total = counts.reduce((sum, { attempts }) => sum + attempts, 0)
  if (total === 0) return null
  let left = share * total
  for (const { bucket, attempts } of counts.toSorted((one, other) => one.bucket - other.bucket)) {
    if (left <= attempts) {
      const [from, to] = [startOf(bucket), startOf(bucket + 1)]
      return Math.round(from + (to - from) * (left / attempts))
    }
    left -= attempts
  }
  return null
}

export interface TallyPorts {
  readonly clock: Clock
  add(counts: readonly AttemptCount[]): Promise<void>
}

const flushMs = 5_000
/** More would mean that Postgres has been away for long: the figures then miss some attempts, nothing else does. */
const maxWaiting = 20_000

export class AttemptTally {
  readonly #ports: TallyPorts
  #counts = new Map<string, AttemptCount>()
  #timer: Timer | undefined
  #flushing: Promise<void> | undefined

  constructor(ports: TallyPorts) {
    this.#ports = ports
  }

  /** A fault of ours is no attempt. */
  add({
    workspaceId,
    endedAt,
    report,
    verdict,
  }: Pick<AttemptRecord, 'workspaceId' | 'endedAt' | 'report' | 'verdict'>): void {
    if (verdict.type === 'uncharged') return
    const count = {
      workspaceId,
      atMs: Math.floor(endedAt.getTime() / quarterMs) * quarterMs,
      bucket: bucketOf(report.durationMs),
      attempts: 1,
      failures: verdict.type === 'delivered' ? 0 : 1,
    }
    this.#put(count)
    this.#timer ??= this.#ports.clock.after(flushMs, () => void this.flush())
  }

  /** Never rejects: what could not be written is tried again with the next attempts. */
  async flush(): Promise<void> {
    await this.#flushing
    this.#timer?.cancel()
    this.#timer = undefined
    const counts = [...this.#counts.values()]
    if (counts.length === 0) return
    this.#counts = new Map()
    this.#flushing = this.#ports.add(counts).catch(() => {
      for (const count of counts) this.#put(count)
    })
    await this.#flushing
  }

  #put(count: AttemptCount): void {
    const key = `${count.workspaceId} ${count.atMs} ${count.bucket}`
    const known = this.#counts.get(key)
    if (known) {
      known.attempts += count.attempts
      known.failures += count.failures
    } else if (this.#counts.size < maxWaiting) this.#counts.set(key, count)
  }
}
