// Time as a dependency: code that waits takes a Clock, so that a test can skip hours without sleeping.
import { performance } from 'node:perf_hooks'

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number
  /** Monotonic milliseconds; only differences are meaningful. Continues while the process is stopped. */
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
