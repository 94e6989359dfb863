// Reads the input of a campaign's estimate in one query. Writes nothing.

import type { CampaignStatus } from '../../contract/records/campaign.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { CampaignId, WorkspaceId } from '../../shared/ids.ts'
import type { Outlook } from '../estimate.ts'

interface Row {
  readonly status: CampaignStatus
  readonly pending: number
  readonly messagesPerSecond: number | null
  readonly startAt: Date | null
  readonly numberRate: number | null
  readonly numberStatus: string
  readonly qualityRating: string
  readonly otherPaces: readonly (number | null)[]
  readonly templateStatus: string | null
}

export const createOutlookReader =
  (sql: Sql) =>
  async (workspaceId: WorkspaceId, id: CampaignId): Promise<Outlook | undefined> => {
    const [row] = await sql<Row[]>`
      select c.status, c.messages_per_second, c.start_at, t.status as template_status,
        n.messages_per_second as number_rate, n.status as number_status, n.quality_rating,
        coalesce((
          select sum(amount)::bigint from campaign_counts k where k.campaign_id = c.id and k.name = 'pending'
        ), 0) as pending,
        array(
          select o.messages_per_second
          from campaigns o
          where o.status = 'RUNNING' and o.number_id = c.number_id and o.workspace_id = c.workspace_id
            and o.id <> c.id and o.deleted_at is null
        ) as other_paces
      from campaigns c
      left join templates t on t.workspace_id = c.workspace_id and t.name = c.template_name
        and t.language = c.template_language
      left join numbers n on n.id = c.number_id and n.workspace_id = c.workspace_id
      where c.workspace_id = ${workspaceId} and c.id = ${id} and c.deleted_at is null`
    if (!row) return undefined
    const { numberRate, numberStatus, qualityRating, ...rest } = row
    const number = numberRate !== null && {
      messagesPerSecond: numberRate,
      status: numberStatus,
      qualityRating,
      messagingLimit: null,
    }
    return { ...rest, number: number || null }
  }
