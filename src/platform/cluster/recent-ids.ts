// Message ids of the last minute, so that a message that arrives over the internal port and the inbox is handled once.
import type { Clock } from '../../shared/clock.ts'
import { Generations } from '../../shared/generations.ts'

const lifeMs = 60_000
const maxIds = 50_000

export class RecentIds {
  readonly #clock: Clock
  readonly #ids = new Generations<true>({ limit: maxIds, keepMs: lifeMs })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** False when the id was seen before. */
  add(id: string): boolean {
    const nowMs = this.#clock.mono()
    this.#ids.age(nowMs)
    if (this.#ids.get(id)) return false
    this.#ids.set(id, true, nowMs)
    return true
  }

  delete(id: string): void {
    this.#ids.delete(id)
  }
}
