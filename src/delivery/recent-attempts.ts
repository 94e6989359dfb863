// The attempts of the last moments. A gateway hands over a retry that it has read as due, while another hand-over or a
// pull may have brought it before: then its attempt is over, and would be made twice.

interface Recent {
  readonly attemptNumber: number
  readonly atMs: number
}

export class RecentAttempts {
  readonly #keepMs: number
  /** Oldest first, because each note inserts the id again. */
  readonly #last = new Map<string, Recent>()

  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  note(deliveryId: string, attemptNumber: number, nowMs: number): void {
    this.#last.delete(deliveryId)
    this.#last.set(deliveryId, { attemptNumber, atMs: nowMs })
    for (const [oldest, { atMs }] of this.#last) {
      if (nowMs - atMs < this.#keepMs) return
      this.#last.delete(oldest)
    }
  }

  /** Whether this attempt, or a later one of the delivery, was made here. */
  has(deliveryId: string, attemptNumber: number): boolean {
    return (this.#last.get(deliveryId)?.attemptNumber ?? 0) >= attemptNumber
  }
}
