// Pauses campaigns for what the provider reports only in the status of a message that it had accepted: blocks, and one
// failure after the other.

import { classOfReported, personalCodes } from '../../contract/provider-errors.ts'
import type { Failure } from '../../contract/records/failure.ts'
import type { SendOutcome } from '../../messaging/ports.ts'
import type { Pool } from '../../platform/postgres/sql.ts'
import { Batcher } from '../../shared/batcher.ts'
import type { CampaignId, MessageId } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import { pauseFor } from '../self-pause.ts'
import { pauseFailing, pauseRefused } from '../store/campaign-refusals.store.ts'
import { type BlockReport, pauseByMessages } from '../store/campaign-sends.store.ts'

/** Not awaited: until the campaign pauses, other messages fail in the same way and report it again. */
export type ReportFailure = (messageId: MessageId, error: Failure) => void

/** Together: every message that was under way reports the same. */
const together = { maxItems: 200, maxWaiting: 1_000 }

export function createFailureReports(sql: Pool, log: Log): ReportFailure {
  const blocks = new Batcher<BlockReport, undefined>({
    ...together,
    flush: async (reports) => {
      for (const { campaignIds, pause } of await pauseByMessages(sql, reports)) {
        const { reason, scope, error } = pause
        log.info({ campaignIds, reason, scope, code: error?.code }, 'campaign.paused_itself')
      }
      return reports.map(() => undefined)
    },
  })
  const failures = new Batcher<MessageId, undefined>({
    ...together,
    flush: async (ids) => {
      logTooMany(log, await pauseFailing(sql, ids))
      return ids.map(() => undefined)
    },
  })
  return (messageId, error) => {
    const kind = classOfReported(Number(error.code), error.subcode)
    // Template updates arrive separately. A template error here concerns one held and dropped message.
    const pause = kind === 'account' ? pauseFor({ ...error, class: kind }) : null
    if (!pause && personalCodes.includes(error.code)) return
    const judged = pause ? blocks.add({ messageId, pause }) : failures.add(messageId)
    judged.catch((problem: unknown) => {
      log.warn({ messageId, error: String(problem) }, 'campaign.not_paused')
    })
  }
}

function logTooMany(log: Log, campaignIds: readonly CampaignId[]): void {
  if (campaignIds.length > 0) log.info({ campaignIds, reason: 'TOO_MANY_FAILURES' }, 'campaign.paused_itself')
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
      logTooMany(log, await pauseRefused(sql, [...ids]))
    } catch (error) {
      // The next read of the number's campaigns finds the count and pauses.
      log.warn({ campaignIds: [...ids], error: String(error) }, 'campaign.not_paused')
    }
  }
