// What a worker does for deliveries. The endpoint's owner makes every attempt; a worker only says when.

import type { DeliveryId, EndpointId, WorkspaceId } from '../../shared/ids.ts'
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

const maxEndpoints = 1_000
const maxHeld = 1_000

/**
 * A retry timer fired. It is stale when the row has moved on. If the owner cannot be reached, the sweep
 * follows.
 */
export async function retry({ deliveries, router }: SweepPorts, job: RetryJob): Promise<void> {
  const due = await deliveries.dueRetry(job.deliveryId as DeliveryId, job.attemptNumber)
  if (due) await router.tell('endpoint', due.endpointId, { type: 'deliver', items: [due.item] })
}

/**
 * Wakes the owners of endpoints with rows that waited too long: after a crash, a lost timer or a lost hint.
 * Returns true when more deliveries of disabled endpoints may have to be held.
 */
export async function sweepDeliveries({ deliveries, router, woken }: SweepPorts): Promise<boolean> {
  const overdue = await deliveries.overdueEndpoints(maxEndpoints)
  woken(overdue.length)
  await Promise.all(overdue.map((id) => router.tell('endpoint', id, { type: 'wake' })))
  const held = await deliveries.holdForDisabled(maxHeld)
  return held === maxHeld
}

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
