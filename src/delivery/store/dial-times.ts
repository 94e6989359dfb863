// Handshake times that increase with each dial of an endpoint, whichever node dials and however late its
// clock is: a receiver that sees two sockets keeps the later one.

import type { Redis } from '../../platform/redis/client.ts'
import { keys } from '../../platform/redis/keys.ts'
import { loadScript, runScript } from '../../platform/redis/run-script.ts'
import type { Clock } from '../../shared/clock.ts'
import { Lru } from '../../shared/lru.ts'

const dialTimeScript = loadScript(import.meta.url, 'dial-time')

export interface DialTimes {
  /** Never rejects: without Redis the times increase on this node only. */
  next(endpointId: string): Promise<number>
}

/**
 * A receiver rejects a time that differs from its own by five minutes. A last dial that far ahead came from a
 * wrong clock: exceeding it would make every handshake fail until that time has come.
 */
const mostAheadMs = 4 * 60_000
const ttlMs = 3_600_000
/** Redis is asked while the connection is made, so a Redis that answers delays nothing. */
const limitMs = 250
const maxRemembered = 20_000

export function createDialTimes(redis: Redis, clock: Clock): DialTimes {
  const lastHere = new Lru<number>(maxRemembered)

  return {
    async next(endpointId) {
      const here = later(clock.now(), lastHere.get(endpointId) ?? 0)
      // Set at once, so that two dials that wait for Redis together get different times.
      lastHere.set(endpointId, here)
      const call = { keys: [keys.endpointState(endpointId)], args: [here, mostAheadMs, ttlMs], limitMs }
      const everywhere = await runScript<number>(redis, dialTimeScript, call).catch(() => here)
      lastHere.set(endpointId, Math.max(everywhere, lastHere.get(endpointId) ?? 0))
      return everywhere
    },
  }
}

const later = (now: number, last: number): number =>
  last >= now && last - now < mostAheadMs ? last + 1 : now
