// Campaigns that pause by themselves: what the provider said of one send tells that no other can succeed.
import type { Clock } from '../shared/clock.ts'
import { Lru } from '../shared/lru.ts'
import type { Pause, SendVerdict } from './judge-send.ts'
import { claimGuardMs } from './run-campaign.ts'
import type { CampaignSendStore, RunningCampaign } from './sending.ts'

export interface SelfPausePorts {
  readonly store: Pick<CampaignSendStore, 'pause'>
  readonly clock: Clock
  readonly log: { info(fields: object, event: string): void; warn(fields: object, event: string): void }
}

/** Resolves when the campaign is paused, where the verdict says so. Never rejects. */
export type PauseIfNeeded = (campaign: RunningCampaign, verdict: SendVerdict) => Promise<void>

/** So many refusals for the template's sake one after the other, and no acceptance: it is not the recipients' fault. */
const refusalsInARow = 20
const templateCodes = /^132\d{3}$/

export function createSelfPause({ store, clock, log }: SelfPausePorts): PauseIfNeeded {
  const refusals = new Lru<number>(1_000)
  const pausing = new Map<string, Promise<void>>()

  function reasonFor({ id }: RunningCampaign, verdict: SendVerdict): Pause | null {
    if (verdict.type === 'again') return verdict.pause
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
    // A whole batch finds out together.
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
