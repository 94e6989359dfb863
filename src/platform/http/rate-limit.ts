// Token buckets as the pipeline uses them, and the two rate headers of a response
// (draft-ietf-httpapi-ratelimit-headers: a policy is `q` requests in a window of `w` seconds).
import { AppError } from '../../contract/errors.ts'

export interface Bucket {
  readonly key: string
  /** 0: unlimited. */
  readonly ratePerSecond: number
  readonly burst: number
}

export interface BucketState {
  readonly allowed: boolean
  readonly remaining: number
  /** Time until the next token; 0 while the bucket has tokens. */
  readonly retryAfterMs: number
}

/** Takes one token. A rejection fails the request, so an implementation falls back to local buckets. */
export interface RateLimiter {
  take(key: string, ratePerSecond: number, burst: number): Promise<BucketState>
}

export type RateHeaders = Readonly<Record<'ratelimit-policy' | 'ratelimit', string>>

/** The burst is twice the rate: 100 a second gives a burst of 200. */
export const burstOf = (ratePerSecond: number): number => ratePerSecond * 2

// The largest integer of a structured header field, because the header cannot express "unlimited".
const unlimited = 999_999_999_999_999

const unlimitedHeaders: RateHeaders = {
  'ratelimit-policy': `"key";q=${unlimited};w=1`,
  ratelimit: `"key";r=${unlimited};t=0`,
}

export function rateHeaders(bucket: Bucket, remaining: number): RateHeaders {
  const { ratePerSecond, burst } = bucket
  if (ratePerSecond === 0) return unlimitedHeaders
  const window = Math.ceil(burst / ratePerSecond)
  const whole = Math.max(0, Math.floor(remaining))
  const fullInSeconds = Math.ceil((burst - whole) / ratePerSecond)
  return {
    'ratelimit-policy': `"key";q=${burst};w=${window}`,
    ratelimit: `"key";r=${whole};t=${fullInSeconds}`,
  }
}

export function rateLimited(state: BucketState): AppError {
  return new AppError('RATE_LIMITED', 'too many requests for this key; wait as long as Retry-After says', {
    retryAfterSeconds: Math.max(1, Math.ceil(state.retryAfterMs / 1000)),
  })
}
