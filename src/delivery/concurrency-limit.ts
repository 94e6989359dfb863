// Limits the concurrent requests to one endpoint: grows while it answers fast, halves when it fails.
import { limits } from '../contract/limits.ts'

const startCap = 4
/** Reached within seconds by whoever answers fast. */
const usualCap = 16
/** Of an endpoint that answers no later for being sent so many. */
const mostCap = 64
/** Below the twenty that switch an endpoint off: it fails all it has under way when it restarts. */
const mostCountedOfOneBreak = 16
const fastMs = 250
/** A receiver that is slow by itself is sent more as long as it is not slower for that. */
const slowMs = 1_000
const slowerBy = 1.5
/** It may be another one by now, or reached another way. Measured with few under way, since many are slow beside each other. */
const measureAgainMs = 60_000
const lastAttempts = 4
const shortestPauseMs = 10

export interface ConcurrencyLimit {
  /** Concurrent first attempts. Retries get half as many in addition. */
  cap: number
  /** Consecutive failures as this owner has seen them. Postgres has the exact count. */
  failures: number
  /** Attempts up to this token began before the first failure of the streak. */
  beganBefore: number
  /** Successes at the cap, beyond the usual one, since it last grew. */
  successes: number
  /** The shortest time to an answer since `measuredAtMs`. */
  fastestMs: number
  measuredAtMs: number
}

/** Then only answers within `fastMs` are fast. */
const notMeasured = 0

export const newConcurrencyLimit = (failures: number): ConcurrencyLimit => ({
  ...{ cap: startCap, failures, beganBefore: 0, successes: 0 },
  ...{ fastestMs: notMeasured, measuredAtMs: Number.NEGATIVE_INFINITY },
})

interface Succeeded {
  readonly durationMs: number
  readonly nowMs: number
  /** No other first attempt could start beside it. */
  readonly wasFull: boolean
}

/**
 * Up to the usual cap by one for each success; beyond it by one for each round of successes while the cap is in use, so
 * that a burst never meets a receiver that was only ever sent single events.
 */
export function raiseLimit(limit: ConcurrencyLimit, { durationMs, nowMs, wasFull }: Succeeded): void {
  limit.failures = 0
  measure(limit, durationMs, nowMs)
  const isFast = durationMs < fastMs || (durationMs < slowMs && durationMs <= limit.fastestMs * slowerBy)
  if (limit.cap < usualCap) {
    if (isFast) limit.cap += 1
  } else if (!isFast || !wasFull) {
    limit.cap = Math.max(usualCap, limit.cap - 1)
    limit.successes = 0
  } else {
    limit.successes += 1
    if (limit.successes < limit.cap || limit.cap === mostCap) return
    limit.cap += 1
    limit.successes = 0
  }
}

function measure(limit: ConcurrencyLimit, durationMs: number, nowMs: number): void {
  if (nowMs - limit.measuredAtMs > measureAgainMs) {
    limit.measuredAtMs = nowMs
    limit.fastestMs = notMeasured
    limit.cap = Math.min(limit.cap, usualCap)
  }
  // What began before that was beside as many as before.
  const isNew = nowMs - durationMs >= limit.measuredAtMs
  if (isNew && (limit.fastestMs === notMeasured || durationMs < limit.fastestMs)) limit.fastestMs = durationMs
}

/** `lastToken` is that of the last attempt that began. */
export function streakIs(limit: ConcurrencyLimit, failures: number, lastToken: number): void {
  if (limit.failures === 0) limit.beganBefore = lastToken
  limit.failures = failures
}

export function lowerLimit(limit: ConcurrencyLimit, lastToken: number): void {
  streakIs(limit, limit.failures + 1, lastToken)
  limit.cap = Math.max(1, Math.floor(Math.min(limit.cap, usualCap) / 2))
  limit.successes = 0
}

/**
 * Whether the failure of this attempt is counted. What is under way when a receiver breaks down fails together, and
 * says no more than sixteen failures do.
 */
export const isCounted = ({ failures, beganBefore }: ConcurrencyLimit, token: number): boolean =>
  failures < mostCountedOfOneBreak || token > beganBefore

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
 * During a streak of failures each queue gets one, and the total never exceeds the failures that are left, so that
 * no attempt begins after the twentieth. `most` is what the process can spare.
 */
export function allowance(
  concurrency: ConcurrencyLimit,
  most = mostCap,
): {
  readonly total: number
  readonly first: number
  readonly retries: number
} {
  const left = limits.failuresToDisable - concurrency.failures
  if (left <= 0) return { total: 0, first: 0, retries: 0 }
  if (concurrency.failures > 0) return { total: Math.min(2, left), first: 1, retries: 1 }
  const first = Math.min(concurrency.cap, most)
  const retries = Math.ceil(first / 2)
  return { total: first + retries, first, retries }
}
