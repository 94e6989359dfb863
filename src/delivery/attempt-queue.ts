// Queues of work for one endpoint. They store, count and order items. Other files decide what may start.
import type { Share } from './process-budget.ts'

export interface QueueItem {
  readonly key: string
  readonly body: string
}

export interface QueueBounds {
  readonly items: number
  readonly bytes: number
}

export const bytesOf = ({ body }: { readonly body: string }): number => Buffer.byteLength(body)

/**
 * A bounded queue. Items of one key are taken in order and one at a time: the next item of a key waits until
 * the previous one is released. A busy key never delays another key.
 */
export class AttemptQueue<Item extends QueueItem> {
  readonly #bounds: QueueBounds
  readonly #bytes: Share
  #front: Item[] = []
  #ready: Item[] = []
  #head = 0
  /** Items of each key in #front and #ready. While there are any, a new item of the key goes behind them. */
  readonly #inLine = new Map<string, number>()
  readonly #behind = new Map<string, Item[]>()
  readonly #busy = new Set<string>()
  /** Of what was taken before the last clear, and has not come back since. */
  readonly #cleared = new Set<string>()
  readonly #outdated: Item[] = []
  #size = 0

  constructor(bounds: QueueBounds, bytes: Share) {
    this.#bounds = bounds
    this.#bytes = bytes
  }

  get size(): number {
    return this.#size
  }

  /** An empty queue accepts one item even without memory for it, so that every endpoint makes progress. */
  get isFull(): boolean {
    if (this.#size === 0) return false
    return this.#size >= this.#bounds.items || this.#bytes.held >= this.#mostBytes
  }

  get isLow(): boolean {
    if (this.#size === 0) return true
    return this.#size < this.#bounds.items / 4 && this.#bytes.held < this.#mostBytes / 4
  }

  /** Bytes that the queue may still accept. */
  get room(): number {
    return Math.max(0, this.#mostBytes - this.#bytes.held)
  }

  get #mostBytes(): number {
    return Math.min(this.#bounds.bytes, this.#bytes.limit)
  }

  push(item: Item): void {
    this.#add(item)
    const behind = this.#behind.get(item.key)
    if (behind && !this.#inLine.has(item.key)) {
      behind.push(item)
      return
    }
    this.#ready.push(item)
    this.#count(item.key, 1)
  }

  /** The next item whose key is free; marks the key busy. */
  take(): Item | undefined {
    for (let item = this.#shift(); item !== undefined; item = this.#shift()) {
      if (!this.#busy.has(item.key)) {
        this.#busy.add(item.key)
        this.#size -= 1
        this.#bytes.give(bytesOf(item))
        return item
      }
      const behind = this.#behind.get(item.key)
      if (behind) behind.push(item)
      else this.#behind.set(item.key, [item])
    }
    return undefined
  }

  /** The attempt of the item that was taken under this key has ended. */
  release(key: string): void {
    this.#busy.delete(key)
    this.#cleared.delete(key)
    const behind = this.#behind.get(key)
    if (!behind) return
    this.#behind.delete(key)
    // To the front, because a later item of this key may be in #ready.
    this.#front.push(...behind)
    this.#count(key, behind.length)
  }

  /**
   * The taken item had no attempt: it becomes the next item of its key again, before later ones. One that was taken
   * before the queue was cleared is outdated instead.
   */
  putBack(item: Item): void {
    if (this.#cleared.has(item.key)) {
      this.release(item.key)
      this.#outdated.push(item)
      return
    }
    this.#add(item)
    this.release(item.key)
    this.#front.unshift(item)
    this.#count(item.key, 1)
  }

  takeOutdated(): Item[] {
    return this.#outdated.splice(0)
  }

  /** Empties the queue and returns its items. Keys stay busy until they are released. */
  clear(): Item[] {
    for (const key of this.#busy) this.#cleared.add(key)
    const items = [...this.#front, ...this.#ready.slice(this.#head), ...[...this.#behind.values()].flat()]
    this.#front = []
    this.#ready = []
    this.#head = 0
    this.#behind.clear()
    this.#inLine.clear()
    this.#size = 0
    this.#bytes.give(this.#bytes.held)
    return items
  }

  #add(item: Item): void {
    this.#size += 1
    this.#bytes.take(bytesOf(item))
  }

  #count(key: string, by: number): void {
    const count = (this.#inLine.get(key) ?? 0) + by
    if (count === 0) this.#inLine.delete(key)
    else this.#inLine.set(key, count)
  }

  #shift(): Item | undefined {
    const item = this.#next()
    if (item) this.#count(item.key, -1)
    return item
  }

  #next(): Item | undefined {
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
