// Caches the last known node of each actor. A wrong entry costs one request, which that node refuses.

import type { Clock } from '../../shared/clock.ts'
import { Lru } from '../../shared/lru.ts'
import type { NodeRef } from '../actors/ownership.ts'

const maxEntries = 10_000
const lifeMs = 5_000

export class LocationCache {
  readonly #clock: Clock
  readonly #entries = new Lru<{ readonly node: NodeRef; readonly until: number }>(maxEntries)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(key: string): NodeRef | undefined {
    const entry = this.#entries.get(key)
    return entry && this.#clock.mono() < entry.until ? entry.node : undefined
  }

  /** However old: for whoever can do without an answer. */
  last(key: string): NodeRef | undefined {
    return this.#entries.get(key)?.node
  }

  set(key: string, node: NodeRef): void {
    this.#entries.set(key, { node, until: this.#clock.mono() + lifeMs })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
