// The interface of the campaigns feature. A gateway builds, reads, starts and stops campaigns; a worker sends
// them.

import type { AccountOptions } from '../accounts/store/provider-account.ts'
import type { Dispatch } from '../contract/dispatch.ts'
import { limits } from '../contract/limits.ts'
import type { CampaignPace } from '../contract/records/console.ts'
import { type CampaignHooks, type Messaging, templateRendering } from '../messaging/messaging.module.ts'
import { variableComparer } from '../messaging/template-variables.ts'
import { downloadPlaces, uploadPlaces } from '../platform/http/upload-places.ts'
import type { RestoreFence } from '../platform/postgres/restore-watch.ts'
import { connectPool, type Pool } from '../platform/postgres/sql.ts'
import type { Redis } from '../platform/redis/client.ts'
import type { Clock } from '../shared/clock.ts'
import type { CampaignId, NumberId, WorkspaceId } from '../shared/ids.ts'
import { sharedAbort } from '../shared/shared-abort.ts'
import { addRecipients } from './add-recipients.ts'
import { estimateCampaign } from './estimate.ts'
import { createFailureReports, createRefusalReports } from './host/campaign-reports.ts'
import { createCampaignSweep } from './host/sweep-campaigns.ts'
import { createPump } from './number-pump.ts'
import { changeCampaign, createCampaign, deleteCampaign } from './plan-campaign.ts'
import { removeRecipients } from './remove-recipients.ts'
import {
  beginScheduled,
  type CampaignScheduler,
  cancelCampaign,
  pauseCampaign,
  type RunPorts,
  startCampaign,
} from './run-campaign.ts'
import { paceNow } from './running-pace.ts'
import { createCampaignSender, type SenderPorts } from './send-claimed.ts'
import type { CampaignRendering, NumberRateLimit } from './send-ports.ts'
import { createSendSlots } from './send-slots.ts'
import { assumeSent, resendUnknown } from './settle-unknown.ts'
import { type CampaignPools, createCampaignLifeStore } from './store/campaign-life.store.ts'
import { createOutlookReader } from './store/campaign-outlook.store.ts'
import { refusalsCounted } from './store/campaign-refusals.store.ts'
import { createCampaignSampleStore } from './store/campaign-samples.store.ts'
import { createCampaignSendStore } from './store/campaign-sends.store.ts'
import { createUnknownStore } from './store/campaign-unknown.store.ts'
import { createCampaignStore } from './store/campaigns.store.ts'
import { campaignsHalted } from './store/campaigns-halted.ts'
import { createCampaignReader } from './store/campaigns-read.store.ts'
import { createNumberRateLimit } from './store/number-rate-limit.ts'
import { createRecipientStore } from './store/recipients.store.ts'
import { recipientsFollow } from './store/recipients-follow.ts'
import { createRecipientReader } from './store/recipients-read.store.ts'

type Log = SenderPorts['log']

export interface CampaignsOptions extends CampaignPools {
  readonly accounts: Pick<AccountOptions, 'defaultToken'>
  readonly rateLimit: RunPorts['rateLimit'] & Pick<NumberRateLimit, 'backoff'>
  readonly scheduler: CampaignScheduler
  readonly dispatch: Dispatch
  readonly clock: Clock
}

/** The pool opens its connections when they are first needed. */
export const openBulkPool = (url: string): Pool =>
  connectPool({ url, max: 2, name: 'switchboard-bulk', statementTimeoutMs: 30_000, lockTimeoutMs: 10_000 })

/** The functions of campaigns that messaging calls. */
export const createCampaignHooks = (sql: Pool, log: Log): CampaignHooks => ({
  recipientsFollow,
  campaignsHalted,
  refusalsCounted,
  sendsEnded: createRefusalReports(sql, log),
  sendFailed: createFailureReports(sql, log),
})

/** Readers of campaigns in Postgres. */
export const createCampaignRecords = (sql: Pool) => ({
  records: createCampaignReader(sql),
  samples: createCampaignSampleStore(sql),
})

