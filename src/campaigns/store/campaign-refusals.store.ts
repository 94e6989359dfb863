// How often the provider has refused the sends of a campaign in a row, counted in the statement that writes the
// outcomes, and in the messages where it tells that only later. All processes share the count.
import { personalCodes } from '../../contract/provider-errors.ts'
import type { SendOutcome } from '../../messaging/ports.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import type { CampaignId, MessageId } from '../../shared/ids.ts'
import { campaignMachine } from '../campaign.machine.ts'
import { refusalRuns, refusalsInARow } from '../count-refusals.ts'
import { moving } from './move-lock.ts'

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
export const pauseRefused = (sql: Sql, ids: readonly CampaignId[]): Promise<CampaignId[]> =>
  pauseTripped(
    sql,
    sql`
      select c.id, c.epoch, k.tripped
      from campaigns c
      join campaign_refusals k on k.campaign_id = c.id and k.workspace_id = c.workspace_id and k.epoch = c.epoch
      where c.id = any(${ids as CampaignId[]}::uuid[]) and k.tripped is not null`,
  )

/** So many messages before a failed one and after it are looked at. */
const mostNear = 1_000

/**
 * Pauses the campaigns of these failed messages where so many messages that were sent one after the other, since the
 * campaign was last paused, have failed with one code. One that the provider has told nothing of interrupts: good news
 * may take longer than bad.
 */
export function pauseFailing(sql: Sql, messageIds: readonly MessageId[]): Promise<CampaignId[]> {
  // The limit first: else the few since a pause would be looked for among all that were sent before it.
  const messagesOf = (near: ReturnType<typeof sql>) => sql`
    select id, status, error, error ->> 'code' as code
    from (
      select id, status, error, created_at
      from messages
      where workspace_id = f.workspace_id and campaign_id = f.id and ${near}
      limit ${mostNear}
    ) nearest
    where created_at > coalesce(f.paused_at, '-infinity')
      and (error ->> 'code' = any(${personalCodes as string[]}::text[])) is not true`
  return pauseTripped(
    sql,
    sql`
      select f.id, f.epoch, streak.error as tripped
      from (
        select c.id, c.workspace_id, c.epoch, c.paused_at, min(m.id::text)::uuid as first
        from messages m
        join campaigns c on c.id = m.campaign_id and c.workspace_id = m.workspace_id
        where m.id = any(${messageIds as MessageId[]}::uuid[]) and c.status = 'RUNNING'
        group by c.id
      ) f
      cross join lateral (
        select error
        from (
          select id, error, count(code) filter (where status = 'FAILED') over streak as failed,
            min(code) over streak as one, max(code) over streak as other
          from (
            (${messagesOf(sql`id < f.first order by id desc`)} order by id desc limit ${refusalsInARow - 1})
            union all
            (${messagesOf(sql`id >= f.first order by id`)})
          ) near
          window streak as (order by id rows ${refusalsInARow - 1} preceding)
        ) streaks
        where failed = ${refusalsInARow} and one = other
        order by id desc
        limit 1
      ) streak`,
  )
}

/** `tripped` is a query of campaigns and errors: id, epoch, tripped. */
async function pauseTripped(sql: Sql, tripped: Fragment): Promise<CampaignId[]> {
  const paused = await sql<{ id: CampaignId }[]>`
    with tripped as (${tripped}),
    ${moving(sql, sql`select id from tripped`)}
    update campaigns c
    set status = 'PAUSED', epoch = c.epoch + 1, pause_reason = 'TOO_MANY_FAILURES', pause_error = k.tripped,
      paused_at = now(), updated_at = now()
    from tripped k
    join moving on moving.id = k.id
    where k.id = c.id and k.epoch = c.epoch and c.deleted_at is null
      and c.status in (${sources(sql, campaignMachine, 'PAUSED')}) and c.status <> 'SCHEDULED'
    returning c.id`
  return paused.map(({ id }) => id)
}
