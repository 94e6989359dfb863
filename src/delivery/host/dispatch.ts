// The fast path from a committed change to the owners of its endpoints. It is never awaited: what does not
// arrive is in the store, and the sweeper wakes its owner.
import type { Dispatch, WrittenDelivery } from '../../contract/dispatch.ts'
import type { DirectEventKind } from '../../contract/events.ts'
import type { AskResult, TellResult } from '../../platform/actors/mailbox-entry.ts'
import type { Clock } from '../../shared/clock.ts'
import { failpoint } from '../../shared/failpoint.ts'
import type { EndpointId } from '../../shared/ids.ts'
import { mark } from '../../shared/marks.ts'
import type { EndpointMessage } from '../endpoint.messages.ts'
import type { DirectResult, QueuedItem } from '../endpoint.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'

/** Finds the owner of an endpoint, on this node or another. */
export interface EndpointRouter {
  ask(kind: 'endpoint', id: string, message: EndpointMessage, deadlineMs: number): Promise<AskResult>
  tell(kind: 'endpoint', id: string, message: EndpointMessage): Promise<TellResult>
}

export interface HandOver {
  tell(kind: 'endpoint', id: string, message: EndpointMessage): Promise<unknown>
}

/** Items behind the hand-over that is under way. Beyond this the rows wait for the sweeper. */
const mostWaiting = 1_000
const mostInAll = 50_000
/** Per message to another node, because its body has a limit. */
const mostItems = 100
const mostBytes = 256 * 1024

export const toItem = (written: WrittenDelivery): QueuedItem => ({
  deliveryId: written.deliveryId,
  eventId: written.eventId,
  kind: written.kind,
  key: written.key,
  after: written.after,
  body: textOf(written.body),
  attemptNumber: 1,
  replay: false,
})

const textOf = (body: Uint8Array): string =>
  Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')

/** One hand-over per endpoint is under way at a time. What is written meanwhile goes with the next one. */
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
      mark('committed', delivery.body)
      const items = waiting.get(delivery.endpointId)
      if (!items) void handOver(delivery.endpointId, [toItem(delivery)])
      else if (items.length < mostWaiting && inAll < mostInAll) {
        items.push(toItem(delivery))
        inAll += 1
      }
    }
  }
}

/** Takes as many items from the front as one message holds, and at least one. */
function takeSome(items: QueuedItem[]): QueuedItem[] {
  let count = 0
  for (let bytes = 0; count < Math.min(items.length, mostItems); count += 1) {
    bytes += items[count]?.body.length ?? 0
    if (count > 0 && bytes > mostBytes) break
  }
  return items.splice(0, count)
}

/** A direct event waits this long for an owner; its own five seconds start when the owner has it. */
const directLimitMs = 12_000

/** A direct event: one attempt within five seconds, no row. */
export interface DirectEvent {
  readonly endpointId: EndpointId
  readonly kind: DirectEventKind
  readonly body: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
}

export function createDirect(router: EndpointRouter, metrics: DeliveryMetrics, clock: Clock) {
  return {
    send: ({ endpointId, kind, body, headers = {} }: DirectEvent): Promise<DirectResult> =>
      metrics.direct(async () => {
        mark('committed', body)
        const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
        const item = { kind, body: text, headers, askedAtMs: clock.now() }
        const result = await router.ask('endpoint', endpointId, { type: 'direct', item }, directLimitMs)
        if (result.type === 'answered') return result.value as DirectResult
        return { type: 'failed', ...unreached(result.type) }
      }),
  }
}

function unreached(type: Exclude<AskResult['type'], 'answered'>): { code: string; message: string } {
  if (type === 'notFound') return { code: 'ENDPOINT_GONE', message: 'the endpoint does not exist any more' }
  if (type === 'full') return { code: 'OVERLOADED', message: 'endpoint overloaded' }
  if (type === 'timedOut') return { code: 'TIMEOUT', message: 'no answer came in time' }
  return { code: 'UNAVAILABLE', message: 'no gateway could take the event' }
}

/** Hints to owners after a commit. A lost hint costs only a moment, because owners check for themselves. */
export const createEngine = (router: EndpointRouter) => ({
  configChanged: (id: EndpointId) => void router.tell('endpoint', id, { type: 'configChanged' }),
  wake(ids: readonly EndpointId[]) {
    for (const id of ids) void router.tell('endpoint', id, { type: 'wake' })
  },
})
