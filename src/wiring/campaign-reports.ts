// Some blocks of the provider are told only in the status of a message that it had accepted: they pause campaigns, too.
import { pauseFor } from '../campaigns/judge-send.ts'
import { classOfReported } from '../contract/provider-errors.ts'
import type { MessageId } from '../shared/ids.ts'
import { pauseByMessage } from '../store/campaign-sends.store.ts'
import type { Pool } from '../store/sql.ts'

/** Not waited for: what goes on until the campaign pauses fails the same way, and tries this again. */
export type ReportFailure = (messageId: MessageId, code: string) => void

export function createFailureReports(
  sql: Pool,
  log: { info(fields: object, event: string): void; warn(fields: object, event: string): void },
): ReportFailure {
  let isAsking = false
  return (messageId, code) => {
    const kind = classOfReported(Number(code))
    // A template has updates of its own; here it is only one message that was kept back and dropped.
    const pause = kind === 'account' ? pauseFor({ code, class: kind }) : null
    // One at a time: a block is reported by every message that was under way.
    if (!pause || isAsking) return
    isAsking = true
    pauseByMessage(sql, messageId, pause)
      .then(
        (campaignIds) => {
          if (campaignIds.length > 0) log.info({ campaignIds, ...pause }, 'campaign.paused_itself')
        },
        (error: unknown) => log.warn({ messageId, error: String(error) }, 'campaign.not_paused'),
      )
      .finally(() => {
        isAsking = false
      })
  }
}
