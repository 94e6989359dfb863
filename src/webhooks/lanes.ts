// Queues of work for one endpoint. They hold, count and order; what may start is decided elsewhere.

export interface LaneItem {
  readonly key: string
  readonly body: string
}

/**
 * A bounded queue in which items of one key are taken in order and one at a time: the next of a key waits until the
 * one before it was released (decisions 5, order). A busy key never holds up another.
 */
export class KeyedLane<Item extends LaneItem> {
  readonly #maxItems: number
  readonly #maxBytes: number
  #front: Item[] = []
  #ready: Item[] = []
  #head = 0
  readonly #behind = new Map<string, Item[]>()
  readonly #busy = new Set<string>()
  #size = 0
  #bytes = 0

  constructor(maxItems: number, maxBytes: number) {
    this.#maxItems = maxItems
    this.#maxBytes = maxBytes
  }

  get size(): number {
    return this.#size
  }

  get isFull(): boolean {
    return this.#size >= this.#maxItems || this.#bytes >= this.#maxBytes
  }

  get isLow(): boolean {
    return this.#size < this.#maxItems / 4 && this.#bytes < this.#maxBytes / 4
  }

  push(item: Item): void {
    this.#size += 1
    this.#bytes += item.body.length
    const behind = this.#behind.get(item.key)
    if (behind) behind.push(item)
    else this.#ready.push(item)
  }

  /** The next item whose key is free; marks the key busy. */
  take(): Item | undefined {
    for (let item = this.#shift(); item !== undefined; item = this.#shift()) {
      if (!this.#busy.has(item.key)) {
        this.#busy.add(item.key)
        this.#size -= 1
        this.#bytes -= item.body.length
        return item
      }
      const behind = this.#behind.get(item.key)
      if (behind) behind.push(item)
      else this.#behind.set(item.key, [item])
    }
    return undefined
  }

  /** The item taken under this key has had its attempt. */
  release(key: string): void {
    this.#busy.delete(key)
    const behind = this.#behind.get(key)
    if (!behind) return
    this.#behind.delete(key)
    // To the front: a later item of this key may be among the ready ones.
    this.#front.push(...behind)
  }

  /** Empties the lane and returns what was in it; keys stay busy until they are released. */
  clear(): Item[] {
    const items = [...this.#front, ...this.#ready.slice(this.#head), ...[...this.#behind.values()].flat()]
    this.#front = []
    this.#ready = []
    this.#head = 0
    this.#behind.clear()
    this.#size = 0
    this.#bytes = 0
    return items
  }

  #shift(): Item | undefined {
    if (this.#front.length > 0) return this.#front.shift()
    if (this.#head >= this.#ready.length) return undefined
    const item = this.#ready[this.#head]
    this.#head += 1
    if (this.#head > 64 && this.#head * 2 > this.#ready.length) {
      this.#ready = this.#ready.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}
