// Queues of work for one endpoint. They hold, count and order; what may start is decided elsewhere.
import type { Share } from './commons.ts'

export interface LaneItem {
  readonly key: string
  readonly body: string
}

export interface LaneBounds {
  readonly items: number
  readonly bytes: number
}

export const bytesOf = ({ body }: { readonly body: string }): number => Buffer.byteLength(body)

/**
 * A bounded queue in which items of one key are taken in order and one at a time: the next of a key waits until the
 * one before it was released (decisions 5, order). A busy key never holds up another.
 */
export class KeyedLane<Item extends LaneItem> {
  readonly #bounds: LaneBounds
  readonly #bytes: Share
  #front: Item[] = []
  #ready: Item[] = []
  #head = 0
  /** Of each key, how many are in front or ready: as long as there is one, a new one comes after it there. */
  readonly #inLine = new Map<string, number>()
  readonly #behind = new Map<string, Item[]>()
  readonly #busy = new Set<string>()
  #size = 0

  constructor(bounds: LaneBounds, bytes: Share) {
    this.#bounds = bounds
    this.#bytes = bytes
  }

  get size(): number {
    return this.#size
  }

  /** An empty lane takes one item however little is left for it: every endpoint makes progress. */
  get isFull(): boolean {
    if (this.#size === 0) return false
    return this.#size >= this.#bounds.items || this.#bytes.held >= this.#mostBytes
  }

  get isLow(): boolean {
    if (this.#size === 0) return true
    return this.#size < this.#bounds.items / 4 && this.#bytes.held < this.#mostBytes / 4
  }

  /** Bytes that it may still take in. */
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

  /** The item taken under this key has had its attempt. */
  release(key: string): void {
    this.#busy.delete(key)
    const behind = this.#behind.get(key)
    if (!behind) return
    this.#behind.delete(key)
    // To the front: a later item of this key may be among the ready ones.
    this.#front.push(...behind)
    this.#count(key, behind.length)
  }

  /** What was taken had no attempt after all: it is the next of its key again, before those that came after it. */
  putBack(item: Item): void {
    this.#add(item)
    this.release(item.key)
    this.#front.unshift(item)
    this.#count(item.key, 1)
  }

  /** Empties the lane and returns what was in it; keys stay busy until they are released. */
  clear(): Item[] {
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
