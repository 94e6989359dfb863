// Limits dials: how many at once and per second in this process, and how many at once to one receiver. Opens
// no connection itself.
import type { Clock } from '../../shared/clock.ts'
import type { Connected, Connector } from './connect.ts'
import type { Deadline } from './deadline.ts'

export interface DialLimits {
  /** Dials under way. One that takes longer than `slowMs` waits for its receiver and no longer counts. */
  readonly atOnce: number
  readonly perSecond: number
  /** Dials under way to one host and port. */
  readonly perHost: number
  readonly slowMs: number
}

const DEFAULT_LIMITS: DialLimits = { atOnce: 50, perSecond: 200, perHost: 10, slowMs: 1_000 }
/** Dials that may begin at the same moment, within the rate. */
const BURST = 20
/** How many of the latest failed hosts are remembered. Any other host has not failed recently. */
const MAX_SUSPECTS = 10_000

interface Waiter {
  readonly urgency: AbortSignal | undefined
  readonly start: () => void
}

/** Who waits for one host. */
interface Line {
  /** In their order. */
  readonly waiting: Set<Waiter>
  /** Those among them that have become urgent. */
  readonly urgent: Set<Waiter>
}

/**
 * A connector that waits for the limits. An urgent dial waits only for the limit of its host. Hosts whose
 * last dial failed or is slow come last, so that hosts that are down delay no others. Time spent waiting is
 * not charged to the receiver.
 */
export function limitDials(connect: Connector, clock: Clock, limits = DEFAULT_LIMITS): Connector {
  const gate = new DialGate(clock, limits)
  return async (target, deadline, urgency) => {
    const host = target.authority
    const askedAt = clock.mono()
    if (!(await gate.enter(host, deadline, urgency))) return overloaded(deadline)
    const waitedMs = clock.mono() - askedAt
    const dial = gate.begin(host)
    const connected = await connect(target, deadline, urgency)
    dial.end(connected.type === 'connected')
    const ranOut = connected.type === 'failed' && connected.code.endsWith('_TIMEOUT')
    return ranOut && waitedMs > limits.slowMs ? overloaded(deadline) : connected
  }
}

const overloaded = (deadline: Deadline): Connected => ({
  type: 'failed',
  code: deadline.isInterrupted() ? 'INTERRUPTED' : 'OVERLOADED',
  timings: {},
})

class DialGate {
  readonly #clock: Clock
  readonly #limits: DialLimits
  readonly #hosts = new Map<string, number>()
  readonly #suspects = new Set<string>()
  /** By host, so that waking ten thousand that wait for one busy host costs no more than waking one. */
  readonly #lines = new Map<string, Line>()
  #young = 0
  #tokens = BURST
  #countedAt: number
  #isWaking = false

  constructor(clock: Clock, limits: DialLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#countedAt = clock.mono()
  }

  /** True when the dial may begin; false when its deadline passed before. */
  enter(host: string, deadline: Deadline, urgency: AbortSignal | undefined): Promise<boolean> | boolean {
    if (deadline.signal.aborted) return false
    const isUrgent = urgency?.aborted === true
    if (this.#lines.size === 0 && this.#mayStart(host, isUrgent)) {
      this.#admit(host, isUrgent)
      return true
    }
    return new Promise((resolve) => {
      const hurry = () => {
        this.#lines.get(host)?.urgent.add(waiter)
        this.#wake(host)
      }
      const settle = (mayStart: boolean) => {
        this.#leave(host, waiter)
        deadline.signal.removeEventListener('abort', stop)
        urgency?.removeEventListener('abort', hurry)
        resolve(mayStart)
      }
      const stop = () => settle(false)
      const waiter: Waiter = { urgency, start: () => settle(true) }
      this.#join(host, waiter)
      deadline.signal.addEventListener('abort', stop, { once: true })
      urgency?.addEventListener('abort', hurry, { once: true })
      this.#wake(host)
    })
  }

