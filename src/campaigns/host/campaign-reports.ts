// Pauses campaigns for blocks that the provider reports only in the status of a message that it had accepted.

import { classOfReported } from '../../contract/provider-errors.ts'
import type { Failure } from '../../contract/records/failure.ts'
import type { SendOutcome } from '../../messaging/ports.ts'
import type { Pool } from '../../platform/postgres/sql.ts'
import type { CampaignId, MessageId } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import { pauseFor } from '../self-pause.ts'
import { pauseRefused } from '../store/campaign-refusals.store.ts'
import { pauseByMessage } from '../store/campaign-sends.store.ts'

/** Not awaited: until the campaign pauses, other messages fail in the same way and report it again. */
export type ReportFailure = (messageId: MessageId, error: Failure) => void

export function createFailureReports(sql: Pool, log: Log): ReportFailure {
  let isAsking = false
  return (messageId, error) => {
    const kind = classOfReported(Number(error.code), error.subcode)
    // Template updates arrive separately. A template error here concerns one held and dropped message.
    const pause = kind === 'account' ? pauseFor({ ...error, class: kind }) : null
    // One at a time: every message that was under way reports the same block.
    if (!pause || isAsking) return
    isAsking = true
    pauseByMessage(sql, messageId, pause)
      .then(
        (campaignIds) => {
          const { reason, scope } = pause
          if (campaignIds.length > 0)
            log.info({ campaignIds, reason, scope, code: error.code }, 'campaign.paused_itself')
        },
        (problem: unknown) => log.warn({ messageId, error: String(problem) }, 'campaign.not_paused'),
      )
      .finally(() => {
        isAsking = false
      })
  }
}

/** Pauses the campaigns of refused sends whose refusals repeat, whichever worker wrote the others. */
export const createRefusalReports =
  (sql: Pool, log: Log) =>
  async (outcomes: readonly SendOutcome[]): Promise<void> => {
    const ids = new Set<CampaignId>()
    for (const { campaign, verdict } of outcomes)
      if (campaign && verdict.type === 'failed') ids.add(campaign.id)
    if (ids.size === 0) return
    try {
      const campaignIds = await pauseRefused(sql, [...ids])
      if (campaignIds.length > 0)
        log.info({ campaignIds, reason: 'TOO_MANY_FAILURES' }, 'campaign.paused_itself')
    } catch (error) {
      // The next read of the number's campaigns finds the count and pauses.
      log.warn({ campaignIds: [...ids], error: String(error) }, 'campaign.not_paused')
    }
  }
