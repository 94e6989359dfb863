// Message ids of the last minute, so that a message that arrives over HTTP and the inbox is handled once.
import type { Clock } from '../../shared/clock.ts'

const lifeMs = 60_000
const maxIds = 50_000

export class RecentIds {
  readonly #clock: Clock
  // Two generations: expiry is one assignment, and an id is kept for one to two times `lifeMs`.
  #young = new Set<string>()
  #old = new Set<string>()
  #turnAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#turnAt = clock.mono() + lifeMs
  }

  /** False when the id was seen before. */
  add(id: string): boolean {
    if (this.#clock.mono() >= this.#turnAt || this.#young.size >= maxIds) this.#turn()
    if (this.#young.has(id) || this.#old.has(id)) return false
    this.#young.add(id)
    return true
  }

  delete(id: string): void {
    this.#young.delete(id)
    this.#old.delete(id)
  }

  #turn(): void {
    this.#old = this.#young
    this.#young = new Set()
    this.#turnAt = this.#clock.mono() + lifeMs
  }
}
