// The campaigns domain, assembled: building campaigns and reading them.
import { addRecipients, removeRecipients } from '../campaigns/change-recipients.ts'
import { changeCampaign, createCampaign, deleteCampaign } from '../campaigns/plan-campaign.ts'
import { createCampaignStore } from '../store/campaigns.store.ts'
import { createCampaignReader } from '../store/campaigns-read.store.ts'
import { createRecipientStore } from '../store/recipients.store.ts'
import { createRecipientReader } from '../store/recipients-read.store.ts'
import type { Pool } from '../store/sql.ts'
import { variableComparer } from '../templates/render-template.ts'

export function createCampaigns(sql: Pool) {
  const ports = {
    campaigns: createCampaignStore(sql),
    recipients: createRecipientStore(sql),
    variableComparer,
  }
  return {
    campaigns: {
      ...createCampaignReader(sql),
      create: createCampaign(ports),
      change: changeCampaign(ports),
      delete: deleteCampaign(ports),
    },
    recipients: {
      ...createRecipientReader(sql),
      add: addRecipients(ports),
      remove: removeRecipients(ports),
    },
  }
}
