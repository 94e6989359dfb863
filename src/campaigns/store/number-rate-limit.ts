// The rates of numbers, shared by all processes: what campaigns may send, and what other sends used.

import type { Redis } from '../../platform/redis/client.ts'
import { keys } from '../../platform/redis/keys.ts'
import { loadScript, runScript } from '../../platform/redis/run-script.ts'
import type { Clock } from '../../shared/clock.ts'
import { transactionalShare } from '../pacing.ts'
import type { NumberRateLimit } from '../send-ports.ts'

const numberRateTakeScript = loadScript(import.meta.url, 'number-rate-take')
const numberRateSpendScript = loadScript(import.meta.url, 'number-rate-spend')
const numberRateSlowScript = loadScript(import.meta.url, 'number-rate-slow')
const holdCampaignScript = loadScript(import.meta.url, 'hold-campaign')
const fenceCampaignScript = loadScript(import.meta.url, 'fence-campaign')

/** The rest of a number's rate is reserved for POST /messages/chat. */
const campaignShare = 1 - transactionalShare
/** As in number-rate-take.lua. */
const regainedEachSecond = 0.05

type Taken = readonly [granted: number, waitMs: number, shortOf: 0 | 1 | 2 | 3]
const shortOf = [null, 'number', 'campaign', 'epoch'] as const

/** Without Redis nothing is granted: a delayed campaign is better than one that exceeds its number's rate. */
export const createNumberRateLimit = (redis: Redis): NumberRateLimit => ({
  async take({ phoneNumberId, numberRate, campaignId, epoch, campaignRate, want }) {
    const [granted, waitMs, short] = await runScript<Taken>(redis, numberRateTakeScript, {
      keys: [keys.numberRate(phoneNumberId), keys.campaign(campaignId)],
      args: [numberRate, campaignShare, want, epoch, campaignRate ?? 0],
    })
    return { granted, waitMs, limitedBy: shortOf[short] }
  },

  async slowDown(phoneNumberId, blockMs) {
    await runScript(redis, numberRateSlowScript, { keys: [keys.numberRate(phoneNumberId)], args: [blockMs] })
  },

  async holdOff(campaignId, blockMs) {
    await runScript(redis, holdCampaignScript, { keys: [keys.campaign(campaignId)], args: [blockMs] })
  },

  async backoff(phoneNumberId) {
    const [[seconds, micros], [factor, factorAt, until]] = await Promise.all([
      redis.time(),
      redis.hmGet(keys.numberRate(phoneNumberId), ['f', 'fat', 'until']),
    ])
    const now = Number(seconds) * 1_000_000 + Number(micros)
    const regained = (Math.max(0, now - Number(factorAt ?? now)) / 1_000_000) * regainedEachSecond
    return {
      factor: Math.min(1, Number(factor ?? 1) + regained),
      blockedMs: Math.max(0, Math.ceil((Number(until ?? 0) - now) / 1_000)),
    }
  },

  // A worker that misses this finds the epoch in Postgres.
  fence: (campaignId, epoch) =>
    runScript(redis, fenceCampaignScript, { keys: [keys.campaign(campaignId)], args: [epoch] }).then(
      () => undefined,
      () => undefined,
    ),

  unfence: (campaignId) =>
    redis.del(keys.campaign(campaignId)).then(
      () => undefined,
      () => undefined,
    ),
})

/** Reports a send that no campaign made. Returns at once: sends within 50 ms are reported together. */
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
    // A lost report makes a campaign slightly too fast once; the provider's answer would slow it down.
    runScript(redis, numberRateSpendScript, {
      keys: numbers.map(([phoneNumberId]) => keys.numberRate(phoneNumberId)),
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
