/** The last `capacity` values. Each has a sequence number; numbers start at 1 and never repeat. */
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

  /** Values after sequence number `since`, oldest first. Pass `next` as `since` in the next call. */
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

  /** Removes the values but continues the numbering, so that a reader's `since` stays valid. */
  clear(): void {
    this.#slots.length = 0
    this.#cleared = this.#last
  }
}

/** A map that removes its oldest key when a new one would exceed the limit. */
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

/** Appends a value and removes the oldest ones, so that the list never exceeds the limit. */
export function pushBounded<T>(list: T[], value: T, limit: number): void {
  list.push(value)
  if (list.length > limit) list.splice(0, list.length - limit)
}
