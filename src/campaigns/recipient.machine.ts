// The table of recipient statuses (decisions 4). As with messages, a skipped step is taken and a late one is not.
import type { RecipientStatus } from '../contract/records/campaign.ts'
import type { Machine } from '../shared/machine.ts'

export const recipientMachine: Machine<RecipientStatus> = {
  PENDING: ['QUEUED', 'SKIPPED', 'CANCELLED'],
  // Back to PENDING: a claim that wrote nothing to the provider.
  QUEUED: ['PENDING', 'HELD', 'UNKNOWN', 'SENT', 'DELIVERED', 'READ', 'FAILED'],
  HELD: ['SENT', 'DELIVERED', 'READ', 'FAILED'],
  // Back to PENDING: an operator has it sent again.
  UNKNOWN: ['PENDING', 'HELD', 'SENT', 'DELIVERED', 'READ', 'FAILED'],
  SENT: ['DELIVERED', 'READ', 'FAILED'],
  DELIVERED: ['READ'],
  READ: [],
  FAILED: [],
  SKIPPED: [],
  CANCELLED: [],
}
