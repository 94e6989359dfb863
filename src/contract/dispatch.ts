// What a committed change hands to the endpoint owners: deliveries that are already rows.
import type { DeliveryId, EndpointId, WorkspaceId } from '../shared/ids.ts'
import type { EventKind } from './events.ts'

/** A delivery as the statement that wrote it returned it. */
export interface WrittenDelivery {
  readonly deliveryId: DeliveryId
  readonly eventId: string
  readonly endpointId: EndpointId
  readonly workspaceId: WorkspaceId
  readonly kind: EventKind
  /** The conversation or call: first attempts of one key start in order. */
  readonly key: string
  /** The event before it of the same key, where several nodes may write events of that key. */
  readonly after: string | null
  readonly body: Uint8Array
}

/** The fast path. Never waited for: the rows are committed, and the sweeper finds what got lost. */
export type Dispatch = (deliveries: readonly WrittenDelivery[]) => void
