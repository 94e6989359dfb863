// Reads the input of a campaign's estimate in one query. Writes nothing.

import type { CampaignStatus } from '../../contract/records/campaign.ts'
import { stoppedBy } from '../../messaging/store/account-health.store.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { type CampaignId, idFloor, type WorkspaceId } from '../../shared/ids.ts'
import type { Outlook } from '../estimate.ts'
import { stopsOf } from './campaigns-halted.ts'

interface Row {
  readonly status: CampaignStatus
  readonly pending: number
  readonly messagesPerSecond: number | null
  readonly startAt: Date | null
  readonly numberRate: number | null
  readonly numberStatus: string
  readonly phoneNumberId: string
  readonly qualityRating: string
  readonly otherPaces: readonly (number | null)[]
  readonly templateStatus: string | null
  readonly stopped: { readonly message: string } | null
  readonly limitCustomers: number | null
}

export const createOutlookReader =
  (sql: Sql) =>
  async (workspaceId: WorkspaceId, id: CampaignId): Promise<Outlook | undefined> => {
    const [row] = await sql<Row[]>`
      select c.status, c.messages_per_second, c.start_at, t.status as template_status,
        n.messages_per_second as number_rate, n.status as number_status, n.phone_number_id, n.quality_rating,
        coalesce((
          select sum(amount)::bigint from campaign_counts k where k.campaign_id = c.id and k.name = 'pending'
        ), 0) as pending,
        array(
          select o.messages_per_second
          from campaigns o
          where o.status = 'RUNNING' and o.number_id = c.number_id and o.workspace_id = c.workspace_id
            and o.id <> c.id and o.deleted_at is null
        ) as other_paces,
        ${stoppedBy(sql, { workspaceId: sql`c.workspace_id`, stops: stopsOf(sql) })} as stopped,
        (
          select (s.details ->> 'customers')::float8
          from account_states s
          where s.workspace_id = c.workspace_id and s.topic = 'MESSAGING_LIMIT' and s.key = ''
        ) as limit_customers
      from campaigns c
      left join templates t on t.workspace_id = c.workspace_id and t.name = c.template_name
        and t.language = c.template_language
      left join numbers n on n.id = c.number_id and n.workspace_id = c.workspace_id
      where c.workspace_id = ${workspaceId} and c.id = ${id} and c.deleted_at is null`
    if (!row) return undefined
    const { numberRate, numberStatus, phoneNumberId, qualityRating, limitCustomers, ...rest } = row
    const messagingLimit =
      limitCustomers === null
        ? null
        : { customers: limitCustomers, used: await startedWith(sql, workspaceId, limitCustomers) }
    const number = numberRate !== null && {
      messagesPerSecond: numberRate,
      phoneNumberId,
      status: numberStatus,
      qualityRating,
      messagingLimit,
    }
    return { ...rest, number: number || null }
  }

const dayMs = 86_400_000
/** Counting stops here: an estimate must not read all messages of a large day. */
const mostMessages = 200_000

/** Customers who got a template in the last 24 hours, at most the limit. */
async function startedWith(sql: Sql, workspaceId: WorkspaceId, limit: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(distinct contact_id)::int as count
    from (
      select contact_id
      from messages
      where workspace_id = ${workspaceId} and id >= ${idFloor(Date.now() - dayMs)} and direction = 'OUTBOUND'
        and type = 'TEMPLATE' and status in ('SENT', 'DELIVERED', 'READ')
      order by id desc
      limit ${mostMessages}
    ) sent`
  return Math.min(row.count, limit)
}
