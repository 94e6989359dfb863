// Pauses campaigns automatically when the provider's answer to one send shows that no other can succeed.

import type { ProviderError } from '../contract/provider.ts'
import { failureOf, type GivenFailure } from '../contract/records/failure.ts'
import type { Clock } from '../shared/clock.ts'
import type { Log } from '../shared/log.ts'
import { claimGuardMs } from './run-campaign.ts'
import type { CampaignSendStore, Pause, RunningCampaign, SendVerdict } from './send-ports.ts'

export interface SelfPausePorts {
  readonly store: Pick<CampaignSendStore, 'pause'>
  readonly clock: Clock
  readonly log: Log
}

/** Resolves when the campaign is paused, if the verdict requires it. Never rejects. */
export type PauseIfNeeded = (campaign: RunningCampaign, verdict: SendVerdict) => Promise<void>

export function createSelfPause({ store, clock, log }: SelfPausePorts): PauseIfNeeded {
  const pausing = new Map<string, Promise<void>>()

  async function stop(campaign: RunningCampaign, pause: Pause): Promise<void> {
    try {
      const campaignIds = await store.pause(campaign, pause)
      const { reason, scope, error } = pause
      const code = error?.code
      log.info(
        { workspaceId: campaign.workspaceId, campaignIds, reason, scope, code },
        'campaign.paused_itself',
      )
    } catch (error) {
      log.warn({ campaignId: campaign.id, error: String(error) }, 'campaign.not_paused')
    }
  }

  return async (campaign, verdict) => {
    const pause = verdict.type === 'again' && verdict.error ? pauseFor(verdict.error) : null
    if (!pause) return
    // All sends of a batch get this verdict together: pause once.
    const key = `${campaign.id}:${campaign.epoch}`
    let work = pausing.get(key)
    if (work === undefined) {
      work = stop(campaign, pause)
      pausing.set(key, work)
      clock.after(claimGuardMs, () => pausing.delete(key))
    }
    await work
  }
}

/** Codes that concern more than one recipient. Other codes of class `account` pause the whole workspace. */
const pauses: Readonly<Record<string, Pause>> = {
  // Of class `account` with subcode 33 only.
  100: { reason: 'NUMBER_UNAVAILABLE', scope: 'number' },
  33: { reason: 'NUMBER_UNAVAILABLE', scope: 'number' },
  131037: { reason: 'NUMBER_UNAVAILABLE', scope: 'number' },
  131042: { reason: 'BILLING', scope: 'workspace' },
  131044: { reason: 'BILLING', scope: 'workspace' },
  131048: { reason: 'SPAM_LIMIT', scope: 'number' },
  131045: { reason: 'NUMBER_UNAVAILABLE', scope: 'number' },
  133010: { reason: 'NUMBER_UNAVAILABLE', scope: 'number' },
}

/**
 * Also for errors in a message status: the provider reports some blocks only after it accepted the message.
 */
export function pauseFor(given: GivenFailure & Pick<ProviderError, 'class'>): Pause | null {
  const pause = pauseOf(given)
  return pause && { ...pause, error: failureOf(given) }
}

function pauseOf({ code, class: kind }: Pick<ProviderError, 'code' | 'class'>): Pause | null {
  if (kind === 'templatePaused') return { reason: 'TEMPLATE_PAUSED', scope: 'campaign' }
  if (kind === 'templateGone') return { reason: 'TEMPLATE_UNAVAILABLE', scope: 'campaign' }
  if (kind === 'account') return pauses[code] ?? { reason: 'PROVIDER_ACCOUNT', scope: 'workspace' }
  return null
}
