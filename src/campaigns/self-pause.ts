// Pauses campaigns automatically when the provider's answer to one send shows that no other can succeed.

import type { ProviderError } from '../contract/provider.ts'
import type { Clock } from '../shared/clock.ts'
import type { Log } from '../shared/log.ts'
import { Lru } from '../shared/lru.ts'
import { claimGuardMs } from './run-campaign.ts'
import type { CampaignSendStore, Pause, RunningCampaign, SendVerdict } from './send-ports.ts'

export interface SelfPausePorts {
  readonly store: Pick<CampaignSendStore, 'pause'>
  readonly clock: Clock
  readonly log: Log
}

/** Resolves when the campaign is paused, if the verdict requires it. Never rejects. */
export type PauseIfNeeded = (campaign: RunningCampaign, verdict: SendVerdict) => Promise<void>

/** This many template errors in a row, without an acceptance, are not the recipients' fault. */
const refusalsInARow = 20
const templateCodes = /^132\d{3}$/

export function createSelfPause({ store, clock, log }: SelfPausePorts): PauseIfNeeded {
  const refusals = new Lru<number>(1_000)
  const pausing = new Map<string, Promise<void>>()

  function reasonFor({ id }: RunningCampaign, verdict: SendVerdict): Pause | null {
    if (verdict.type === 'again') return verdict.error && pauseFor(verdict.error)
    if (verdict.type === 'accepted') refusals.delete(id)
    if (verdict.type !== 'failed' || !templateCodes.test(verdict.error.code)) return null
    const count = (refusals.get(id) ?? 0) + 1
    refusals.set(id, count)
    if (count < refusalsInARow) return null
    refusals.delete(id)
    return { reason: 'TOO_MANY_FAILURES', scope: 'campaign' }
  }

  async function stop(campaign: RunningCampaign, pause: Pause): Promise<void> {
    try {
      const campaignIds = await store.pause(campaign, pause)
      log.info({ workspaceId: campaign.workspaceId, campaignIds, ...pause }, 'campaign.paused_itself')
    } catch (error) {
      log.warn({ campaignId: campaign.id, error: String(error) }, 'campaign.not_paused')
    }
  }

  return async (campaign, verdict) => {
    const pause = reasonFor(campaign, verdict)
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
  131042: { reason: 'BILLING', scope: 'workspace' },
  131048: { reason: 'SPAM_LIMIT', scope: 'number' },
  131045: { reason: 'NUMBER_UNAVAILABLE', scope: 'number' },
  133010: { reason: 'NUMBER_UNAVAILABLE', scope: 'number' },
}

/**
 * Also for errors in a message status: the provider reports some blocks only after it accepted the message.
 */
export function pauseFor({ code, class: kind }: Pick<ProviderError, 'code' | 'class'>): Pause | null {
  if (kind === 'templatePaused') return { reason: 'TEMPLATE_PAUSED', scope: 'campaign' }
  if (kind === 'templateGone') return { reason: 'TEMPLATE_UNAVAILABLE', scope: 'campaign' }
  if (kind === 'account') return pauses[code] ?? { reason: 'PROVIDER_ACCOUNT', scope: 'workspace' }
  return null
}
