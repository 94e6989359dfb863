// The deliveries that a committed change passes to the owners of endpoints. Their rows exist already.
import type { DeliveryId, EndpointId, WorkspaceId } from '../shared/ids.ts'
import type { EventKind } from './events.ts'

/** A delivery, as returned by the statement that wrote it. */
export interface WrittenDelivery {
  readonly deliveryId: DeliveryId
  readonly eventId: string
  readonly endpointId: EndpointId
  readonly workspaceId: WorkspaceId
  readonly kind: EventKind
  /** The id of the conversation or call. First attempts of one key start in order. */
  readonly key: string
  /** The previous event of the same key, where several nodes may write events of that key. */
  readonly after: string | null
  readonly body: Uint8Array
}

/** The fast path. Nothing waits for it: the rows are committed, and the sweeper finds lost deliveries. */
export type Dispatch = (deliveries: readonly WrittenDelivery[]) => void
