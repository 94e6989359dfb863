// Gives every endpoint at which calls ring an owner, which keeps its socket open: after a restart of all, or when its
// last owner left.
import type { EndpointId } from '../../shared/ids.ts'
import type { createRingingStore } from '../store/endpoints.store.ts'
import { type SweepPorts, tellPage } from './sweep-deliveries.ts'

export interface ReadyPorts extends Pick<SweepPorts, 'router'> {
  readonly endpoints: ReturnType<typeof createRingingStore>
  /** Processes that serve. Rejects while that is not known. */
  readonly servingSids: () => Promise<readonly string[]>
  /** How many endpoints are told at once. */
  readonly most?: number
}

const maxRinging = 2_000
/** An owner that serves may have lost an endpoint with its line to Postgres, and the row still names it. */
const allEvery = 6

/**
 * One round. Resolves to whether there is more to do now: rounds go through the endpoints without an owner in the order
 * of their ids, and each sixth goes on through all.
 */
export function createKeepReady({ endpoints, router, servingSids, most = maxRinging }: ReadyPorts) {
  let rounds = 0
  let ofAll: EndpointId | null = null
  let ofOwnerless: EndpointId | null = null
  const tell = async (after: EndpointId | null, owners: readonly string[]) => {
    const ids = await endpoints.ringing({ after, owners, limit: most })
    return tellPage(router, ids, { message: { type: 'stayReady' }, limit: most })
  }
  return async (): Promise<boolean> => {
    if (ofOwnerless === null && rounds % allEvery === 0) ofAll = await tell(ofAll, [])
    if (ofOwnerless === null) rounds += 1
    ofOwnerless = await tell(ofOwnerless, await servingSids().catch(() => []))
    return ofOwnerless !== null
  }
}
