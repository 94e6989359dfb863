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
  readonly host: string
  readonly urgency: AbortSignal | undefined
  readonly start: () => void
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
  readonly #waiting = new Set<Waiter>()
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
    if (this.#waiting.size === 0 && this.#mayStart(host, urgency?.aborted === true)) {
      this.#admit(host, urgency?.aborted === true)
      return true
    }
    return new Promise((resolve) => {
      const hurry = () => this.#wake()
      const settle = (mayStart: boolean) => {
        this.#waiting.delete(waiter)
        deadline.signal.removeEventListener('abort', stop)
        urgency?.removeEventListener('abort', hurry)
        resolve(mayStart)
      }
      const stop = () => settle(false)
      const waiter: Waiter = { host, urgency, start: () => settle(true) }
      this.#waiting.add(waiter)
      deadline.signal.addEventListener('abort', stop, { once: true })
      urgency?.addEventListener('abort', hurry, { once: true })
      this.#wake()
    })
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
        this.#wake()
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
    if (isUrgent) return true
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

  #wake(): void {
    if (this.#waiting.size === 0) return
    for (const waiter of this.#inTurn()) {
      const isUrgent = waiter.urgency?.aborted === true
      if (!this.#mayStart(waiter.host, isUrgent)) continue
      this.#admit(waiter.host, isUrgent)
      waiter.start()
    }
    // Only the rate needs a timer. Everything else that a dial waits for ends with an event that wakes.
    if (this.#waiting.size === 0 || this.#isWaking || this.#tokens >= 1) return
    this.#isWaking = true
    this.#clock.after(1_000 / this.#limits.perSecond, () => {
      this.#isWaking = false
      this.#wake()
    })
  }

  #inTurn(): Waiter[] {
    const rank = ({ host, urgency }: Waiter): number => {
      if (urgency?.aborted) return 0
      return this.#suspects.has(host) ? 2 : 1
    }
    return [...this.#waiting].sort((a, b) => rank(a) - rank(b))
  }
}
