// Errors that several operations share.
import { AppError, notFound } from '../contract/errors.ts'
import type { CampaignStatus } from '../contract/records/campaign.ts'
import { type CampaignOperation, campaignOperations } from './campaign.machine.ts'
import type { TemplateName } from './ports.ts'

export const noCampaign = (): AppError => notFound('campaign')

const words: Readonly<Record<CampaignOperation, string>> = {
  change: 'be changed in this way',
  adjust: 'be changed',
  addRecipients: 'take recipients',
  removeRecipients: 'give up recipients',
  start: 'be started',
  pause: 'be paused',
  cancel: 'be cancelled',
  delete: 'be deleted',
}

export const wrongState = (operation: CampaignOperation, status: CampaignStatus): AppError =>
  new AppError(
    'INVALID_STATE',
    `the campaign is ${status}; only one that is ${campaignOperations[operation].join(', ')} can ${words[operation]}`,
  )

export const noTemplate = ({ name, language }: TemplateName): AppError =>
  new AppError('TEMPLATE_NOT_FOUND', `there is no template ${name} (${language}) in this workspace`)
