// Reads campaigns with their counts: single ones and the list. Writes nothing.

import type { CampaignFilter } from '../../contract/filters.ts'
import type { Page, PageRequest } from '../../contract/page.ts'
import {
  type CampaignCounts,
  type CampaignRecord,
  type CampaignStatus,
  campaignCounts,
  type PauseReason,
} from '../../contract/records/campaign.ts'
import type { Failure } from '../../contract/records/failure.ts'
import { equals } from '../../platform/postgres/keyset.ts'
import { byChange, byNewest, placeOf } from '../../platform/postgres/list-order.ts'
import { iso } from '../../platform/postgres/newest-first.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { type CampaignId, encodeId, type NumberId, type WorkspaceId } from '../../shared/ids.ts'

interface Row {
  readonly id: CampaignId
  readonly name: string
  readonly status: CampaignStatus
  readonly numberId: NumberId | null
  readonly templateName: string
  readonly templateLanguage: string
  readonly variables: Record<string, string>
  readonly startAt: Date | null
  readonly messagesPerSecond: number | null
  readonly pauseReason: PauseReason | null
  readonly pauseError: Failure | null
  /** Without the total, which is the sum of the statuses. */
  readonly counts: Partial<CampaignCounts>
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly startedAt: Date | null
  readonly pausedAt: Date | null
  readonly completedAt: Date | null
  readonly cancelledAt: Date | null
}

// The sums over the shards of campaign_counts. A missing name counts as 0.
const selectCampaigns = (sql: Sql) => sql`
  select c.id, c.name, c.status, c.number_id, c.template_name, c.template_language, c.variables, c.start_at,
    c.messages_per_second, c.pause_reason, c.pause_error, counted.counts, c.created_at, c.updated_at, c.started_at, c.paused_at,
    c.completed_at, c.cancelled_at
  from campaigns c
  cross join lateral (
    select coalesce(jsonb_object_agg(name, amount), '{}') as counts
    from (select name, sum(amount) as amount from campaign_counts where campaign_id = c.id group by name) summed
  ) counted`

export interface CampaignReader {
  find(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignRecord | undefined>
  list(workspaceId: WorkspaceId, filter: CampaignFilter, page: PageRequest): Promise<Page<CampaignRecord>>
}

export const createCampaignReader = (sql: Sql): CampaignReader => ({
  async find(workspaceId, id) {
    const [row] = await sql<Row[]>`
      ${selectCampaigns(sql)}
      where c.workspace_id = ${workspaceId} and c.id = ${id} and c.deleted_at is null`
    return row && toRecord(row)
  },

  async list(workspaceId, filter, page) {
    const order = filter.updatedSince
      ? await byChange(sql, 'c', page, filter.updatedSince)
      : byNewest(sql, 'c', page)
    const rows = await sql<Row[]>`
      ${selectCampaigns(sql)}
      where c.workspace_id = ${workspaceId} and c.deleted_at is null
        ${equals(sql, 'c.status', filter.status)}
        ${order.from}
      order by ${order.by('c')}
      limit ${page.limit + 1}`
    return order.page(rows, { show: toRecord, place: placeOf })
  },
})

const toRecord = (row: Row): CampaignRecord => ({
  id: encodeId('campaign', row.id),
  name: row.name,
  status: row.status,
  numberId: row.numberId === null ? null : encodeId('number', row.numberId),
  template: { name: row.templateName, language: row.templateLanguage },
  variables: row.variables,
  startAt: iso(row.startAt),
  messagesPerSecond: row.messagesPerSecond,
  pauseReason: row.pauseReason,
  pauseError: row.pauseError,
  counts: toCounts(row.counts),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  startedAt: iso(row.startedAt),
  pausedAt: iso(row.pausedAt),
  completedAt: iso(row.completedAt),
  cancelledAt: iso(row.cancelledAt),
})

function toCounts(counted: Row['counts']): CampaignCounts {
  const counts = Object.fromEntries(
    campaignCounts.map((name) => [name, counted[name] ?? 0]),
  ) as CampaignCounts
  const { total: _, replied, ...byStatus } = counts
  return { ...counts, total: Object.values(byStatus).reduce((sum, count) => sum + count, 0) }
}
