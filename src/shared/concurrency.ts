// How many flushes of a batcher run at the same time. One, as a rule: what waits for it makes the next batch larger, and
// a batch costs little more than one item. Whoever waits for a lock, or for a slow server, must not hold up the others:
// after a while, the next flush starts beside it.

export interface ConcurrencyOptions {
  /** Concurrent flushes at most. */
  readonly concurrency: number
  /** A further flush starts only while all others have run for so long. Left out: at once. */
  readonly relieveAfterMs?: number | undefined
}

/** For statements that a request waits for: far longer than one takes that waits for nobody. */
export const oneUnlessHeldUp: ConcurrencyOptions & { readonly relieveAfterMs: number } = {
  concurrency: 2,
  relieveAfterMs: 50,
}

export class Concurrency {
  readonly #options: ConcurrencyOptions
  readonly #wake: () => void
  /** When the running flushes began, the first one first. */
  readonly #began: number[] = []
  #timer: NodeJS.Timeout | undefined

  /** `wake` is called when a flush may start that had to wait. */
  constructor(options: ConcurrencyOptions, wake: () => void) {
    this.#options = options
    this.#wake = wake
  }

  get running(): number {
    return this.#began.length
  }

  /** Whether a flush may start now. If not, `wake` is called once one may, unless a running one ends before. */
  mayStart(): boolean {
    const { concurrency, relieveAfterMs = 0 } = this.#options
    const latest = this.#began.at(-1)
    if (latest === undefined) return true
    if (this.#began.length >= concurrency) return false
    const leftMs = latest + relieveAfterMs - performance.now()
    if (leftMs <= 0) return true
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#wake()
    }, leftMs)
    return false
  }

  /** Returns what ends it. */
  start(): () => void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const at = performance.now()
    this.#began.push(at)
    return () => void this.#began.splice(this.#began.indexOf(at), 1)
  }
}
