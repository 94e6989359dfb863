// Reads the recipients of a campaign, in the order in which they were added. Writes nothing.

import type { RecipientFilter } from '../../contract/filters.ts'
import { type Page, type PageRequest, toPage } from '../../contract/page.ts'
import type { RecipientRecord, RecipientStatus } from '../../contract/records/campaign.ts'
import { equals, mergedRowsOfPage, onePerValue } from '../../platform/postgres/keyset.ts'
import { iso } from '../../platform/postgres/newest-first.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { phoneOf, userIdOf } from '../../shared/address.ts'
import {
  type CampaignId,
  encodeId,
  type MessageId,
  type RecipientId,
  type WorkspaceId,
} from '../../shared/ids.ts'

interface Row {
  readonly id: RecipientId
  /** Digits, or a user id. */
  readonly waId: string
  readonly variables: Record<string, string>
  readonly status: RecipientStatus
  readonly messageId: MessageId | null
  readonly error: RecipientRecord['error']
  readonly skippedReason: string | null
  readonly repliedAt: Date | null
  readonly updatedAt: Date
}

export interface RecipientReader {
  list(
    workspaceId: WorkspaceId,
    campaignId: CampaignId,
    filter: RecipientFilter,
    page: PageRequest,
  ): Promise<Page<RecipientRecord>>
  /** All recipients in batches. Each batch is read when the previous one has been consumed. */
  all(
    workspaceId: WorkspaceId,
    campaignId: CampaignId,
    filter: RecipientFilter,
  ): AsyncGenerator<readonly RecipientRecord[]>
}

const reportBatch = { first: 16, most: 1_000, bytes: 1024 * 1024 }

/** So many that a batch has about the bytes that it may have: the variables of one recipient may have 64 KiB. */
function nextBatch(batch: readonly RecipientRecord[]): number {
  const bytes = batch.reduce((sum, { variables }) => sum + JSON.stringify(variables).length, 0)
  return Math.min(reportBatch.most, Math.max(8, Math.floor((reportBatch.bytes * batch.length) / (bytes + 1))))
}

export function createRecipientReader(sql: Sql): RecipientReader {
  const list: RecipientReader['list'] = async (workspaceId, campaignId, filter, page) => {
    const [after] = page.after ?? []
    const select = (one: RecipientFilter) => sql`
      select id, wa_id, variables, status, message_id, error, skipped_reason, replied_at, updated_at
      from recipients
      where campaign_id = ${campaignId} and workspace_id = ${workspaceId}
        ${equals(sql, 'status', one.status)}
        ${equals(sql, 'wa_id', one.to)}
        ${after === undefined ? sql`` : sql`and id > ${after}::uuid`}
      order by id`
    const selects = onePerValue(filter, ['to', 'status']).map(select)
    const rows = await sql<Row[]>`
      select *
      from (${mergedRowsOfPage(sql, selects, page, (table) => sql`${sql(`${table}.id`)}`)}) page
      order by id`
    return toPage(rows, page.limit, (row) => [row.id], toRecord)
  }
  return {
    list,
    async *all(workspaceId, campaignId, filter) {
      let after: PageRequest['after']
      let limit = reportBatch.first
      do {
        const page = await list(workspaceId, campaignId, filter, { limit, after })
        yield page.data
        limit = nextBatch(page.data)
        after = page.next
      } while (after)
    },
  }
}

const toRecord = (row: Row): RecipientRecord => ({
  id: encodeId('recipient', row.id),
  to: phoneOf(row.waId) ?? '',
  userId: userIdOf(row.waId),
  variables: row.variables,
  status: row.status,
  messageId: row.messageId && encodeId('message', row.messageId),
  error: row.error,
  skippedReason: row.skippedReason,
  repliedAt: iso(row.repliedAt),
  updatedAt: row.updatedAt.toISOString(),
})
