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

/** What building a campaign consists of. */
export type CampaignOperation = 'change' | 'adjust' | 'addRecipients' | 'removeRecipients' | 'delete'

/** `adjust` is a change of nothing but the name and the pace. */
export const campaignOperations: Readonly<Record<CampaignOperation, readonly CampaignStatus[]>> = {
  change: ['DRAFT', 'SCHEDULED'],
  adjust: ['DRAFT', 'SCHEDULED', 'PAUSED'],
  addRecipients: ['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED'],
  removeRecipients: ['DRAFT', 'SCHEDULED', 'PAUSED'],
  delete: ['DRAFT', 'COMPLETED', 'CANCELLED'],
}

export const allows = (operation: CampaignOperation, status: CampaignStatus): boolean =>
  campaignOperations[operation].includes(status)
