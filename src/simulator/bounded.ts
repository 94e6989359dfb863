/** The last `capacity` values, each with a sequence number that starts at 1 and never repeats. */
export class Ring<T> {
  readonly #capacity: number
  readonly #slots: T[] = []
  #last = 0
  #cleared = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** The sequence number of the latest value. */
  get last(): number {
    return this.#last
  }

  push(value: T): number {
    this.#slots[this.#last % this.#capacity] = value
    this.#last += 1
    return this.#last
  }

  /** Values after sequence number `since`, oldest first; `next` is what to pass as `since` the next time. */
  since(since: number, limit: number): { data: (T & { seq: number })[]; next: number } {
    const first = Math.max(since, this.#last - this.#capacity, this.#cleared)
    const end = Math.min(this.#last, first + limit)
    const data: (T & { seq: number })[] = []
    for (let seq = first + 1; seq <= end; seq += 1) {
      const value = this.#slots[(seq - 1) % this.#capacity]
      if (value !== undefined) data.push({ seq, ...value })
    }
    return { data, next: end }
  }

  /** Forgets the values and keeps counting, so that a reader's `since` stays meaningful. */
  clear(): void {
    this.#slots.length = 0
    this.#cleared = this.#last
  }
}

/** A map that forgets its oldest key when a new one would exceed the limit. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #limit: number

  constructor(limit: number) {
    super()
    this.#limit = limit
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#limit && !this.has(key)) {
      const oldest = this.keys().next()
      if (oldest.done !== true) this.delete(oldest.value)
    }
    return super.set(key, value)
  }
}

/** Appends and drops from the front, so that the list never exceeds the limit. */
export function pushBounded<T>(list: T[], value: T, limit: number): void {
  list.push(value)
  if (list.length > limit) list.splice(0, list.length - limit)
}
