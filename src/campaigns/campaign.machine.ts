// The state machine of campaigns, and the operations that each status allows. No other file defines either.
import type { CampaignStatus } from '../contract/records/campaign.ts'
import type { Machine } from '../shared/machine.ts'

export const campaignMachine: Machine<CampaignStatus> = {
  DRAFT: ['SCHEDULED', 'RUNNING'],
  // Pausing returns it to DRAFT, and so does an empty list at its time. A campaign that cannot begin, for example overdue,
  // is PAUSED with a reason.
  SCHEDULED: ['RUNNING', 'DRAFT', 'PAUSED', 'CANCELLED'],
  RUNNING: ['PAUSED', 'COMPLETED', 'CANCELLED'],
  PAUSED: ['RUNNING', 'CANCELLED'],
  COMPLETED: [],
  CANCELLED: [],
}

/** Operations that a client can request. */
export type CampaignOperation =
  | 'change'
  | 'adjust'
  | 'addRecipients'
  | 'removeRecipients'
  | 'start'
  | 'startNow'
  | 'pause'
  | 'cancel'
  | 'delete'

/** `adjust` changes only the name and the pace; `startNow` drops the start time. */
export const campaignOperations: Readonly<Record<CampaignOperation, readonly CampaignStatus[]>> = {
  change: ['DRAFT', 'SCHEDULED'],
  adjust: ['DRAFT', 'SCHEDULED', 'PAUSED'],
  addRecipients: ['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED'],
  removeRecipients: ['DRAFT', 'SCHEDULED', 'PAUSED'],
  start: ['DRAFT', 'PAUSED'],
  startNow: ['DRAFT', 'SCHEDULED', 'PAUSED'],
  pause: ['SCHEDULED', 'RUNNING'],
  cancel: ['SCHEDULED', 'RUNNING', 'PAUSED'],
  delete: ['DRAFT', 'COMPLETED', 'CANCELLED'],
}

/** Statuses in which the operation is done already: repeating it changes nothing. */
export const alreadyHolds: Readonly<
  Record<'start' | 'startNow' | 'pause' | 'cancel', readonly CampaignStatus[]>
> = {
  start: ['SCHEDULED', 'RUNNING'],
  startNow: ['RUNNING'],
  pause: ['PAUSED'],
  cancel: ['CANCELLED'],
}

export const allows = (operation: CampaignOperation, status: CampaignStatus): boolean =>
  campaignOperations[operation].includes(status)
