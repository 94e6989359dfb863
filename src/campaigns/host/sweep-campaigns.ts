// Repairs what was lost: schedules, numbers that no worker serves, the rest of a cancelled campaign.

import type { Dispatch } from '../../contract/dispatch.ts'
import { failureEvent } from '../../messaging/attempt-send.ts'
import type { Messaging } from '../../messaging/messaging.module.ts'
import type { Clock } from '../../shared/clock.ts'
import type { CampaignId } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import type { CampaignLifeStore, CampaignScheduler } from '../run-campaign.ts'
import type { CampaignSweepStore } from '../store/campaign-life.store.ts'

export interface CampaignSweepPorts {
  readonly life: CampaignLifeStore & CampaignSweepStore
  readonly scheduler: CampaignScheduler
  readonly begin: (id: CampaignId) => Promise<void>
  readonly changeStatuses: Messaging['changeStatuses']
  readonly dispatch: Dispatch
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

const maxAtOnce = 500

/** Returns true when the round was full, so that more may be left. */
export function createCampaignSweep(ports: CampaignSweepPorts): () => Promise<boolean> {
  const { life, scheduler, begin, log } = ports

  /** A failure for one campaign must not delay the others. */
  async function each(ids: readonly CampaignId[], work: (id: CampaignId) => Promise<unknown>): Promise<void> {
    for (const id of ids)
      await work(id).catch((error: unknown) =>
        log.warn({ campaignId: id, error: String(error) }, 'campaign.sweep_failed'),
      )
  }

  return async () => {
    for (const numberId of await life.runningNumbers()) scheduler.wake(numberId)
    await each(await life.dueSchedules(maxAtOnce), begin)
    await each(await life.halfEnded(), (id) => life.cancelWaiting(id))
    return endAbandoned(ports)
  }
}

async function endAbandoned({ life, changeStatuses, dispatch, clock }: CampaignSweepPorts): Promise<boolean> {
  const abandoned = await life.abandoned(maxAtOnce)
  if (abandoned.length === 0) return false
  const at = new Date(clock.now())
  const changes = abandoned.map((message) => ({
    messageId: message.id,
    recipientId: message.recipientId,
    providerMessageId: null,
    status: 'FAILED' as const,
    at,
    error: message.error,
    ...failureEvent(message, message.error, clock.now()),
  }))
  dispatch(await changeStatuses(changes))
  return abandoned.length === maxAtOnce
}
