// Pauses campaigns for blocks that the provider reports only in the status of a message that it had accepted.

import { classOfReported } from '../../contract/provider-errors.ts'
import type { Pool } from '../../platform/postgres/sql.ts'
import type { MessageId } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import { pauseFor } from '../self-pause.ts'
import { pauseByMessage } from '../store/campaign-sends.store.ts'

/** Not awaited: until the campaign pauses, other messages fail in the same way and report it again. */
export type ReportFailure = (messageId: MessageId, code: string) => void

export function createFailureReports(sql: Pool, log: Log): ReportFailure {
  let isAsking = false
  return (messageId, code) => {
    const kind = classOfReported(Number(code))
    // Template updates arrive separately. A template error here concerns one held and dropped message.
    const pause = kind === 'account' ? pauseFor({ code, class: kind }) : null
    // One at a time: every message that was under way reports the same block.
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
