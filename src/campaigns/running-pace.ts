// How fast a running campaign may send at this moment, and what limits it. Pure.
import type { CampaignPace } from '../contract/records/console.ts'
import { type Estimate, estimateCampaign, type Outlook } from './estimate.ts'

/** What the provider's throttling left of a number's rate. */
export interface Backoff {
  /** 1: all of it. It comes back by a twentieth each second. */
  readonly factor: number
  /** Nothing is sent for so long. */
  readonly blockedMs: number
}

/** Below this the throttling, and not the plan, decides. */
const noticed = 0.95

export function paceNow(outlook: Outlook, backoff: Backoff | null, now: Date): CampaignPace {
  const estimate = estimateCampaign(outlook, now)
  const { factor, blockedMs } = backoff ?? { factor: 1, blockedMs: 0 }
  const planned = estimate.messagesPerSecond
  // A pace of the campaign below what throttling leaves is not touched by it.
  const left = estimateCampaign(slowed(outlook, factor), now).messagesPerSecond
  const isSlowed = blockedMs > 0 || (factor < noticed && left < planned)
  return {
    messagesPerSecond: isSlowed ? left : planned,
    limitedBy: isSlowed ? 'PROVIDER' : limitOf(outlook, estimate, now),
    seconds: estimate.seconds,
    blockedSeconds: Math.ceil(blockedMs / 1_000),
    warnings: [...estimate.warnings.map(({ message }) => message), ...limitWarning(outlook, estimate)],
  }
}

/** As number-rate-take.lua: campaigns share their part of what is left of the rate. */
function slowed({ number, ...outlook }: Outlook, factor: number): Outlook {
  return { ...outlook, number: number && { ...number, messagesPerSecond: number.messagesPerSecond * factor } }
}

/** A limit of customers that is not used up does not limit now, only what comes later. */
function limitOf(outlook: Outlook, { limitedBy }: Estimate, now: Date): Estimate['limitedBy'] {
  const limit = outlook.number?.messagingLimit
  if (limitedBy !== 'MESSAGING_LIMIT' || !limit || limit.used >= limit.customers) return limitedBy
  const number = outlook.number && { ...outlook.number, messagingLimit: null }
  return estimateCampaign({ ...outlook, number }, now).limitedBy
}

const told = (count: number): string => count.toLocaleString('en-US')

function limitWarning({ number }: Outlook, { limitedBy }: Estimate): string[] {
  const limit = number?.messagingLimit
  if (limitedBy !== 'MESSAGING_LIMIT' || !limit) return []
  return [
    `the provider lets the account begin with ${told(limit.customers)} customers in 24 hours, and ${told(limit.used)} are used: the rest may have to wait`,
  ]
}
