// The campaigns domain, assembled: building campaigns and reading them.
import { addRecipients, removeRecipients } from '../campaigns/change-recipients.ts'
import { changeCampaign, createCampaign, deleteCampaign } from '../campaigns/plan-campaign.ts'
import { createCampaignStore } from '../store/campaigns.store.ts'
import { createCampaignReader } from '../store/campaigns-read.store.ts'
import { createRecipientStore } from '../store/recipients.store.ts'
import { createRecipientReader } from '../store/recipients-read.store.ts'
import { connectPool, type Pool } from '../store/sql.ts'
import { variableComparer } from '../templates/render-template.ts'

export interface CampaignPools {
  readonly sql: Pool
  /** For ten thousand rows at once: they take turns, and nothing that is in a hurry waits behind them. */
  readonly bulk: Pool
}

/** Connections that are opened when they are first needed. */
export const openBulkPool = (url: string): Pool =>
  connectPool({ url, max: 2, name: 'switchboard-bulk', statementTimeoutMs: 30_000 })

export function createCampaigns({ sql, bulk }: CampaignPools) {
  const ports = {
    campaigns: createCampaignStore(sql),
    recipients: createRecipientStore(bulk),
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
      list: createRecipientReader(sql).list,
      all: createRecipientReader(bulk).all,
      add: addRecipients(ports),
      remove: removeRecipients(ports),
    },
  }
}
