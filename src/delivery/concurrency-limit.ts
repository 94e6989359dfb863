// Limits the concurrent requests to one endpoint: grows while it answers fast, halves when it fails.
import { limits } from '../contract/limits.ts'

const startCap = 4
const maxCap = 16
const fastMs = 250
const lastAttempts = 4
const shortestPauseMs = 10

export interface ConcurrencyLimit {
  /** Concurrent first attempts. Retries get half as many in addition. */
  cap: number
  /** Consecutive failures as this owner has seen them. Postgres has the exact count. */
  failures: number
}

export const newConcurrencyLimit = (failures: number): ConcurrencyLimit => ({ cap: startCap, failures })

export function raiseLimit(concurrency: ConcurrencyLimit, durationMs: number): void {
  concurrency.failures = 0
  if (durationMs < fastMs) concurrency.cap = Math.min(maxCap, concurrency.cap + 1)
}

export function lowerLimit(concurrency: ConcurrencyLimit): void {
  concurrency.failures += 1
  concurrency.cap = Math.max(1, Math.floor(concurrency.cap / 2))
}

/**
 * Milliseconds without an attempt after so many failures in a row. Under load twenty attempts fail within milliseconds,
 * and a receiver that restarts would be switched off. Most of what was under way fails at once, so the pause is short
 * at first, and `longestMs` before the last four.
 */
export function pauseAfter(failures: number, longestMs: number): number {
  if (failures >= limits.failuresToDisable) return 0
  const doublings = Math.min(0, failures - (limits.failuresToDisable - lastAttempts))
  const pauseMs = Math.floor(longestMs * 2 ** doublings)
  return pauseMs < shortestPauseMs ? 0 : pauseMs
}

/**
 * Attempts that may be under way: in total, and for each queue. The queues never use each other's part.
 * During a streak of failures each queue gets one. The total never exceeds the failures that are left, so the
 * endpoint is switched off at exactly the twentieth failure, with no attempt beyond it. `most` is what the
 * process can spare.
 */
export function allowance(
  concurrency: ConcurrencyLimit,
  most = maxCap,
): {
  readonly total: number
  readonly first: number
  readonly retries: number
} {
  const left = limits.failuresToDisable - concurrency.failures
  if (left <= 0) return { total: 0, first: 0, retries: 0 }
  if (concurrency.failures > 0) return { total: Math.min(2, left), first: 1, retries: 1 }
  const first = Math.min(concurrency.cap, most)
  const retries = Math.min(Math.ceil(first / 2), left - first)
  return { total: first + retries, first, retries }
}
