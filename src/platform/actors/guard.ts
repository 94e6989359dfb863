// Tells whether an actor may act outside Postgres now. The epoch in Postgres authorises it; the guard
// remembers until when the last confirmation of the epoch is valid.
import type { Clock } from '../../shared/clock.ts'
import type { Ownership } from './ownership.ts'

export interface Instant {
  readonly mono: number
  readonly wall: number
}

export const readClock = (clock: Clock): Instant => ({ mono: clock.mono(), wall: clock.now() })

export interface GuardOptions {
  readonly clock: Clock
  /** The setting GUARD. */
  readonly validMs: number
  readonly resumedAt: Ownership['resumedAt']
}

export class Guard {
  readonly #clock: Clock
  readonly #validMs: number
  readonly #resumedAt: Ownership['resumedAt']
  /** The actors of a query share it. */
  #asked: Instant = { mono: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY }
  #quietUntil = Number.NEGATIVE_INFINITY

  constructor({ clock, validMs, resumedAt }: GuardOptions) {
    this.#clock = clock
    this.#validMs = validMs
    this.#resumedAt = resumedAt
  }

  /** `asked`: the clock before the confirming statement was sent: a takeover may follow it at once. */
  confirmed(asked: Instant): void {
    if (asked.mono >= this.#asked.mono) this.#asked = asked
  }

  /** Counts from now, which is after the database measured `ms`: a silence may end late, but not early. */
  stayQuiet(ms: number): void {
    this.#quietUntil = this.#clock.mono() + ms
  }

  quietMs(): number {
    return Math.max(0, this.#quietUntil - this.#clock.mono())
  }

  // Two clocks: the monotonic one may stop while a virtual machine is frozen, the wall clock may be set back.
  // A process that stood still asks again in any case: a successor does not wait for its guard to expire.
  isFresh(): boolean {
    const { mono, wall } = this.#asked
    const isValid = this.#clock.mono() < mono + this.#validMs && this.#clock.now() < wall + this.#validMs
    return isValid && mono >= this.#resumedAt()
  }

  mayAct(): boolean {
    return this.isFresh() && this.quietMs() === 0
  }
}