  #join(host: string, waiter: Waiter): void {
    const line = this.#lines.get(host) ?? { waiting: new Set(), urgent: new Set() }
    this.#lines.set(host, line)
    line.waiting.add(waiter)
    if (waiter.urgency?.aborted) line.urgent.add(waiter)
  }

  #leave(host: string, waiter: Waiter): void {
    const line = this.#lines.get(host)
    line?.urgent.delete(waiter)
    line?.waiting.delete(waiter)
    if (line?.waiting.size === 0) this.#lines.delete(host)
  }

  /** Registers the dial that was admitted. */
  begin(host: string): { end(isGood: boolean): void } {
    let isYoung = true
    const age = () => {
      if (!isYoung) return
      isYoung = false
      this.#young -= 1
    }
    const slow = this.#clock.after(this.#limits.slowMs, () => {
      age()
      this.#suspect(host)
      this.#wake()
    })
    return {
      end: (isGood) => {
        slow.cancel()
        age()
        const left = (this.#hosts.get(host) ?? 1) - 1
        if (left === 0) this.#hosts.delete(host)
        else this.#hosts.set(host, left)
        if (isGood) this.#suspects.delete(host)
        else this.#suspect(host)
        this.#wake(host)
      },
    }
  }

  #suspect(host: string): void {
    this.#suspects.delete(host)
    this.#suspects.add(host)
    if (this.#suspects.size <= MAX_SUSPECTS) return
    const [oldest] = this.#suspects
    if (oldest !== undefined) this.#suspects.delete(oldest)
  }

  #mayStart(host: string, isUrgent: boolean): boolean {
    if ((this.#hosts.get(host) ?? 0) >= this.#limits.perHost) return false
    return isUrgent || this.#hasRoom()
  }

  #hasRoom(): boolean {
    this.#refill()
    return this.#young < this.#limits.atOnce && this.#tokens >= 1
  }

  #admit(host: string, isUrgent: boolean): void {
    this.#hosts.set(host, (this.#hosts.get(host) ?? 0) + 1)
    this.#young += 1
    if (!isUrgent) this.#tokens -= 1
  }

  #refill(): void {
    const now = this.#clock.mono()
    const earned = ((now - this.#countedAt) * this.#limits.perSecond) / 1_000
    this.#tokens = Math.min(BURST, this.#tokens + earned)
    this.#countedAt = now
  }

  /** `host` is the one for which something has changed. Who waits for it urgently waits for nothing else. */
  #wake(host?: string): void {
    if (this.#lines.size === 0) return
    const urgent = host === undefined ? undefined : this.#lines.get(host)?.urgent
    while (host !== undefined && urgent && this.#startFirst(host, urgent));
    this.#startInTurn((one) => !this.#suspects.has(one))
    this.#startInTurn(() => true)
    // Only the rate needs a timer. Everything else that a dial waits for ends with an event that wakes.
    if (this.#lines.size === 0 || this.#isWaking || this.#tokens >= 1) return
    this.#isWaking = true
    this.#clock.after(1_000 / this.#limits.perSecond, () => {
      this.#isWaking = false
      this.#wake()
    })
  }

  /** One for each host, then the next for each: many that wait for one host delay no others. */
  #startInTurn(isTurnOf: (host: string) => boolean): void {
    for (const [host, line] of this.#lines) {
      if (!this.#hasRoom()) return
      if (!isTurnOf(host) || !this.#startFirst(host, line.waiting)) continue
      // To the end. The loop comes to it again.
      if (this.#lines.delete(host)) this.#lines.set(host, line)
    }
  }

  #startFirst(host: string, waiters: ReadonlySet<Waiter>): boolean {
    const [waiter] = waiters
    const isUrgent = waiter?.urgency?.aborted === true
    if (!waiter || !this.#mayStart(host, isUrgent)) return false
    this.#admit(host, isUrgent)
    waiter.start()
    return true
  }
}
