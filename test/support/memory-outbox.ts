// An outbox in memory: deliveries, attempts and the endpoint's failure counter, as the stores in Postgres
// keep them, on the clock it is given. test/conformance/outbox runs one suite over both.
import { limits } from '../../src/contract/limits.ts'
import type { Pulled, PullWish } from '../../src/delivery/endpoint.messages.ts'
import type { QueuedItem } from '../../src/delivery/endpoint.ts'
import type { RecordedAttempts, RetryTimer } from '../../src/delivery/recorder.ts'
import type { AttemptRecord } from '../../src/delivery/settle-attempt.ts'
import type { Clock } from '../../src/shared/clock.ts'
import { type DeliveryId, type EndpointId, idFloor, newId } from '../../src/shared/ids.ts'

type State = 'PENDING' | 'RETRYING' | 'DELIVERED' | 'FAILED' | 'HELD' | 'BLOCKED'

export interface Row {
  readonly id: DeliveryId
  readonly key: string
  readonly eventId: string
  /** The previous event of the same key. */
  readonly after: string | null
  readonly body: string
  /** The position in the order of writing. */
  readonly place: number
  state: State
  attemptCount: number
  nextAttemptAt: number
  replay: boolean
  wasDelivered: boolean
  wasHeld: boolean
}

/** One endpoint and its deliveries. */
export class MemoryOutbox {
  readonly endpointId: EndpointId = newId('endpoint')
  readonly rows: Row[] = []
  readonly attempts: { readonly deliveryId: DeliveryId; readonly number: number }[] = []
  enabled = true
  consecutiveFailures: number
  configVersion = 1
  turnedOnVersion = 0
  switchedOff = 0
  readonly #clock: Clock

  constructor(clock: Clock, consecutiveFailures = 0) {
    this.#clock = clock
    this.consecutiveFailures = consecutiveFailures
  }

