// Token buckets of API keys, shared by all processes through Redis; a bucket of this process' own while Redis is away.
import { Batcher } from '../shared/batcher.ts'
import type { Clock } from '../shared/clock.ts'
import type { Redis } from './client.ts'
import { keys } from './keys.ts'
import { runScript, scripts } from './run-script.ts'

export interface RateDecision {
  readonly allowed: boolean
  /** Whole tokens left in the bucket. */
  readonly remaining: number
  /** Until a token is there; 0 when allowed. */
  readonly retryAfterMs: number
}

export interface RateLimiter {
  /** Never rejects, and never waits longer than a quarter of a second. Rate 0: unlimited. */
  take(keyId: string, ratePerSecond: number, burst: number): Promise<RateDecision>
}

interface Bucket {
  readonly keyId: string
  readonly rate: number
  readonly burst: number
}

/** allowed, whole tokens remaining, ms until a token is there. */
type Taken = readonly [number, number, number]

const limitMs = 250
/** A server that just failed to answer is not waited for again by the next request. */
const avoidMs = 1_000

const unlimited: RateDecision = { allowed: true, remaining: Number.MAX_SAFE_INTEGER, retryAfterMs: 0 }

export function createRateLimiter(redis: Redis, clock: Clock): RateLimiter {
  const own = localBuckets(clock)
  let avoidUntil = Number.NEGATIVE_INFINITY
  const shared = new Batcher<Bucket, Taken>({
    maxItems: 50,
    maxWaiting: 5_000,
    lanes: 8,
    flush: async (buckets) => {
      if (clock.mono() < avoidUntil) return buckets.map(own)
      try {
        return await runScript<Taken[]>(redis, scripts.takeToken, {
          keys: buckets.map(({ keyId }) => keys.rateLimit(keyId)),
          args: buckets.flatMap(({ rate, burst }) => [rate, burst]),
          limitMs,
        })
      } catch {
        avoidUntil = clock.mono() + avoidMs
        return buckets.map(own)
      }
    },
  })
  return {
    async take(keyId, rate, burst) {
      if (rate === 0) return unlimited
      const bucket = { keyId, rate, burst }
      const taken =
        clock.mono() < avoidUntil ? own(bucket) : await shared.add(bucket).catch(() => own(bucket))
      return decision(taken)
    },
  }
}

const decision = ([allowed, remaining, retryAfterMs]: Taken): RateDecision => ({
  allowed: allowed === 1,
  remaining,
  retryAfterMs,
})

const maxOwnBuckets = 10_000

function localBuckets(clock: Clock): (bucket: Bucket) => Taken {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return ({ keyId, rate, burst }) => {
    const now = clock.mono()
    const last = buckets.get(keyId) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, last.tokens + ((now - last.at) * rate) / 1_000)
    const allowed = tokens >= 1 ? 1 : 0
    // Memory for the outage only: what is dropped starts full again.
    if (buckets.size >= maxOwnBuckets) buckets.clear()
    buckets.set(keyId, { tokens: tokens - allowed, at: now })
    return [allowed, Math.floor(tokens - allowed), allowed ? 0 : Math.ceil(((1 - tokens) / rate) * 1_000)]
  }
}
