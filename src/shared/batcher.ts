// Micro-batching: items that arrive while a flush runs form the next flush. Without `lingerMs` there is no
// timer: a single item is not delayed, and items under load share a commit.

import { Concurrency } from './concurrency.ts'
import { failsOthersToo, isStall } from './outage.ts'

export interface BatcherOptions<Item, Result> {
  /**
   * Returns the results in item order. When it throws, the batch is retried item by item, unless the server
   * timed out, and until a second item meets an outage: each would then wait for another one.
   */
  readonly flush: (items: Item[]) => Promise<Result[]>
  readonly maxItems: number
  /** Limit of waiting items. Beyond it, `add` rejects with BatcherFull at once. */
  readonly maxWaiting: number
  /** Concurrent flushes. The default of 1 keeps the item order. */
  readonly concurrency?: number
  /** When a further one starts; until then, what waits makes the next batch larger. */
  readonly relieveAfterMs?: number
  /** Only for work without latency requirements: how long an item may wait for others to share its flush. */
  readonly lingerMs?: number
}

export class BatcherFull extends Error {
  constructor() {
    super('too much work is waiting')
  }
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (reason: unknown) => void
}

export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>
  readonly #flushes: Concurrency
  #waiting: Waiting<Item, Result>[] = []
  #scheduled = false
  /** A flush is due, but those that run allow no further one yet. */
  #isDue = false
  #lingering: NodeJS.Timeout | undefined
  #idle: (() => void)[] = []

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options
    const { concurrency = 1, relieveAfterMs } = options
    this.#flushes = new Concurrency({ concurrency, relieveAfterMs }, () => this.#schedule())
  }

  get waiting(): number {
    return this.#waiting.length
  }

  add(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.#options.maxWaiting) return Promise.reject(new BatcherFull())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#options.lingerMs === undefined || this.#waiting.length >= this.#options.maxItems)
        this.#schedule()
      else this.#lingering ??= setTimeout(() => this.#schedule(), this.#options.lingerMs)
    })
  }

  /** Resolves when no item waits and no flush runs. */
  drain(): Promise<void> {
    if (this.#flushes.running === 0 && this.#waiting.length === 0) return Promise.resolve()
    this.#schedule()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  // Takes the batch at the end of the current event loop iteration, so that items from one socket read are
  // written together.
  #schedule(): void {
    clearTimeout(this.#lingering)
    this.#lingering = undefined
    if (this.#scheduled) return
    this.#isDue = !this.#flushes.mayStart()
    if (this.#isDue) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#options.maxItems)
    if (batch.length === 0) return
    const end = this.#flushes.start()
    if (this.#waiting.length > 0) this.#schedule()
    try {
      await this.#flush(batch)
    } finally {
      end()
      // Items that arrived during this flush may still linger, unless a flush is due or `drain` waits.
      if (this.#waiting.length > 0 && (this.#isDue || this.#idle.length > 0)) this.#schedule()
      else if (this.#flushes.running === 0 && this.#waiting.length === 0)
        for (const done of this.#idle.splice(0)) done()
    }
  }

  async #flush(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.flush(batch.map((waiting) => waiting.item))
      batch.forEach((waiting, index) => {
        waiting.resolve(results[index] as Result)
      })
    } catch (reason) {
      if (batch.length === 1 || isStall(reason)) for (const waiting of batch) waiting.reject(reason)
      else await this.#oneByOne(batch)
    }
  }

  /** One bad item must not fail the others: each gets its own error. One outage may be that of a single connection. */
  async #oneByOne(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const outages: unknown[] = []
    for (const { item, resolve, reject } of batch) {
      if (outages.length >= 2) {
        reject(outages[0])
        continue
      }
      try {
        const [result] = await this.#options.flush([item])
        resolve(result as Result)
      } catch (reason) {
        if (failsOthersToo(reason)) outages.push(reason)
        reject(reason)
      }
    }
  }
}
