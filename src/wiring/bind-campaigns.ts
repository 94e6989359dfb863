// The campaigns domain, assembled for whoever asks something of campaigns: building, reading, starting, pausing.
import { addRecipients } from '../campaigns/add-recipients.ts'
import { estimateCampaign } from '../campaigns/estimate.ts'
import { changeCampaign, createCampaign, deleteCampaign } from '../campaigns/plan-campaign.ts'
import { removeRecipients } from '../campaigns/remove-recipients.ts'
import {
  type CampaignClock,
  cancelCampaign,
  pauseCampaign,
  type RunPorts,
  startCampaign,
} from '../campaigns/run-campaign.ts'
import { assumeSent, resendUnknown } from '../campaigns/settle-unknown.ts'
import type { Dispatch } from '../contract/dispatch.ts'
import { limits } from '../contract/limits.ts'
import { uploadPlaces } from '../http/upload-places.ts'
import type { Clock } from '../shared/clock.ts'
import type { CampaignId, WorkspaceId } from '../shared/ids.ts'
import { type CampaignPools, createCampaignLifeStore } from '../store/campaign-life.store.ts'
import { createOutlookReader } from '../store/campaign-outlook.store.ts'
import { createUnknownStore } from '../store/campaign-unknown.store.ts'
import { createCampaignStore } from '../store/campaigns.store.ts'
import { createCampaignReader } from '../store/campaigns-read.store.ts'
import type { AccountOptions } from '../store/messages.store.ts'
import { createRecipientStore } from '../store/recipients.store.ts'
import { createRecipientReader } from '../store/recipients-read.store.ts'
import { connectPool, type Pool } from '../store/sql.ts'
import { variableComparer } from '../templates/render-template.ts'

export interface CampaignsOptions extends CampaignPools {
  readonly accounts: Pick<AccountOptions, 'defaultToken'>
  readonly pace: RunPorts['pace']
  readonly queue: CampaignClock
  readonly dispatch: Dispatch
  readonly clock: Clock
}

/** Connections that are opened when they are first needed. */
export const openBulkPool = (url: string): Pool =>
  connectPool({ url, max: 2, name: 'switchboard-bulk', statementTimeoutMs: 30_000 })

export function createCampaigns({ sql, bulk, accounts, pace, queue, dispatch, clock }: CampaignsOptions) {
  const ports = {
    campaigns: createCampaignStore(sql),
    recipients: createRecipientStore(bulk),
    variableComparer,
  }
  const run = { life: createCampaignLifeStore({ sql, bulk }, accounts), pace, queue, clock }
  const unknown = { store: createUnknownStore(sql), dispatch, clock }
  const findOutlook = createOutlookReader(sql)
  return {
    campaigns: {
      ...createCampaignReader(sql),
      create: createCampaign(ports),
      change: changeCampaign(ports),
      delete: deleteCampaign(ports),
      start: startCampaign(run),
      pause: pauseCampaign(run),
      cancel: cancelCampaign(run),
      estimate: async (workspaceId: WorkspaceId, id: CampaignId) => {
        const outlook = await findOutlook(workspaceId, id)
        return outlook && estimateCampaign(outlook, new Date())
      },
    },
    recipients: {
      list: createRecipientReader(sql).list,
      all: createRecipientReader(bulk).all,
      add: addRecipients(ports),
      enter: uploadPlaces(limits.uploadsAtOnce),
      remove: removeRecipients(ports),
      resendUnknown: resendUnknown(unknown),
      assumeSent: assumeSent(unknown),
    },
  }
}
