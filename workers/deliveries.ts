// Retries of queued deliveries. The endpoint's owner makes every attempt, first or later; a worker only says when.
import type { RetryJob } from '../src/queue/queues.ts'
import type { DeliveryId } from '../src/shared/ids.ts'
import type { DeliveryStore } from '../src/store/deliveries.store.ts'
import type { EndpointRouter } from '../src/wiring/bind-webhooks.ts'

export interface DeliveryWork {
  readonly deliveries: Pick<DeliveryStore, 'dueRetry' | 'overdueEndpoints' | 'holdForDisabled'>
  readonly router: Pick<EndpointRouter, 'tell'>
  readonly woken: (endpoints: number) => void
}

const maxEndpoints = 1_000
const maxHeld = 1_000

/** A timer rang. A row that has moved on since makes it stale; an owner that cannot be reached leaves it to the sweep. */
export async function retry({ deliveries, router }: DeliveryWork, job: RetryJob): Promise<void> {
  const due = await deliveries.dueRetry(job.deliveryId as DeliveryId, job.attemptNumber)
  if (due) await router.tell('endpoint', due.endpointId, { type: 'deliver', items: [due.item] })
}

/** Wakes the owners of endpoints with rows that waited too long: a crash, a lost timer, a lost hint. */
export async function sweepDeliveries({ deliveries, router, woken }: DeliveryWork): Promise<boolean> {
  const overdue = await deliveries.overdueEndpoints(maxEndpoints)
  woken(overdue.length)
  await Promise.all(overdue.map((id) => router.tell('endpoint', id, { type: 'wake' })))
  const held = await deliveries.holdForDisabled(maxHeld)
  return held === maxHeld
}
