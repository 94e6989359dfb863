// Time as a dependency: what waits takes a Clock, so that hours pass in a test without a sleep.
import { performance } from 'node:perf_hooks'

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number
  /** Monotonic milliseconds: only differences mean anything. Goes on counting while the process is stopped. */
  mono(): number
  /** Runs `run` once after `delayMs`; never keeps the process alive. */
  after(delayMs: number, run: () => void): Timer
}

const longestTimeoutMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  after(delayMs, run) {
    // setTimeout fires at once when given more than 2^31-1 ms.
    const handle = setTimeout(run, Math.min(Math.max(0, delayMs), longestTimeoutMs))
    handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
}

interface Waiting {
  at: number
  order: number
  run: () => void
}

/** A clock that stands still until told: `advance` runs what falls due, in order, each at its own instant. */
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

  /** Promises between two timers get to run: a timer may be set by what the timer before it resolved. */
  async advance(ms: number): Promise<void> {
    const until = this.#nowMs + ms
    await settle()
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#waiting.delete(next)
      this.#nowMs = next.at
      next.run()
      await settle()
    }
    this.#nowMs = until
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

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
