// Delivery states.

export const deliveryStates = [
  'PENDING',
  'RETRYING',
  'DELIVERED',
  'FAILED',
  'HELD',
  'DISCARDED',
  'BLOCKED',
] as const
export type DeliveryState = (typeof deliveryStates)[number]
