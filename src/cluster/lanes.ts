// Keeps tells to one actor in the order in which they were told here: one is under way at a time.
import type { TellResult } from '../actors/letter.ts'

const maxPerLane = 1_000
const maxInAll = 50_000

type Send = () => Promise<TellResult>

interface Waiting {
  readonly send: Send
  readonly done: (result: TellResult) => void
}

export class Lanes {
  readonly #lanes = new Map<string, Waiting[]>()
  #waiting = 0

  /** True while a tell to `key` is under way: another may not pass it. */
  has(key: string): boolean {
    return this.#lanes.has(key)
  }

  get waiting(): number {
    return this.#waiting
  }

  /** `send` must not reject. */
  add(key: string, send: Send): Promise<TellResult> {
    const lane = this.#lanes.get(key)
    if (!lane) return this.#start(key, send)
    if (lane.length >= maxPerLane || this.#waiting >= maxInAll) return Promise.resolve({ type: 'full' })
    this.#waiting += 1
    return new Promise((done) => lane.push({ send, done }))
  }

  #start(key: string, send: Send): Promise<TellResult> {
    const lane: Waiting[] = []
    this.#lanes.set(key, lane)
    const first = send()
    void this.#run(key, lane, first)
    return first
  }

  async #run(key: string, lane: Waiting[], first: Promise<TellResult>): Promise<void> {
    await first
    for (let next = lane.shift(); next; next = lane.shift()) {
      this.#waiting -= 1
      next.done(await next.send())
    }
    this.#lanes.delete(key)
  }
}
