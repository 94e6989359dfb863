import { Generations } from './generations.ts'

/** A bounded map of what was used last: `limit` entries at least, twice as many at most. */
export class Lru<Value> {
  readonly #entries: Generations<Value>

  constructor(limit: number) {
    this.#entries = new Generations({ limit })
  }

  get(key: string): Value | undefined {
    return this.#entries.refresh(key)
  }

  set(key: string, value: Value): void {
    this.#entries.set(key, value)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
