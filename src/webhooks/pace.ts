// How many requests one endpoint may have under way: grows while it answers fast, halves when it fails.
import { limits } from '../contract/limits.ts'

const startCap = 4
const maxCap = 16
const fastMs = 250

export interface Pace {
  /** Concurrent first attempts; retries get half as many of their own. */
  cap: number
  /** Failures in a row as this owner has seen them; Postgres has the exact count. */
  failures: number
}

export const newPace = (failures: number): Pace => ({ cap: startCap, failures })

export function paceSuccess(pace: Pace, durationMs: number): void {
  pace.failures = 0
  if (durationMs < fastMs) pace.cap = Math.min(maxCap, pace.cap + 1)
}

export function paceFailure(pace: Pace): void {
  pace.failures += 1
  pace.cap = Math.max(1, Math.floor(pace.cap / 2))
}

/**
 * Attempts that may be under way: in all, and of each lane, which never take each other's places. While a streak of
 * failures runs it is one of each. In all they never exceed what is left to the limit: so the endpoint is switched off
 * at exactly the twentieth failure, with no attempt beyond it. `most` is what the process has to spare.
 */
export function allowance(
  pace: Pace,
  most = maxCap,
): {
  readonly total: number
  readonly first: number
  readonly retries: number
} {
  const left = limits.failuresToDisable - pace.failures
  if (left <= 0) return { total: 0, first: 0, retries: 0 }
  if (pace.failures > 0) return { total: Math.min(2, left), first: 1, retries: 1 }
  const first = Math.min(pace.cap, most)
  const retries = Math.min(Math.ceil(first / 2), left - first)
  return { total: first + retries, first, retries }
}
