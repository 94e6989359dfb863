import { limits } from '../contract/limits.ts'

const MAX_JITTER_SHARE = 0.05
const MAX_JITTER_MS = 15_000

/**
 * When the next attempt is due; null after the last one. Attempts count from one, so five delays separate six
 * attempts. `retryAfterMs` and the jitter only lengthen a delay: no attempt is earlier than the schedule
 * promises.
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
  // Receivers that failed together must not all be called again at the same moment.
  const jitterMs = failed.random() * Math.min(waitMs * MAX_JITTER_SHARE, MAX_JITTER_MS)
  return new Date(failed.failedAt.getTime() + Math.ceil(waitMs + jitterMs))
}

/**
 * The delay in ms that a `Retry-After` header requests, in seconds or as an HTTP date. Null when the header
 * is invalid, or the status is not 429 or 503. `now` is the receiver's, where it told its time: its clock may
 * differ from ours. HTTP has whole seconds only, so a fraction is rounded up: never earlier than asked for.
 */
export function retryAfterMs(statusCode: number, header: string | undefined, now: Date): number | null {
  if (header === undefined || (statusCode !== 429 && statusCode !== 503)) return null
  const text = header.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text)) * 1000, limits.retryAfterCapMs)
  const at = httpDate(text)
  return at && Math.min(Math.max(at.getTime() - now.getTime(), 0), limits.retryAfterCapMs)
}

/** Null where the text is no date of HTTP. */
export function httpDate(text: string): Date | null {
  // Date.parse accepts far more than HTTP dates, for example a bare negative number.
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : new Date(at)
}
