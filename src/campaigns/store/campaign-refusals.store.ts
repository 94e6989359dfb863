// How often the provider has refused the sends of a campaign in a row, counted in the statement that writes the
// outcomes. All workers share the count.
import type { SendOutcome } from '../../messaging/ports.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import type { CampaignId } from '../../shared/ids.ts'
import { campaignMachine } from '../campaign.machine.ts'
import { refusalRuns, refusalsInARow } from '../count-refusals.ts'

/**
 * The CTE `counted_refusals`, which joins the runs of these outcomes to the stored ones. A run of an older epoch is
 * ignored, one of a newer epoch begins anew: so a campaign that was resumed pauses again only after as many further
 * refusals. A campaign without refusals has no row.
 */
export function refusalsCounted(sql: Sql, outcomes: readonly SendOutcome[]) {
  const runs = refusalRuns(outcomes)
  if (runs.length === 0) return sql`counted_refusals as (select)`
  const goesOn = sql`k.epoch = excluded.epoch and k.code = r."headCode" and k.code <> ''`
  const run = sql`from refusal_runs r where r."campaignId" = k.campaign_id and r.epoch = excluded.epoch`
  return sql`
  refusal_runs as (
    select *
    from jsonb_to_recordset(${sql.json(runs as never)}) as r ("campaignId" uuid, "workspaceId" uuid, epoch bigint,
      "headCode" text, head integer, "headError" jsonb, "tailCode" text, tail integer, "isWhole" boolean, tripped jsonb)
  ),
  counted_refusals as (
    insert into campaign_refusals as k (campaign_id, workspace_id, epoch, code, in_a_row, tripped)
    select "campaignId", "workspaceId", epoch, "tailCode", tail, tripped
    from (select distinct on ("campaignId") * from refusal_runs order by "campaignId", epoch desc) r
    where not "isWhole" or "tailCode" <> ''
      or exists (select from campaign_refusals kept where kept.campaign_id = r."campaignId" and kept.code <> '')
    -- Ordered, so that two batches cannot deadlock.
    order by "campaignId"
    on conflict (campaign_id) do update
    set epoch = excluded.epoch,
      code = excluded.code,
      in_a_row = excluded.in_a_row + (
        select case when ${goesOn} and r."isWhole" then k.in_a_row else 0 end ${run}
      ),
      tripped = coalesce(
        case when k.epoch = excluded.epoch then k.tripped end,
        excluded.tripped,
        (select case when ${goesOn} and k.in_a_row + r.head >= ${refusalsInARow} then r."headError" end ${run})
      )
    where k.epoch <= excluded.epoch
  )`
}

/** Pauses those of the campaigns that were refused too often since they were last started. */
export async function pauseRefused(sql: Sql, ids: readonly CampaignId[]): Promise<CampaignId[]> {
  const paused = await sql<{ id: CampaignId }[]>`
    update campaigns c
    set status = 'PAUSED', epoch = c.epoch + 1, pause_reason = 'TOO_MANY_FAILURES', pause_error = k.tripped,
      paused_at = now(), updated_at = now()
    from campaign_refusals k
    where c.id = any(${ids as CampaignId[]}::uuid[]) and c.deleted_at is null
      and c.status in (${sources(sql, campaignMachine, 'PAUSED')}) and c.status <> 'SCHEDULED'
      and k.campaign_id = c.id and k.workspace_id = c.workspace_id and k.epoch = c.epoch and k.tripped is not null
    returning c.id`
  return paused.map(({ id }) => id)
}
