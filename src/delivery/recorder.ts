// Commits the results of attempts, many at a time, and reports them to the endpoint's owner. While Postgres is slow
// or away, a result waits as long as this process lives: to drop it would send the event again. A result that
// Postgres refuses is dropped after a minute: its row is still open, so the delivery is attempted again.
import { limits } from '../contract/limits.ts'
import { Batcher, BatcherFull } from '../shared/batcher.ts'
import { failpoint } from '../shared/failpoint.ts'
import type { DeliveryId, EndpointId } from '../shared/ids.ts'
import { isClosed, isOutage } from '../shared/outage.ts'
import type { AttemptRecord } from './settle-attempt.ts'

export interface RetryTimer {
  readonly deliveryId: DeliveryId
  readonly endpointId: EndpointId
  /** The number of the next attempt. */
  readonly attemptNumber: number
  readonly delayMs: number
}

export interface EndpointCount {
  readonly id: EndpointId
  readonly enabled: boolean
  readonly consecutiveFailures: number
  /** How many of the consecutive failures were counted before this commit. */
  readonly failuresBefore: number
  readonly switchedOff: boolean
}

export interface RecordedAttempts {
  readonly retries: readonly RetryTimer[]
  readonly endpoints: readonly EndpointCount[]
}

export interface RecorderPorts {
  /** The wall clock that also times the attempts. */
  now(): number
  record(records: readonly AttemptRecord[]): Promise<RecordedAttempts>
  /** Sets the timers of retries. The sweeper makes up for a lost timer. */
  scheduleRetries(retries: readonly RetryTimer[]): void
  recorded(endpointId: EndpointId, deliveryIds: readonly string[], enabled: boolean): void
  warn(event: 'endpoint.failing' | 'endpoint.switched_off' | 'attempt.record_failed', fields: object): void
}

export interface Recorder {
  add(record: AttemptRecord): void
  /** Deliveries of the endpoint whose attempt has ended here and whose row does not show it yet. */
  unwritten(endpointId: EndpointId): readonly string[]
  /** Resolves when every result is written or given up. From now on none waits for longer than a few seconds. */
  drain(): Promise<void>
}

const maxItems = 200
const maxWaiting = 20_000
/**
 * Nothing waits for this write. A crash meanwhile repeats the attempt, which receivers must tolerate anyway.
 */
const lingerMs = 50
const giveUpMs = 60_000
const drainMs = 10_000

export function createRecorder(ports: RecorderPorts, { giveUpAfterMs = giveUpMs } = {}): Recorder {
  const waiting = new Set<Promise<void>>()
  const unwritten = new Unwritten()
  let drainsSince = Number.POSITIVE_INFINITY
  const batcher = new Batcher<AttemptRecord, void>({
    maxItems,
    maxWaiting,
    lingerMs,
    flush: async (records) => {
      failpoint('after_send_before_record')
      const nowMs = ports.now()
      const recorded = await ports.record(records.map((record) => fromNow(record, nowMs)))
      unwritten.settle(records)
      announce(ports, records, recorded)
      return records.map(() => undefined)
    },
  })

  async function write(record: AttemptRecord): Promise<void> {
    const startedAt = performance.now()
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      try {
        return await batcher.add(record)
      } catch (error) {
        const isOver = isClosed(error) || performance.now() - drainsSince > drainMs
        if (isOver || (isRefused(error) && performance.now() - startedAt > giveUpAfterMs)) {
          unwritten.settle([record])
          ports.warn('attempt.record_failed', { deliveryId: record.item.deliveryId, error: String(error) })
          return ports.recorded(record.endpointId, [record.item.deliveryId], true)
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }

  return {
    add(record) {
      unwritten.add(record)
      const writing = write(record).finally(() => waiting.delete(writing))
      waiting.add(writing)
    },
    unwritten: (endpointId) => unwritten.of(endpointId),
    async drain() {
      drainsSince = performance.now()
      await Promise.allSettled(waiting)
    },
  }
}

const isRefused = (error: unknown): boolean => !isOutage(error) && !(error instanceof BatcherFull)

/** Deliveries by endpoint. */
class Unwritten {
  readonly #byEndpoint = new Map<EndpointId, Set<string>>()

  of(endpointId: EndpointId): readonly string[] {
    return [...(this.#byEndpoint.get(endpointId) ?? [])]
  }

  add({ endpointId, item }: AttemptRecord): void {
    const ids = this.#byEndpoint.get(endpointId)
    if (ids) ids.add(item.deliveryId)
    else this.#byEndpoint.set(endpointId, new Set([item.deliveryId]))
  }

  settle(records: readonly AttemptRecord[]): void {
    for (const { endpointId, item } of records) {
      const ids = this.#byEndpoint.get(endpointId)
      ids?.delete(item.deliveryId)
      if (ids?.size === 0) this.#byEndpoint.delete(endpointId)
    }
  }
}

/**
 * Subtracts the time since the failure: the delay counts from there, and the result has waited to be written.
 */
function fromNow(record: AttemptRecord, nowMs: number): AttemptRecord {
  if (record.verdict.type !== 'retry') return record
  // Both times are cut to milliseconds and no retry may be early, so 2 ms are left out. The bounds limit the
  // effect of a clock change.
  const agoMs = Math.min(Math.max(0, nowMs - record.endedAt.getTime() - 2), giveUpMs)
  return { ...record, verdict: { type: 'retry', delayMs: Math.max(0, record.verdict.delayMs - agoMs) } }
}

function announce(ports: RecorderPorts, records: readonly AttemptRecord[], recorded: RecordedAttempts): void {
  if (recorded.retries.length > 0) failpoint('after_record_before_timer')
  if (recorded.retries.length > 0) ports.scheduleRetries(recorded.retries)
  if (recorded.endpoints.some(({ switchedOff }) => switchedOff)) failpoint('after_switch_off_before_owner')
  const counts = new Map(recorded.endpoints.map((endpoint) => [endpoint.id, endpoint]))
  const byEndpoint = new Map<EndpointId, string[]>()
  for (const { endpointId, item } of records) {
    const ids = byEndpoint.get(endpointId)
    if (ids) ids.push(item.deliveryId)
    else byEndpoint.set(endpointId, [item.deliveryId])
  }
  for (const [endpointId, ids] of byEndpoint) {
    ports.recorded(endpointId, ids, counts.get(endpointId)?.enabled ?? true)
  }
  for (const endpoint of recorded.endpoints) warnOf(ports, endpoint)
}

/** Several failures may be counted at once: a warning is due whenever the count has passed a mark. */
function warnOf(ports: RecorderPorts, endpoint: EndpointCount): void {
  const { id, enabled, consecutiveFailures, failuresBefore, switchedOff } = endpoint
  const fields = { endpointId: id, consecutiveFailures }
  if (switchedOff) return ports.warn('endpoint.switched_off', fields)
  const isPassed = limits.failureWarnings.some((mark) => failuresBefore < mark && mark <= consecutiveFailures)
  if (enabled && isPassed) ports.warn('endpoint.failing', fields)
}