  emit(key: string, padding = ''): Row {
    const id = newId('delivery')
    const place = this.rows.length
    const row: Row = {
      id,
      key,
      eventId: idFloor(this.#clock.now()).slice(0, -12) + String(place).padStart(12, '0'),
      after: this.rows.findLast((one) => one.key === key)?.eventId ?? null,
      body: JSON.stringify({ id, padding }),
      place,
      state: this.enabled ? 'PENDING' : 'HELD',
      attemptCount: 0,
      nextAttemptAt: this.#clock.now() + 3_000,
      replay: false,
      wasDelivered: false,
      wasHeld: !this.enabled,
    }
    this.rows.push(row)
    return row
  }

  enable(): void {
    if (this.enabled) return
    this.holdForDisabled()
    this.enabled = true
    this.consecutiveFailures = 0
    this.configVersion += 1
    this.turnedOnVersion = this.configVersion
  }

  disable(): void {
    if (!this.enabled) return
    this.enabled = false
    this.configVersion += 1
    this.holdForDisabled()
  }

  holdForDisabled(): void {
    if (this.enabled) return
    for (const row of this.rows) if (isOpen(row)) Object.assign(row, { state: 'HELD', wasHeld: true })
  }

  replay(id: DeliveryId): void {
    const row = this.#row(id)
    row.wasDelivered ||= row.state === 'DELIVERED'
    Object.assign(row, { replay: true, state: 'PENDING', nextAttemptAt: this.#clock.now() })
  }

  pending({ exclude, first, retries }: PullWish): Pulled {
    const known = new Set(exclude)
    const open = this.rows.filter((row) => isOpen(row) && !known.has(row.id))
    const now = this.#clock.now()
    const fresh = open.filter(({ state, replay }) => state === 'PENDING' && !replay)
    const due = open.filter(({ state, nextAttemptAt }) => state === 'RETRYING' && nextAttemptAt <= now)
    const again = [...due, ...open.filter(({ state, replay }) => state === 'PENDING' && replay)]
    return {
      items: [...fresh.slice(0, first), ...again.slice(0, retries)].map(toItem),
      more: {
        first: first > 0 && fresh.length > first,
        retries: retries > 0 && again.length > retries,
      },
      configVersion: open.length > 0 ? this.configVersion : undefined,
    }
  }

  dueRetry(id: DeliveryId, attemptNumber: number): QueuedItem | undefined {
    const row = this.#row(id)
    const isDue = row.state === 'RETRYING' && row.nextAttemptAt <= this.#clock.now()
    return isDue && row.attemptCount === attemptNumber - 1 ? toItem(row) : undefined
  }

  /** Whether a row waits longer than it should. A RETRYING row has five seconds of grace. */
  isOverdue(): boolean {
    const now = this.#clock.now()
    const grace = ({ state }: Row) => (state === 'RETRYING' ? 5_000 : 0)
    return this.enabled && this.rows.some((row) => isOpen(row) && row.nextAttemptAt < now - grace(row))
  }

  record(records: readonly AttemptRecord[]): RecordedAttempts {
    const accepted = records.filter((record) => this.#accept(record))
    const outcomes = accepted.map(({ counts }) => counts).filter((counts) => counts !== 'nothing')
    const failuresBefore = outcomes.includes('success') ? 0 : this.consecutiveFailures
    const isFull = outcomes.map((outcome) => this.#count(outcome)).includes(limits.failuresToDisable)
    const switchedOff = isFull && this.enabled
    if (switchedOff) {
      this.enabled = false
      this.configVersion += 1
      this.switchedOff += 1
    }
    const retries = accepted.flatMap((record) => this.#move(record))
    const { endpointId: id, enabled, consecutiveFailures } = this
    const endpoint = { id, enabled, consecutiveFailures, failuresBefore, switchedOff }
    return { retries, endpoints: outcomes.length > 0 || !enabled ? [endpoint] : [] }
  }

  #count(outcome: 'success' | 'failure'): number {
    const next = outcome === 'success' ? 0 : this.consecutiveFailures + 1
    this.consecutiveFailures = Math.min(limits.failuresToDisable, next)
    return this.consecutiveFailures
  }

  #accept({ item }: AttemptRecord): boolean {
    const row = this.#row(item.deliveryId)
    if (row.attemptCount !== item.attemptNumber - 1 || !(isOpen(row) || row.state === 'HELD')) return false
    row.attemptCount = item.attemptNumber
    this.attempts.push({ deliveryId: row.id, number: item.attemptNumber })
    return true
  }

  #move({ item, verdict }: AttemptRecord): RetryTimer[] {
    const row = this.#row(item.deliveryId)
    row.replay = false
    if (verdict.type !== 'retry') {
      const isOver = verdict.type === 'failed' || verdict.type === 'blocked'
      row.state = isOver && row.wasDelivered ? 'DELIVERED' : finalStates[verdict.type]
      return []
    }
    const isHeld = row.state === 'HELD' || !this.enabled
    row.state = isHeld ? 'HELD' : 'RETRYING'
    row.nextAttemptAt = this.#clock.now() + verdict.delayMs
    if (isHeld) return []
    const { endpointId } = this
    const attemptNumber = item.attemptNumber + 1
    return [{ deliveryId: row.id, endpointId, attemptNumber, delayMs: verdict.delayMs }]
  }

  #row(id: DeliveryId): Row {
    const row = this.rows.find((one) => one.id === id)
    if (!row) throw new Error(`no delivery ${id}`)
    return row
  }
}

const finalStates = {
  delivered: 'DELIVERED',
  failed: 'FAILED',
  blocked: 'BLOCKED',
  uncharged: 'PENDING',
} as const

const isOpen = ({ state }: Row): boolean => state === 'PENDING' || state === 'RETRYING'

export const toItem = ({ id, key, eventId, body, attemptCount, replay }: Row): QueuedItem => ({
  deliveryId: id,
  kind: 'message.status',
  key,
  eventId,
  after: null,
  body,
  attemptNumber: attemptCount + 1,
  replay,
})
