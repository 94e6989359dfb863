// The buckets of a process without Redis, on a simulated clock.
import type { GuessBuckets } from '../../src/console/sign-in-limit.ts'
import { localBuckets } from '../../src/platform/redis/rate-limit.ts'
import type { SimulatedClock } from './simulated-clock.ts'

export function guessBuckets(clock: SimulatedClock) {
  const own = localBuckets(clock)
  const keys = new Set<string>()
  const limiter: GuessBuckets = {
    async take(keyId, rate, burst) {
      keys.add(keyId)
      const [allowed, , retryAfterMs] = own({ keyId, rate, burst, count: 1 })
      return { allowed: allowed === 1, retryAfterMs }
    },
    async giveBack(keyId, rate, burst) {
      own({ keyId, rate, burst, count: -1 })
    },
  }
  return { limiter, keys }
}
