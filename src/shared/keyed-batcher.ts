// Micro-batching for items that belong to keys: several flushes may run, but never two with the same key, so that the
// items of a key keep their order. There is no timer: what arrives while all flushes run goes with the next.

import { BatcherFull } from './batcher.ts'
import { Concurrency } from './concurrency.ts'
import { failsOthersToo } from './outage.ts'

export interface KeyedBatcherOptions<Item, Result> {
  readonly keyOf: (item: Item) => string
  /**
   * Returns the results in item order. A result may be a promise: the place of the flush is then free for others, and
   * only the key waits for it. When it throws, the items are tried one by one, until a second one meets an outage of
   * the server.
   */
  readonly flush: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>
  readonly maxItems: number
  /** Limit of waiting items. Beyond it, `add` rejects with BatcherFull at once. */
  readonly maxWaiting: number
  /** Concurrent flushes. */
  readonly concurrency: number
  /** When a further one starts; until then, what waits makes the next batch larger. */
  readonly relieveAfterMs?: number
}

interface Waiting<Item, Result> {
  readonly key: string
  readonly item: Item
  readonly resolve: (result: Result | Promise<Result>) => void
}

export class KeyedBatcher<Item, Result> {
  readonly #options: KeyedBatcherOptions<Item, Result>
  readonly #queues = new Map<string, Waiting<Item, Result>[]>()
  /** Keys with waiting items of which none runs, the longest waiting first. */
  readonly #ready = new Set<string>()
  /** How many results of a key are still open. */
  readonly #open = new Map<string, number>()
  readonly #flushes: Concurrency
  #waiting = 0
  #isScheduled = false

  constructor(options: KeyedBatcherOptions<Item, Result>) {
    this.#options = options
    this.#flushes = new Concurrency(options, () => this.#schedule())
  }

  add(item: Item): Promise<Result> {
    if (this.#waiting >= this.#options.maxWaiting) return Promise.reject(new BatcherFull())
    return new Promise((resolve) => {
      const key = this.#options.keyOf(item)
      const queue = this.#queues.get(key)
      if (queue) queue.push({ key, item, resolve })
      else this.#queues.set(key, [{ key, item, resolve }])
      this.#waiting += 1
      if (this.#open.has(key)) return
      this.#ready.add(key)
      this.#schedule()
    })
  }

  // Takes the batch at the end of the current event loop iteration, so that items from one socket read are written
  // together.
  #schedule(): void {
    if (this.#isScheduled || this.#ready.size === 0 || !this.#flushes.mayStart()) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    const batch = this.#take()
    if (batch.length === 0) return
    const end = this.#flushes.start()
    this.#schedule()
    const results = await this.#flush(batch)
    end()
    batch.forEach(({ key, resolve }, index) => {
      const result = results[index] as Promise<Result>
      resolve(result)
      const close = () => this.#close(key)
      result.then(close, close)
    })
    this.#schedule()
  }

  #take(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = []
    for (const key of this.#ready) {
      const room = this.#options.maxItems - batch.length
      if (room === 0) break
      const queue = this.#queues.get(key) ?? []
      const taken = queue.splice(0, room)
      if (queue.length === 0) this.#queues.delete(key)
      this.#ready.delete(key)
      this.#open.set(key, taken.length)
      batch.push(...taken)
    }
    this.#waiting -= batch.length
    return batch
  }

  #close(key: string): void {
    const open = (this.#open.get(key) ?? 1) - 1
    if (open > 0) {
      this.#open.set(key, open)
      return
    }
    this.#open.delete(key)
    if (!this.#queues.has(key)) return
    this.#ready.add(key)
    this.#schedule()
  }

  /** Never rejects: each error is that of an item. */
  async #flush(batch: readonly Waiting<Item, Result>[]): Promise<Promise<Result>[]> {
    try {
      const results = await this.#options.flush(batch.map(({ item }) => item))
      return results.map((result) => handled(Promise.resolve(result)))
    } catch (reason) {
      return batch.length === 1 ? [handled(Promise.reject(reason))] : this.#oneByOne(batch)
    }
  }

  async #oneByOne(batch: readonly Waiting<Item, Result>[]): Promise<Promise<Result>[]> {
    const results: Promise<Result>[] = []
    const last = new Map<string, Promise<Result>>()
    const outages: unknown[] = []
    for (const { key, item } of batch) {
      await last.get(key)?.catch(() => undefined)
      const result = await this.#tryOne(item, outages)
      last.set(key, result.promise)
      results.push(result.promise)
    }
    return results
  }

  /** One item may wait for what somebody has locked, or lose its connection. Two show that it is not the item. */
  async #tryOne(item: Item, outages: unknown[]): Promise<{ readonly promise: Promise<Result> }> {
    if (outages.length >= 2) return { promise: handled(Promise.reject(outages[0])) }
    try {
      const [result] = await this.#options.flush([item])
      return { promise: handled(Promise.resolve(result as Result)) }
    } catch (reason) {
      if (failsOthersToo(reason)) outages.push(reason)
      return { promise: handled(Promise.reject(reason)) }
    }
  }
}

/** Somebody awaits it, later. */
function handled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined)
  return promise
}
