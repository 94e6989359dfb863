// Gives every endpoint at which calls ring an owner, which keeps its socket open: after a restart of all, or when its
// last owner left.
import type { Clock } from '../../shared/clock.ts'
import type { EndpointId } from '../../shared/ids.ts'
import { pause } from '../../shared/pause.ts'
import type { createRingingStore } from '../store/endpoints.store.ts'
import { nextAfter, type SweepPorts } from './sweep-deliveries.ts'

export interface ReadyPorts extends Pick<SweepPorts, 'router'> {
  readonly endpoints: ReturnType<typeof createRingingStore>
  /** Processes that serve. Rejects while that is not known. */
  readonly servingSids: () => Promise<readonly string[]>
  readonly clock: Clock
  /** How many endpoints are read at once. */
  readonly most?: number
}

const maxRinging = 2_000
/** An owner that serves may have lost an endpoint with its line to Postgres, and the row still names it. */
const allEvery = 6
/**
 * Thousands that are told at the same moment would keep their gateway from calls for a third of a second. The next ones do
 * not wait for the answers, since a gateway may stand still.
 */
const atOnce = 20
const betweenMs = 20

/**
 * One round. Resolves to whether there is more to do now: rounds go through the endpoints without an owner in the order
 * of their ids, and each sixth goes on through all.
 */
export function createKeepReady({ endpoints, router, servingSids, clock, most = maxRinging }: ReadyPorts) {
  let rounds = 0
  let ofAll: EndpointId | null = null
  let ofOwnerless: EndpointId | null = null
  const tell = async (after: EndpointId | null, owners: readonly string[]) => {
    const ids = await endpoints.ringing({ after, owners, limit: most })
    const told: Promise<unknown>[] = []
    for (let from = 0; from < ids.length; from += atOnce) {
      if (from > 0) await pause(clock, betweenMs)
      const few = ids.slice(from, from + atOnce)
      // Who is not reached is told in another round.
      told.push(Promise.allSettled(few.map((id) => router.tell('endpoint', id, { type: 'stayReady' }))))
    }
    await Promise.all(told)
    return nextAfter(ids, most)
  }
  return async (): Promise<boolean> => {
    if (ofOwnerless === null && rounds % allEvery === 0) ofAll = await tell(ofAll, [])
    if (ofOwnerless === null) rounds += 1
    ofOwnerless = await tell(ofOwnerless, await servingSids().catch(() => []))
    return ofOwnerless !== null
  }
}
