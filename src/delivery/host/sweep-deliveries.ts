// What a worker does for deliveries. The endpoint's owner makes every attempt; a worker only says when.

import type { Clock } from '../../shared/clock.ts'
import type { DeliveryId, EndpointId, WorkspaceId } from '../../shared/ids.ts'
import { pause } from '../../shared/pause.ts'
import type { EndpointMessage } from '../endpoint.messages.ts'
import type { DeliveryStore } from '../store/deliveries.store.ts'
import type { EndpointRouter } from './dispatch.ts'
import type { RetryJob } from './retry-queue.ts'

export interface SweepPorts {
  readonly deliveries: Pick<DeliveryStore, 'dueRetry' | 'overdueEndpoints' | 'holdForDisabled'>
  readonly router: { tell(kind: 'endpoint', id: string, message: EndpointMessage): Promise<unknown> }
  readonly woken: (endpoints: number) => void
}

export interface ReadAnewPorts {
  readonly owned: (workspaceId: WorkspaceId) => Promise<EndpointId[]>
  readonly router: Pick<EndpointRouter, 'tell'>
}

/** Another process takes only so many messages at once from this one (../../platform/cluster/room.ts). */
const maxEndpoints = 200
const maxHeld = 1_000

/**
 * A retry timer fired. It is stale when the row has moved on. If the owner cannot be reached, the sweep
 * follows.
 */
export async function retry(
  { deliveries, router, clock }: SweepPorts & { readonly clock: Clock },
  job: RetryJob,
): Promise<void> {
  const due = await deliveries.dueRetry(job.deliveryId as DeliveryId, job.attemptNumber)
  if (!due) return
  if (due.leftMs > 0) await pause(clock, due.leftMs)
  await router.tell('endpoint', due.endpointId, { type: 'deliver', items: [due.item] })
}

/**
 * One round. Wakes the owners of endpoints with rows that waited too long: after a crash, a lost timer or a lost hint. Each
 * round goes on behind the one before, so that slow endpoints do not keep the others from their turn. Resolves to whether
 * there is more to do now: endpoints, or deliveries of disabled ones that have to be held.
 */
export function createSweep({ deliveries, router, woken }: SweepPorts): () => Promise<boolean> {
  let last: EndpointId | null = null
  return async () => {
    const overdue = await deliveries.overdueEndpoints(last, maxEndpoints)
    woken(overdue.length)
    await Promise.all(overdue.map((id) => router.tell('endpoint', id, { type: 'wake' })))
    last = nextAfter(overdue, maxEndpoints)
    const held = await deliveries.holdForDisabled(maxHeld)
    return held === maxHeld || last !== null
  }
}

/** Behind which id the page after this one begins, in their order; null: the next one is the first. */
export const nextAfter = (page: readonly EndpointId[], limit: number): EndpointId | null =>
  page.length < limit ? null : (page.at(-1) ?? null)

/**
 * Has the owners of the workspace's endpoints read again what waits, after rows of it were erased. False where an owner
 * was not reached and may still send them. An endpoint without an owner is read when it gets one.
 */
export async function readAnew({ owned, router }: ReadAnewPorts, workspaceId: WorkspaceId): Promise<boolean> {
  const told = await Promise.all(
    (await owned(workspaceId)).map((id) => router.tell('endpoint', id, { type: 'wake', isAnew: true })),
  )
  return told.every(({ type }) => type === 'accepted' || type === 'notFound')
}
