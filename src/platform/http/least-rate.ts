// The least rate of a stream. A slower one keeps its place from others, and would do so for an hour.

export const leastBytesPerSecond = 4 * 1024

/** For each part of `leastBytesPerSecond` times `slowMs`, its client may keep us waiting for `slowMs`. */
export class LeastRate {
  readonly #slowMs: number
  readonly #partBytes: number
  #bytes = 0
  #waitedMs = 0

  constructor(slowMs: number) {
    this.#slowMs = slowMs
    this.#partBytes = (leastBytesPerSecond * slowMs) / 1_000
  }

  get leftMs(): number {
    return this.#slowMs - this.#waitedMs
  }

  waited(forMs: number): void {
    this.#waitedMs += forMs
  }

  came(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < this.#partBytes) return
    this.#bytes = 0
    this.#waitedMs = 0
  }
}
