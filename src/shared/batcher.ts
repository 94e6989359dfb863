// Natural micro-batching: what arrives while one flush runs becomes the next flush. No timer, so an idle caller
// waits for nobody, and a busy one shares a commit with its neighbours. Work that nobody waits for may linger.

export interface BatcherOptions<Item, Result> {
  /** Results in the order of the items. Throwing fails the whole batch, which is then tried item by item. */
  readonly flush: (items: Item[]) => Promise<Result[]>
  readonly maxItems: number
  /** Past this many waiting items `add` rejects at once: nothing queues without bound. */
  readonly maxWaiting: number
  /** Flushes under way at once; 1 keeps items in order. */
  readonly lanes?: number
  /** For work off every path that somebody waits on: how long an item may wait for company. */
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
  #waiting: Waiting<Item, Result>[] = []
  #running = 0
  #scheduled = false
  /** A batch shall go, and every lane is taken: it goes when one is free again. */
  #isDue = false
  #lingering: NodeJS.Timeout | undefined
  #idle: (() => void)[] = []

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options
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

  /** Resolves when nothing waits and nothing runs. */
  drain(): Promise<void> {
    if (this.#running === 0 && this.#waiting.length === 0) return Promise.resolve()
    this.#schedule()
    return new Promise((resolve) => this.#idle.push(resolve))
  }

  // A batch is taken at the end of the current turn of the event loop: what one read of the socket
  // brought in together is written together.
  #schedule(): void {
    clearTimeout(this.#lingering)
    this.#lingering = undefined
    if (this.#scheduled) return
    this.#isDue = this.#running >= (this.#options.lanes ?? 1)
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
    this.#running += 1
    if (this.#waiting.length > 0) this.#schedule()
    try {
      await this.#flush(batch)
    } finally {
      this.#running -= 1
      // What came meanwhile may linger, also where one batch after the other is under way.
      if (this.#waiting.length > 0 && (this.#isDue || this.#idle.length > 0)) this.#schedule()
      else if (this.#running === 0 && this.#waiting.length === 0)
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
      const [only] = batch
      if (batch.length === 1 && only) only.reject(reason)
      // One bad row must not fail its neighbours: each gets its own statement and its own error.
      else for (const waiting of batch) await this.#flush([waiting])
    }
  }
}
