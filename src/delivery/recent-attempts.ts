// The attempts of the last moments. A gateway hands over a retry that it has read as due, while another hand-over or a
// pull may have brought it before: then its attempt is over, and would be made twice.
import { Generations } from '../shared/generations.ts'

/** Far more than an endpoint gets in the time for which they are kept. */
const mostAttempts = 100_000

export class RecentAttempts {
  readonly #last: Generations<number>

  constructor(keepMs: number) {
    this.#last = new Generations({ limit: mostAttempts, keepMs })
  }

  note(deliveryId: string, attemptNumber: number, nowMs: number): void {
    this.#last.set(deliveryId, attemptNumber, nowMs)
  }

  /** Whether this attempt, or a later one of the delivery, was made here. */
  has(deliveryId: string, attemptNumber: number): boolean {
    return (this.#last.get(deliveryId) ?? 0) >= attemptNumber
  }
}
