// The sending of campaigns, assembled for a worker.
import type { Logger } from 'pino'
import { beginScheduled, type CampaignClock } from '../campaigns/run-campaign.ts'
import { createPump } from '../campaigns/send-campaigns.ts'
import { createCampaignSender } from '../campaigns/send-claimed.ts'
import { createSendSlots } from '../campaigns/send-slots.ts'
import type { Dispatch } from '../contract/dispatch.ts'
import { failureEvent } from '../messages/transmit-message.ts'
import type { Redis } from '../redis/client.ts'
import { createPace } from '../redis/pace.ts'
import type { CampaignId, NumberId } from '../shared/ids.ts'
import { createCampaignLifeStore } from '../store/campaign-life.store.ts'
import { createCampaignSendStore } from '../store/campaign-sends.store.ts'
import { messageUpdatesStore } from '../store/message-updates.store.ts'
import type { Pool } from '../store/sql.ts'
import { rendering } from './bind-messages.ts'
import type { Foundation } from './foundation.ts'

export interface CampaignEngineOptions {
  readonly base: Foundation
  readonly bulk: Pool
  readonly redis: Redis
  readonly queue: CampaignClock
  readonly dispatch: Dispatch
}

export interface CampaignEngine {
  pump(numberId: NumberId): Promise<number | undefined>
  begin(id: CampaignId): Promise<void>
  /** What got lost on the way: schedules, numbers that nobody looks after, the rest of what was cancelled. */
  sweep(): Promise<boolean>
  /** No new claims from now on; resolves when nothing is under way. */
  drain(): Promise<void>
}

/** A few fewer than the provider's connections: what waits for one is not on the wire, and must not seem so. */
const slotCount = 240
const maxAtOnce = 500

export function createCampaignEngine({
  base,
  bulk,
  redis,
  queue,
  dispatch,
}: CampaignEngineOptions): CampaignEngine {
  const { sql, accounts, provider, clock, metrics } = base
  const log: Logger = base.log
  const store = createCampaignSendStore(sql, accounts)
  const life = createCampaignLifeStore({ sql, bulk }, accounts)
  const pace = createPace(redis)
  const slots = createSendSlots(slotCount)
  const sent = metrics.campaigns()
  const sender = createCampaignSender({
    ...{ store, pace, slots, provider, rendering, failureEvent, dispatch, clock, sent, log },
  })
  const pumpNumber = createPump({ store, pace, slots, sender, rendering, clock, log })
  const begin = beginScheduled({ life, pace, queue, clock })
  const stopped = new AbortController()
  const updates = messageUpdatesStore(sql)

  /** What fails for one must not hold up the others. */
  async function each(ids: readonly CampaignId[], work: (id: CampaignId) => Promise<unknown>): Promise<void> {
    for (const id of ids)
      await work(id).catch((error: unknown) =>
        log.warn({ campaignId: id, error: String(error) }, 'campaign.sweep_failed'),
      )
  }

  async function endAbandoned(): Promise<boolean> {
    const abandoned = await life.abandoned(maxAtOnce)
    if (abandoned.length === 0) return false
    const at = new Date(clock.now())
    dispatch(
      await updates.changeStatuses(
        abandoned.map((message) => ({
          messageId: message.id,
          recipientId: message.recipientId,
          providerMessageId: null,
          status: 'FAILED',
          at,
          error: message.error,
          ...failureEvent(message, message.error, clock.now()),
        })),
      ),
    )
    return abandoned.length === maxAtOnce
  }

  return {
    pump: (numberId) => pumpNumber(numberId, stopped.signal),
    begin,
    async sweep() {
      for (const numberId of await life.runningNumbers()) queue.wake(numberId)
      await each(await life.dueSchedules(maxAtOnce), begin)
      await each(await life.halfEnded(), (id) => life.cancelWaiting(id))
      return endAbandoned()
    },
    async drain() {
      stopped.abort()
      await sender.drain()
    },
  }
}
