// How fast a running campaign may send at this moment, and what limits it. Pure.
import type { CampaignPace } from '../contract/records/console.ts'
import { estimateCampaign, type Outlook } from './estimate.ts'

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
  const { messagesPerSecond: planned, limitedBy, seconds, warnings } = estimateCampaign(outlook, now)
  const factor = backoff?.factor ?? 1
  const blockedMs = backoff?.blockedMs ?? 0
  const isSlowed = blockedMs > 0 || factor < noticed
  // A pace of the campaign below what throttling leaves is not touched by it.
  const left = Math.min(planned, (outlook.number?.messagesPerSecond ?? 0) * factor)
  return {
    messagesPerSecond: isSlowed ? Math.round(left * 100) / 100 : planned,
    limitedBy: blockedMs > 0 || left < planned ? 'PROVIDER' : limitedBy,
    seconds,
    blockedSeconds: Math.ceil(blockedMs / 1_000),
    warnings: warnings.map(({ message }) => message),
  }
}
