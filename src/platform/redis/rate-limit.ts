// Token buckets of API keys and of guesses at passwords, shared by all processes through Redis. While Redis is
// unavailable, each process uses its own buckets.
import { Batcher } from '../../shared/batcher.ts'
import type { Clock } from '../../shared/clock.ts'
import { Lru } from '../../shared/lru.ts'
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
  /** Puts a token back that was taken for nothing. Never rejects; a bucket holds no more than its burst. */
  giveBack(keyId: string, ratePerSecond: number, burst: number): Promise<void>
}

interface Bucket {
  readonly keyId: string
  readonly rate: number
  readonly burst: number
  /** Tokens to take: -1 gives one back. */
  readonly count: 1 | -1
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
          args: buckets.flatMap(({ rate, burst, count }) => [rate, burst, count]),
          limitMs,
        })
      } catch {
        avoidUntil = clock.mono() + avoidMs
        return buckets.map(own)
      }
    },
  })
  const ask = async (bucket: Bucket): Promise<Taken> =>
    clock.mono() < avoidUntil ? own(bucket) : shared.add(bucket).catch(() => own(bucket))
  return {
    take: async (keyId, rate, burst) =>
      rate === 0 ? unlimited : decision(await ask({ keyId, rate, burst, count: 1 })),
    async giveBack(keyId, rate, burst) {
      if (rate > 0) await ask({ keyId, rate, burst, count: -1 })
    },
  }
}

const decision = ([allowed, remaining, retryAfterMs]: Taken): RateDecision => ({
  allowed: allowed === 1,
  remaining,
  retryAfterMs,
})

const maxOwnBuckets = 10_000

/** The buckets of this process alone, for outages. Of too many, the one that was unused longest starts anew. */
export function localBuckets(clock: Clock): (bucket: Bucket) => Taken {
  const buckets = new Lru<{ tokens: number; at: number }>(maxOwnBuckets)
  return ({ keyId, rate, burst, count }) => {
    const now = clock.mono()
    const last = buckets.get(keyId) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, last.tokens + ((now - last.at) * rate) / 1_000)
    const allowed = tokens >= count ? 1 : 0
    const left = Math.min(burst, tokens - allowed * count)
    buckets.set(keyId, { tokens: left, at: now })
    return [allowed, Math.floor(left), allowed ? 0 : Math.ceil(((1 - tokens) / rate) * 1_000)]
  }
}
