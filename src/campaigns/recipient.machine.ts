// The table of recipient statuses (decisions 4). As with messages, a skipped step is taken and a late one is not.
import type { RecipientStatus } from '../contract/records/campaign.ts'
import type { Machine } from '../shared/machine.ts'

export const recipientMachine: Machine<RecipientStatus> = {
  // Beyond a claim: the provider speaks of an earlier try that it had refused, so it has the message after all.
  PENDING: ['QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'SKIPPED', 'CANCELLED'],
  // Back to PENDING: nothing was sent, for certain. So it ends at once where the campaign is CANCELLED meanwhile.
  QUEUED: ['PENDING', 'CANCELLED', 'HELD', 'UNKNOWN', 'SENT', 'DELIVERED', 'READ', 'FAILED'],
  HELD: ['SENT', 'DELIVERED', 'READ', 'FAILED'],
  // To QUEUED: an operator has it sent again. To PENDING: the answer came after all, and it was a no.
  UNKNOWN: ['QUEUED', 'PENDING', 'CANCELLED', 'HELD', 'SENT', 'DELIVERED', 'READ', 'FAILED'],
  SENT: ['DELIVERED', 'READ', 'FAILED'],
  DELIVERED: ['READ'],
  READ: [],
  FAILED: [],
  SKIPPED: [],
  CANCELLED: [],
}
