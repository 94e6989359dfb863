import type { Clock, Timer } from '../../src/shared/clock.ts'

interface Waiting {
  at: number
  order: number
  run: () => void
}

/** A clock that moves only with `advance`, which runs the due timers in order, each at its own time. */
export class SimulatedClock implements Clock {
  #nowMs: number
  #order = 0
  readonly #waiting = new Set<Waiting>()

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  mono(): number {
    return this.#nowMs
  }

  after(delayMs: number, run: () => void): Timer {
    this.#order += 1
    const entry = { at: this.#nowMs + Math.max(0, delayMs), order: this.#order, run }
    this.#waiting.add(entry)
    return { cancel: () => this.#waiting.delete(entry) }
  }

  /**
   * Lets promises settle between two timers: a promise that one timer resolves may set the next one. One promise for
   * all of them, because the test runner follows each promise, which takes longer than the timers.
   */
  advance(ms: number): Promise<void> {
    const until = this.#nowMs + ms
    return new Promise((resolve, reject) => {
      const step = (): void => {
        const next = this.#next(until)
        if (next === undefined) {
          this.#nowMs = until
          return resolve()
        }
        this.#waiting.delete(next)
        this.#nowMs = next.at
        try {
          next.run()
        } catch (error) {
          return reject(error)
        }
        setImmediate(step)
      }
      setImmediate(step)
    })
  }

  #next(until: number): Waiting | undefined {
    let first: Waiting | undefined
    for (const entry of this.#waiting) {
      if (entry.at > until) continue
      if (!first || entry.at < first.at || (entry.at === first.at && entry.order < first.order)) first = entry
    }
    return first
  }
}
