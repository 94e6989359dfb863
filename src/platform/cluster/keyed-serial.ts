// Keeps the tells of this process to one actor in order: only one is in progress at a time.
import type { TellResult } from '../actors/mailbox-entry.ts'

const maxPerKey = 1_000
const maxInAll = 50_000

type Send = () => Promise<TellResult>

interface Waiting {
  readonly send: Send
  readonly done: (result: TellResult) => void
}

export class KeyedSerial {
  readonly #queues = new Map<string, Waiting[]>()
  #waiting = 0

  /** True while a tell to `key` is in progress. A later tell must not overtake it. */
  has(key: string): boolean {
    return this.#queues.has(key)
  }

  get waiting(): number {
    return this.#waiting
  }

  /** `send` must not reject. */
  add(key: string, send: Send): Promise<TellResult> {
    const queue = this.#queues.get(key)
    if (!queue) return this.#start(key, send)
    if (queue.length >= maxPerKey || this.#waiting >= maxInAll) return Promise.resolve({ type: 'full' })
    this.#waiting += 1
    return new Promise((done) => queue.push({ send, done }))
  }

  #start(key: string, send: Send): Promise<TellResult> {
    const queue: Waiting[] = []
    this.#queues.set(key, queue)
    const first = send()
    void this.#run(key, queue, first)
    return first
  }

  async #run(key: string, queue: Waiting[], first: Promise<TellResult>): Promise<void> {
    await first
    for (let next = queue.shift(); next; next = queue.shift()) {
      this.#waiting -= 1
      next.done(await next.send())
    }
    this.#queues.delete(key)
  }
}
