// Token buckets of API keys, shared by all processes through Redis. While Redis is unavailable, each process
// uses its own buckets.
import { Batcher } from '../../shared/batcher.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Redis } from './client.ts'
import { keys } from './keys.ts'
import { loadScript, runScript } from './run-script.ts'

const takeTokenScript = loadScript(import.meta.url, 'take-token')

export interface RateDecision {
  readonly allowed: boolean
  /** Whole tokens left in the bucket. */
  readonly remaining: number
  /** Time until the next token; 0 when allowed. */
  readonly retryAfterMs: number
}

export interface RateLimiter {
  /** Never rejects, and waits at most a quarter of a second. Rate 0: unlimited. */
  take(keyId: string, ratePerSecond: number, burst: number): Promise<RateDecision>
}

interface Bucket {
  readonly keyId: string
  readonly rate: number
  readonly burst: number
}

/** Allowed (0 or 1), whole tokens remaining, ms until the next token. */
type Taken = readonly [number, number, number]

const limitMs = 250
/** After a failure, do not ask Redis for this long: the next requests must not wait for the timeout, too. */
const avoidMs = 1_000

const unlimited: RateDecision = { allowed: true, remaining: Number.MAX_SAFE_INTEGER, retryAfterMs: 0 }

export function createRateLimiter(redis: Redis, clock: Clock): RateLimiter {
  const own = localBuckets(clock)
  let avoidUntil = Number.NEGATIVE_INFINITY
  const shared = new Batcher<Bucket, Taken>({
    maxItems: 50,
    maxWaiting: 5_000,
    concurrency: 8,
    flush: async (buckets) => {
      if (clock.mono() < avoidUntil) return buckets.map(own)
      try {
        return await runScript<Taken[]>(redis, takeTokenScript, {
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
    // Local buckets matter only during an outage. A dropped bucket starts full again.
    if (buckets.size >= maxOwnBuckets) buckets.clear()
    buckets.set(keyId, { tokens: tokens - allowed, at: now })
    return [allowed, Math.floor(tokens - allowed), allowed ? 0 : Math.ceil(((1 - tokens) / rate) * 1_000)]
  }
}
