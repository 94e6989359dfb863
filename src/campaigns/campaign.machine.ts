// The table of campaign statuses, and what may be done to a campaign in each: the only place that says either.
import type { CampaignStatus } from '../contract/records/campaign.ts'
import type { Machine } from '../shared/machine.ts'

export const campaignMachine: Machine<CampaignStatus> = {
  DRAFT: ['SCHEDULED', 'RUNNING'],
  // Pausing takes the schedule back (DRAFT); one that cannot begin, such as an overdue one, is PAUSED with a reason.
  SCHEDULED: ['RUNNING', 'DRAFT', 'PAUSED', 'CANCELLED'],
  RUNNING: ['PAUSED', 'COMPLETED', 'CANCELLED'],
  PAUSED: ['RUNNING', 'CANCELLED'],
  COMPLETED: [],
  CANCELLED: [],
}

/** What may be asked of a campaign. */
export type CampaignOperation =
  | 'change'
  | 'adjust'
  | 'addRecipients'
  | 'removeRecipients'
  | 'start'
  | 'pause'
  | 'cancel'
  | 'delete'

/** `adjust` is a change of nothing but the name and the pace. */
export const campaignOperations: Readonly<Record<CampaignOperation, readonly CampaignStatus[]>> = {
  change: ['DRAFT', 'SCHEDULED'],
  adjust: ['DRAFT', 'SCHEDULED', 'PAUSED'],
  addRecipients: ['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED'],
  removeRecipients: ['DRAFT', 'SCHEDULED', 'PAUSED'],
  start: ['DRAFT', 'PAUSED'],
  pause: ['SCHEDULED', 'RUNNING'],
  cancel: ['SCHEDULED', 'RUNNING', 'PAUSED'],
  delete: ['DRAFT', 'COMPLETED', 'CANCELLED'],
}

/** Where an operation holds already: asking for it again changes nothing. */
export const alreadyHolds: Readonly<Record<'start' | 'pause' | 'cancel', readonly CampaignStatus[]>> = {
  start: ['SCHEDULED', 'RUNNING'],
  pause: ['PAUSED'],
  cancel: ['CANCELLED'],
}

export const allows = (operation: CampaignOperation, status: CampaignStatus): boolean =>
  campaignOperations[operation].includes(status)
