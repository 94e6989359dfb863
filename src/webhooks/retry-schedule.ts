import { limits } from '../contract/limits.ts'

const MAX_JITTER_SHARE = 0.05
const MAX_JITTER_MS = 15_000

/**
 * When the next attempt is due; null after the last one. Attempts count from one, so five delays separate six attempts.
 * `retryAfterMs` and the jitter only ever lengthen: a receiver is never tried earlier than the schedule promises.
 */
export function nextRetryAt(failed: {
  attemptNumber: number
  failedAt: Date
  delaysMs: readonly number[]
  retryAfterMs: number | null
  random: () => number
}): Date | null {
  const delayMs = failed.delaysMs[failed.attemptNumber - 1]
  if (delayMs === undefined) return null
  const hintMs = Math.min(failed.retryAfterMs ?? 0, limits.retryAfterCapMs)
  const waitMs = Math.max(delayMs, hintMs)
  // Receivers that went down together must not be called again in lockstep.
  const jitterMs = failed.random() * Math.min(waitMs * MAX_JITTER_SHARE, MAX_JITTER_MS)
  return new Date(failed.failedAt.getTime() + Math.ceil(waitMs + jitterMs))
}

/** What a `Retry-After` header asks for, as seconds or as an HTTP date; null unless the status is 429 or 503. */
export function retryAfterMs(statusCode: number, header: string | undefined, now: Date): number | null {
  if (header === undefined || (statusCode !== 429 && statusCode !== 503)) return null
  const text = header.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, limits.retryAfterCapMs)
  // Date.parse takes far more than dates of HTTP, a bare negative number for one.
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) return null
  return Math.min(Math.max(at - now.getTime(), 0), limits.retryAfterCapMs)
}
