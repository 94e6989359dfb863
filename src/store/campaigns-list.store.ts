// Campaigns as the console lists them. Running them is not done here.
import type { Page, PageRequest } from '../contract/page.ts'
import {
  type CampaignCounts,
  type CampaignRecord,
  type CampaignStatus,
  campaignCounts,
} from '../contract/records/campaign.ts'
import { type CampaignId, encodeId, type NumberId, type WorkspaceId } from '../shared/ids.ts'
import { olderThan } from './keyset.ts'
import { iso, newestFirst } from './newest-first.ts'
import type { Sql } from './sql.ts'

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
  readonly pauseReason: string | null
  readonly counts: Partial<CampaignCounts>
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly startedAt: Date | null
  readonly pausedAt: Date | null
  readonly completedAt: Date | null
  readonly cancelledAt: Date | null
}

export const campaignsListStore = (sql: Sql) => ({
  async list(workspaceId: WorkspaceId, _filter: object, page: PageRequest): Promise<Page<CampaignRecord>> {
    const rows = await sql<Row[]>`
      select id, name, status, number_id, template_name, template_language, variables, start_at,
        messages_per_second, pause_reason, counts, created_at, updated_at, started_at, paused_at, completed_at,
        cancelled_at
      from campaigns
      where workspace_id = ${workspaceId} and deleted_at is null
        ${olderThan(sql, 'campaigns', page)}
      order by id desc
      limit ${page.limit + 1}`
    return newestFirst(rows, page, toRecord)
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
  counts: Object.fromEntries(campaignCounts.map((name) => [name, row.counts[name] ?? 0])) as CampaignCounts,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  startedAt: iso(row.startedAt),
  pausedAt: iso(row.pausedAt),
  completedAt: iso(row.completedAt),
  cancelledAt: iso(row.cancelledAt),
})
