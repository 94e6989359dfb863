// Handshake times that rise from dial to dial of an endpoint, whichever node dials and however far its clock is behind:
// a receiver that sees two sockets takes the later one (architecture 3.8).
import type { Clock } from '../shared/clock.ts'
import { Lru } from '../shared/lru.ts'
import type { Redis } from './client.ts'
import { keys } from './keys.ts'
import { runScript, scripts } from './run-script.ts'

export interface DialTimes {
  /** Never rejects: without Redis the times rise on this node alone. */
  next(endpointId: string): Promise<number>
}

/**
 * A receiver refuses a time that is five minutes off its own. A last dial that far ahead came from a clock that was
 * wrong: to rise above it would keep the endpoint dark until that time has come.
 */
const mostAheadMs = 4 * 60_000
const ttlMs = 3_600_000
/** Asked while the connection is being made, so a Redis that answers delays nothing. */
const limitMs = 250
const maxRemembered = 20_000

export function createDialTimes(redis: Redis, clock: Clock): DialTimes {
  const lastHere = new Lru<number>(maxRemembered)

  return {
    async next(endpointId) {
      const here = later(clock.now(), lastHere.get(endpointId) ?? 0)
      // At once, so that of two dials that wait for Redis together each has its own.
      lastHere.set(endpointId, here)
      const call = { keys: [keys.endpointState(endpointId)], args: [here, mostAheadMs, ttlMs], limitMs }
      const everywhere = await runScript<number>(redis, scripts.dialTime, call).catch(() => here)
      lastHere.set(endpointId, Math.max(everywhere, lastHere.get(endpointId) ?? 0))
      return everywhere
    },
  }
}

const later = (now: number, last: number): number =>
  last >= now && last - now < mostAheadMs ? last + 1 : now
