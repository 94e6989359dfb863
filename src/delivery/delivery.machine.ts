// The state machine of deliveries.
import type { DeliveryState } from '../contract/records/delivery.ts'
import type { Machine } from '../shared/machine.ts'

export const deliveryMachine: Machine<DeliveryState> = {
  PENDING: ['RETRYING', 'DELIVERED', 'FAILED', 'BLOCKED', 'HELD', 'DISCARDED'],
  RETRYING: ['DELIVERED', 'FAILED', 'BLOCKED', 'HELD', 'DISCARDED'],
  // Also HELD during an attempt, whose result still counts. To PENDING: an operator replays the delivery.
  HELD: ['PENDING', 'DELIVERED', 'FAILED', 'BLOCKED', 'DISCARDED'],
  // An operator can replay every finished delivery. A replay that fails leaves a delivered one delivered: the
  // row goes from PENDING, or from HELD, back to DELIVERED.
  DELIVERED: ['PENDING'],
  FAILED: ['PENDING'],
  BLOCKED: ['PENDING'],
  DISCARDED: ['PENDING'],
}
