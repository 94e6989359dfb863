// The fast path from a committed change to the owners of its endpoints. Nobody waits: what does not arrive is in the
// store, and the sweeper wakes its owner.
import type { Dispatch, WrittenDelivery } from '../contract/dispatch.ts'
import { failpoint } from '../shared/failpoint.ts'
import type { EndpointMessage, QueuedItem } from '../webhooks/endpoint.ts'

export interface HandOver {
  tell(kind: 'endpoint', id: string, message: EndpointMessage): Promise<unknown>
}

/** Behind one hand-over that is under way; past it the rows wait for the sweeper. */
const mostWaiting = 1_000
const mostInAll = 50_000
/** Of one message to another node, whose body has a limit. */
const mostItems = 100
const mostBytes = 256 * 1024

export const toItem = ({ body, ...written }: WrittenDelivery): QueuedItem => ({
  deliveryId: written.deliveryId,
  eventId: written.eventId,
  kind: written.kind,
  key: written.key,
  after: written.after,
  body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'),
  attemptNumber: 1,
  replay: false,
})

/** One hand-over to an endpoint is under way at a time, and what is written meanwhile goes with the next. */
export function createDispatch(router: HandOver): Dispatch {
  const waiting = new Map<string, QueuedItem[]>()
  let inAll = 0

  async function handOver(endpointId: string, items: QueuedItem[]): Promise<void> {
    waiting.set(endpointId, items)
    inAll += items.length
    while (items.length > 0) {
      const taken = takeSome(items)
      inAll -= taken.length
      const message = { type: 'deliver', items: taken } as const
      await router.tell('endpoint', endpointId, message).catch(() => undefined)
    }
    waiting.delete(endpointId)
  }

  return (deliveries) => {
    if (deliveries.length > 0) failpoint('after_commit_before_handoff')
    for (const delivery of deliveries) {
      const items = waiting.get(delivery.endpointId)
      if (!items) void handOver(delivery.endpointId, [toItem(delivery)])
      else if (items.length < mostWaiting && inAll < mostInAll) {
        items.push(toItem(delivery))
        inAll += 1
      }
    }
  }
}

/** From the front, as many as one message holds, and one at least. */
function takeSome(items: QueuedItem[]): QueuedItem[] {
  let count = 0
  for (let bytes = 0; count < Math.min(items.length, mostItems); count += 1) {
    bytes += items[count]?.body.length ?? 0
    if (count > 0 && bytes > mostBytes) break
  }
  return items.splice(0, count)
}
