// How often the provider has refused the sends of a campaign in a row, counted in the statement that writes the
// outcomes, and in the messages where it tells that only later. All processes share the count.
import { personalCodes } from '../../contract/provider-errors.ts'
import type { SendOutcome } from '../../messaging/ports.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import type { CampaignId, MessageId } from '../../shared/ids.ts'
import { campaignMachine } from '../campaign.machine.ts'
import { countedAnswers, refusalsInARow } from '../count-refusals.ts'
import { moving } from './move-lock.ts'

/**
 * The CTE `counted_refusals`. It reduces those of the outcomes that the CTE `judged` (id, attempt, moves, fails) applies to
 * what the first and the last answers of each run of a campaign are, and joins that to the stored count: an outcome that
 * is written twice counts once. A run of an older epoch is ignored, one of a newer epoch begins anew: so a campaign that
 * was resumed pauses again only after as many further refusals. A campaign without refusals has no row.
 */
export function refusalsCounted(sql: Sql, outcomes: readonly SendOutcome[]) {
  const answers = countedAnswers(outcomes).map((answer, n) => ({ ...answer, n }))
  if (answers.length === 0) return sql`counted_refusals as (select)`
  const goesOn = sql`k.epoch = excluded.epoch and k.code = r.head_code and k.code <> ''`
  const run = sql`from refusal_runs r where r.campaign_id = k.campaign_id and r.epoch = excluded.epoch`
  return sql`
  answers as (
    select a.*, a.code is distinct from lag(a.code) over (partition by "campaignId", epoch order by n) as begins
    from jsonb_to_recordset(${sql.json(answers as never)}) as a (n integer, "messageId" uuid, "campaignId" uuid,
      "workspaceId" uuid, epoch bigint, code text, error jsonb)
    join judged on judged.id = a."messageId" and (judged.moves or judged.fails)
  ),
  streaks as (
    select "campaignId" as campaign_id, "workspaceId" as workspace_id, epoch, min(n) as n, min(code) as code,
      count(*)::integer as in_a_row, (array_agg(error order by n))[1] as error
    from (
      select *, count(*) filter (where begins) over (partition by "campaignId", epoch order by n) as streak
      from answers
    ) numbered
    group by 1, 2, 3, streak
  ),
  refusal_runs as (
    select campaign_id, workspace_id, epoch, count(*) = 1 as is_whole,
      (array_agg(code order by n))[1] as head_code, (array_agg(in_a_row order by n))[1] as head,
      (array_agg(error order by n))[1] as head_error,
      (array_agg(code order by n desc))[1] as tail_code, (array_agg(in_a_row order by n desc))[1] as tail,
      (array_agg(error order by n) filter (where code <> '' and in_a_row >= ${refusalsInARow}))[1] as tripped
    from streaks
    group by 1, 2, 3
  ),
  counted_refusals as (
    insert into campaign_refusals as k (campaign_id, workspace_id, epoch, code, in_a_row, tripped)
    select campaign_id, workspace_id, epoch, tail_code, tail, tripped
    from (select distinct on (campaign_id) * from refusal_runs order by campaign_id, epoch desc) r
    where not is_whole or tail_code <> ''
      or exists (select from campaign_refusals kept where kept.campaign_id = r.campaign_id and kept.code <> '')
    -- Ordered, so that two batches cannot deadlock.
    order by campaign_id
    on conflict (campaign_id) do update
    set epoch = excluded.epoch,
      code = excluded.code,
      in_a_row = excluded.in_a_row + (
        select case when ${goesOn} and r.is_whole then k.in_a_row else 0 end ${run}
      ),
      tripped = coalesce(
        case when k.epoch = excluded.epoch then k.tripped end,
        excluded.tripped,
        (select case when ${goesOn} and k.in_a_row + r.head >= ${refusalsInARow} then r.head_error end ${run})
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
