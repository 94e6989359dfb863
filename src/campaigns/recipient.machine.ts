// The state machine of recipients. As with messages, a status may skip steps, and a late status is ignored.
import type { RecipientStatus } from '../contract/records/campaign.ts'
import { type Machine, sourcesOf } from '../shared/machine.ts'

export const recipientMachine: Machine<RecipientStatus> = {
  // To SENT and later: the provider reports a status for an earlier try, although it had refused that.
  // To UNKNOWN: its campaign was completed meanwhile, so no claim takes it any more and an operator decides.
  PENDING: ['QUEUED', 'UNKNOWN', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'SKIPPED', 'CANCELLED'],
  // To PENDING: certainly nothing was sent. If the campaign was cancelled meanwhile, to CANCELLED instead.
  QUEUED: ['PENDING', 'CANCELLED', 'HELD', 'UNKNOWN', 'SENT', 'DELIVERED', 'READ', 'FAILED'],
  HELD: ['SENT', 'DELIVERED', 'READ', 'FAILED'],
  // To QUEUED: an operator sends it again. To PENDING: a late answer says that nothing was sent.
  UNKNOWN: ['QUEUED', 'PENDING', 'CANCELLED', 'HELD', 'SENT', 'DELIVERED', 'READ', 'FAILED'],
  SENT: ['DELIVERED', 'READ', 'FAILED'],
  DELIVERED: ['READ'],
  READ: [],
  FAILED: [],
  SKIPPED: [],
  CANCELLED: [],
}

/** A claim sends to a recipient or skips it, so it takes only those that may still be skipped. */
export const claimableStatuses = sourcesOf(recipientMachine, 'SKIPPED')
