// Where actors were last seen. Wrong entries cost one hop: the node that is asked says so.
import type { NodeRef } from '../actors/ownership.ts'
import type { Clock } from '../shared/clock.ts'

const maxEntries = 10_000
const lifeMs = 5_000

export class LocationCache {
  readonly #clock: Clock
  /** In order of use, the oldest first. */
  readonly #entries = new Map<string, { readonly node: NodeRef; readonly until: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(key: string): NodeRef | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    if (this.#clock.mono() >= entry.until) return undefined
    this.#entries.set(key, entry)
    return entry.node
  }

  set(key: string, node: NodeRef): void {
    this.#entries.delete(key)
    this.#entries.set(key, { node, until: this.#clock.mono() + lifeMs })
    if (this.#entries.size <= maxEntries) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
