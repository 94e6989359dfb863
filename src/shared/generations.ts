// A bounded map of what was set last. It forgets by whole generations: a Map whose oldest entries are deleted one by one
// has its iterator pass over all that were deleted before, tens of microseconds where thousands of entries live.

export interface GenerationsOptions {
  /** Entries of each generation: so many of the last ones are kept at least, and twice as many at most. */
  readonly limit: number
  /** Each entry is kept for as long at least, and the next `set` after twice as long forgets it. Left out: for ever. */
  readonly keepMs?: number
}

export class Generations<Value> {
  readonly #limit: number
  readonly #keepMs: number
  #young = new Map<string, Value>()
  // Most maps are small or empty, such as those of each idle endpoint.
  #old: Map<string, Value> | undefined
  #turnedAt = Number.NEGATIVE_INFINITY

  constructor({ limit, keepMs = Number.POSITIVE_INFINITY }: GenerationsOptions) {
    this.#limit = limit
    this.#keepMs = keepMs
  }

  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#old?.get(key)
  }

  /** As `get`, and the entry counts as set now. */
  refresh(key: string): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old?.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  /** `nowMs` matters where entries are kept for a time. */
  set(key: string, value: Value, nowMs = 0): void {
    this.age(nowMs)
    this.#young.set(key, value)
  }

  /** Forgets what is too old by now, also where nothing is set. */
  age(nowMs: number): void {
    const isOver = nowMs - this.#turnedAt >= this.#keepMs
    if (isOver || this.#young.size >= this.#limit) this.#turn(nowMs)
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old?.delete(key)
  }

  #turn(nowMs: number): void {
    // Nothing was set for two lives: what is there is all too old.
    const isStale = nowMs - this.#turnedAt >= 2 * this.#keepMs
    this.#old = isStale || this.#young.size === 0 ? undefined : this.#young
    this.#young = new Map()
    this.#turnedAt = nowMs
  }
}
