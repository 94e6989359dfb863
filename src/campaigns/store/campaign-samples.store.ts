// Samples of the progress of campaigns over time, for their charts.
import type { CampaignSample } from '../../contract/records/console.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { CampaignId, WorkspaceId } from '../../shared/ids.ts'

/** Samples become rarer the longer a campaign runs, so this many cover several weeks. */
const mostSamples = 2_000

type Row = Omit<CampaignSample, 'at'> & { readonly at: Date }

export const createCampaignSampleStore = (sql: Sql) => ({
  /**
   * Takes one sample of each campaign that runs or stopped within the last hour, when its previous sample is
   * old enough: five seconds, and a 120th of the campaign's age. Of two concurrent calls one writes. A
   * stopped campaign is sampled only when late statuses have changed its counts.
   */
  async take(): Promise<number> {
    const taken = await sql`
      with sampled as (
        select id, started_at, false as is_stopped
        from campaigns
        where status = 'RUNNING' and deleted_at is null
        union all
        select id, started_at, true
        from campaigns
        where coalesce(completed_at, cancelled_at, paused_at) > now() - interval '1 hour'
          and deleted_at is null and status <> 'RUNNING' and started_at is not null
      ),
      due as materialized (
        select c.id, c.is_stopped, last.sent, last.delivered, last.read, last.failed
        from sampled c
        left join lateral (
          select * from campaign_samples where campaign_id = c.id order by at desc limit 1
        ) last on true
        where last.at is null
          or now() - last.at >= greatest(interval '5 seconds', (now() - c.started_at) / 120)
      )
      insert into campaign_samples (campaign_id, at, sent, delivered, read, failed)
      select due.id, date_bin('5 seconds', now(), 'epoch'), k.sent, k.delivered, k.read, k.failed
      from due
      cross join lateral (
        select
          coalesce(sum(amount) filter (where name in ('sent', 'delivered', 'read')), 0)::bigint as sent,
          coalesce(sum(amount) filter (where name in ('delivered', 'read')), 0)::bigint as delivered,
          coalesce(sum(amount) filter (where name = 'read'), 0)::bigint as read,
          coalesce(sum(amount) filter (where name = 'failed'), 0)::bigint as failed
        from campaign_counts
        where campaign_id = due.id
      ) k
      where not due.is_stopped
        or (k.sent, k.delivered, k.read, k.failed)
          is distinct from (due.sent, due.delivered, due.read, due.failed)
      on conflict do nothing`
    return taken.count
  },

  /** Oldest first; empty for a campaign of another workspace. */
  async list(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignSample[]> {
    const rows = await sql<Row[]>`
      select s.at, s.sent, s.delivered, s.read, s.failed
      from campaigns c
      join campaign_samples s on s.campaign_id = c.id
      where c.id = ${id} and c.workspace_id = ${workspaceId} and c.deleted_at is null
      order by s.at desc
      limit ${mostSamples}`
    return rows.reverse().map((row) => ({ ...row, at: row.at.toISOString() }))
  },
})