export type Campaigns = ReturnType<typeof createCampaigns>

export function createCampaigns(options: CampaignsOptions) {
  const { sql, bulk, clock, dispatch } = options
  const ports = {
    campaigns: createCampaignStore(sql),
    recipients: createRecipientStore(bulk),
    variableComparer,
  }
  const life = createCampaignLifeStore({ sql, bulk }, options.accounts)
  const run = { life, rateLimit: options.rateLimit, queue: options.scheduler, clock }
  const unknown = {
    store: createUnknownStore(sql),
    rendering: templateRendering,
    ...{ dispatch, clock },
  }
  const findOutlook = createOutlookReader(sql)
  return {
    ...createCampaignRecords(sql),
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
    /** Null unless it runs. Without Redis the plan is told. */
    async pace(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignPace | null> {
      const outlook = await findOutlook(workspaceId, id)
      if (outlook?.status !== 'RUNNING') return null
      const { phoneNumberId } = outlook.number ?? {}
      const backoff = phoneNumberId && (await options.rateLimit.backoff(phoneNumberId).catch(() => null))
      return paceNow(outlook, backoff || null, new Date())
    },
    recipients: {
      list: createRecipientReader(sql).list,
      all: createRecipientReader(bulk).all,
      add: addRecipients(ports),
      enter: uploadPlaces(limits.uploadsAtOnce),
      enterReport: downloadPlaces(limits.downloadsAtOnce),
      remove: removeRecipients(ports),
      resendUnknown: resendUnknown(unknown),
      assumeSent: assumeSent(unknown),
    },
  }
}

export interface CampaignSendingOptions extends CampaignPools {
  readonly redis: Redis
  readonly accounts: AccountOptions
  readonly scheduler: CampaignScheduler
  readonly messaging: Pick<Messaging, 'attemptSend' | 'changeStatuses'>
  readonly rendering: Pick<CampaignRendering, 'render'>
  readonly dispatch: Dispatch
  readonly clock: Clock
  readonly fence?: RestoreFence
  /** Called with each verdict. */
  readonly sent: SenderPorts['sent']
  readonly log: Log
}

export interface CampaignSending {
  /** Sends for a number until its time slice is over; see createPump. */
  pump(numberId: NumberId): Promise<number | undefined>
  begin(id: CampaignId): Promise<void>
  /** True when the round was full, so that more may be left. */
  sweep(): Promise<boolean>
  /** Makes no new claims from now on. Resolves when nothing is under way. */
  drain(): Promise<void>
}

/**
 * A few fewer than the provider's connections: a request that waits for a connection is not on the wire,
 * although its message row would say so.
 */
const slotCount = 240

export function createCampaignSending(options: CampaignSendingOptions): CampaignSending {
  const { sql, bulk, accounts, scheduler, messaging, rendering, dispatch, clock, sent, log } = options
  const store = createCampaignSendStore(sql, accounts, options.fence)
  const life = createCampaignLifeStore({ sql, bulk }, accounts)
  const rateLimit = createNumberRateLimit(options.redis)
  const slots = createSendSlots(slotCount)
  const { attemptSend, changeStatuses } = messaging
  const sender = createCampaignSender({ store, attemptSend, rateLimit, slots, clock, sent, log })
  const pumpNumber = createPump({ store, rateLimit, slots, sender, rendering, clock, log })
  const begin = beginScheduled({ life, rateLimit, queue: scheduler, clock })
  const stopped = sharedAbort()
  const pumping = new Set<Promise<unknown>>()
  return {
    pump(numberId) {
      const work = pumpNumber(numberId, stopped.signal).finally(() => pumping.delete(work))
      pumping.add(work)
      return work
    },
    begin,
    sweep: createCampaignSweep({ life, scheduler, begin, changeStatuses, dispatch, clock, log }),
    async drain() {
      stopped.abort()
      // A claim that is under way begins sends.
      await Promise.allSettled(pumping)
      await sender.drain()
    },
  }
}
