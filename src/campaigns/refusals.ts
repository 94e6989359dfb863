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
  startNow: 'be started',
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
  new AppError(
    'TEMPLATE_NOT_FOUND',
    `there is no template ${name} (${language}) in this workspace; GET /templates lists what there is`,
  )

/** `status`: null where there is no such template. */
export function refuseTemplate(template: TemplateName, status: string | null): void {
  if (status === null) throw noTemplate(template)
  if (status !== 'APPROVED')
    throw new AppError(
      'TEMPLATE_NOT_APPROVED',
      `template ${template.name} (${template.language}) is ${status}; only APPROVED ones can be sent`,
    )
}

export const otherVariables = ({ name, language }: TemplateName): AppError =>
  new AppError(
    'TEMPLATE_VARIABLES_MISMATCH',
    `template ${name} (${language}) was changed, and has other variables than these recipients; send to them in a new campaign`,
  )
