// The call record and its statuses.
import type { Direction } from './message.ts'

export const callStatuses = [
  'INITIATED',
  'RINGING',
  'ACCEPTED',
  'COMPLETED',
  'MISSED',
  'DECLINED',
  'REJECTED',
  'NO_ANSWER',
  'CANCELLED',
  'FAILED',
] as const
export type CallStatus = (typeof callStatuses)[number]

export const liveCallStatuses = ['INITIATED', 'RINGING', 'ACCEPTED'] as const satisfies readonly CallStatus[]

export interface ForwardError {
  code: string
  message: string
  endpointId: string | null
  at: string
}

export interface CallRecord {
  id: string
  wacid: string | null
  direction: Direction
  status: CallStatus
  from: string
  fromName: string | null
  to: string
  numberId: string
  phoneNumberId: string
  conversationId: string
  contactWaId: string
  userId: string | null
  username: string | null
  ringingAt: string | null
  acceptedAt: string | null
  endedAt: string | null
  durationSeconds: number | null
  endReason: string | null
  lastForwardError: ForwardError | null
  createdAt: string
}
