// The budgets of workspace numbers, shared by all processes: what campaigns may send, and what was spent beside them.
import { transactionalShare } from '../campaigns/pacing.ts'
import type { Pace } from '../campaigns/sending.ts'
import type { Clock } from '../shared/clock.ts'
import type { Redis } from './client.ts'
import { keys } from './keys.ts'
import { runScript, scripts } from './run-script.ts'

/** The rest of a number's rate is kept for POST /messages/chat. */
const campaignShare = 1 - transactionalShare

type Taken = readonly [granted: number, waitMs: number, shortOf: 0 | 1 | 2 | 3]
const shortOf = [null, 'number', 'campaign', 'epoch'] as const

/** Without Redis nothing is granted: no campaign is in such a hurry that it may go over its number's rate. */
export const createPace = (redis: Redis): Pace => ({
  async take({ phoneNumberId, numberRate, campaignId, epoch, campaignRate, want }) {
    const [granted, waitMs, short] = await runScript<Taken>(redis, scripts.paceTake, {
      keys: [keys.pace(phoneNumberId), keys.campaign(campaignId)],
      args: [numberRate, campaignShare, want, epoch, campaignRate ?? 0],
    })
    return { granted, waitMs, limitedBy: shortOf[short] }
  },

  async slowDown(phoneNumberId, blockMs) {
    await runScript(redis, scripts.paceSlow, { keys: [keys.pace(phoneNumberId)], args: [blockMs] })
  },

  // A worker that misses this finds the epoch in Postgres.
  fence: (campaignId, epoch) =>
    runScript(redis, scripts.fenceCampaign, { keys: [keys.campaign(campaignId)], args: [epoch] }).then(
      () => undefined,
      () => undefined,
    ),

  unfence: (campaignId) =>
    redis.del(keys.campaign(campaignId)).then(
      () => undefined,
      () => undefined,
    ),
})

/** Tells of a send that no campaign made. Costs nothing now: what was sent within a moment is told together. */
export type TellSpent = (phoneNumberId: string) => void

const tellAfterMs = 50
const maxNumbers = 10_000

export function createTellSpent(redis: Redis, clock: Clock): TellSpent {
  const spent = new Map<string, number>()
  let isWaiting = false

  function tell(): void {
    isWaiting = false
    const numbers = [...spent]
    spent.clear()
    // A loss makes a campaign a little too fast once; the provider's answer would slow it down.
    runScript(redis, scripts.paceSpend, {
      keys: numbers.map(([phoneNumberId]) => keys.pace(phoneNumberId)),
      args: numbers.map(([, count]) => count),
    }).catch(() => undefined)
  }

  return (phoneNumberId) => {
    if (spent.size >= maxNumbers) return
    spent.set(phoneNumberId, (spent.get(phoneNumberId) ?? 0) + 1)
    if (isWaiting) return
    isWaiting = true
    clock.after(tellAfterMs, tell)
  }
}
