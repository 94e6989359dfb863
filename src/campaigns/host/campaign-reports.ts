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
import type { Pause } from '../send-ports.ts'
import { pauseFailing, pauseRefused } from '../store/campaign-refusals.store.ts'
import { pauseByMessage } from '../store/campaign-sends.store.ts'

/** Not awaited: until the campaign pauses, other messages fail in the same way and report it again. */
export type ReportFailure = (messageId: MessageId, error: Failure) => void

export function createFailureReports(sql: Pool, log: Log): ReportFailure {
  const reportBlock = createBlockReports(sql, log)
  const failures = new Batcher<MessageId, undefined>({
    maxItems: 200,
    maxWaiting: 1_000,
    flush: async (ids) => {
      logTooMany(log, await pauseFailing(sql, ids))
      return ids.map(() => undefined)
    },
  })
  return (messageId, error) => {
    const kind = classOfReported(Number(error.code), error.subcode)
    // Template updates arrive separately. A template error here concerns one held and dropped message.
    const pause = kind === 'account' ? pauseFor({ ...error, class: kind }) : null
    if (pause) reportBlock(messageId, pause)
    else if (!personalCodes.includes(error.code))
      failures.add(messageId).catch((problem: unknown) => {
        log.warn({ messageId, error: String(problem) }, 'campaign.not_paused')
      })
  }
}

function createBlockReports(sql: Pool, log: Log) {
  let isAsking = false
  return (messageId: MessageId, pause: Pause) => {
    // One at a time: every message that was under way reports the same block.
    if (isAsking) return
    isAsking = true
    pauseByMessage(sql, messageId, pause)
      .then(
        (campaignIds) => {
          const { reason, scope, error } = pause
          if (campaignIds.length > 0)
            log.info({ campaignIds, reason, scope, code: error?.code }, 'campaign.paused_itself')
        },
        (problem: unknown) => log.warn({ messageId, error: String(problem) }, 'campaign.not_paused'),
      )
      .finally(() => {
        isAsking = false
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
