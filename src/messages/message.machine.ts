// Statuses of an outbound message, forward only: a skipped step is taken, a late one is not (decisions 2).
import type { MessageStatus } from '../contract/records/message.ts'
import type { Machine } from '../shared/machine.ts'

export type OutboundStatus = Exclude<MessageStatus, 'RECEIVED'>

export const outboundMachine: Machine<OutboundStatus> = {
  QUEUED: ['SENT', 'DELIVERED', 'READ', 'FAILED'],
  SENT: ['DELIVERED', 'READ', 'FAILED'],
  DELIVERED: ['READ'],
  READ: [],
  FAILED: [],
}
