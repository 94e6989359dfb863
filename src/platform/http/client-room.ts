// Places of what waits for clients: for the rest of a body, or for an answer to be read. Anybody can be slow for as long as
// it likes, so where there is no place, the one that has been waited for longest gives way.
import type { Clock } from '../../shared/clock.ts'

export interface Awaited {
  /** Ends the request. */
  cutOff(): void
}

/** Nearly all that is awaited comes within milliseconds. */
const patienceMs = 1_000

export class ClientRoom {
  readonly #most: number
  readonly #clock: Pick<Clock, 'mono'>
  /** Since when, the longest first. */
  readonly #awaited = new Map<Awaited, number>()

  constructor(most: number, clock: Pick<Clock, 'mono'>) {
    this.#most = most
    this.#clock = clock
  }

  get count(): number {
    return this.#awaited.size
  }

  /** False: there is no place. */
  expect(one: Awaited): boolean {
    if (this.#awaited.size >= this.#most && !this.cutOffLongest(one)) return false
    this.#awaited.set(one, this.#clock.mono())
    return true
  }

  /** It has come, or never will. */
  settled(one: Awaited): void {
    this.#awaited.delete(one)
  }

  /** False: of the others none has been awaited for long. */
  cutOffLongest(except: Awaited): boolean {
    for (const [one, since] of this.#awaited) {
      if (one === except) continue
      if (this.#clock.mono() - since < patienceMs) return false
      this.#awaited.delete(one)
      one.cutOff()
      return true
    }
    return false
  }
}
