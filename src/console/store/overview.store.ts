// Reads the figures of a workspace's overview. An index and a cap or a time span bound each of them: no query
// counts a whole table.
import type { OverviewFigures, OverviewStore } from '../../contract/overview.ts'
import type { DeliveryState } from '../../contract/records/delivery.ts'
import { countCap } from '../../contract/records/overview.ts'
import { everyAttempt } from '../../platform/postgres/every-attempt.ts'
import { type Piece, within } from '../../platform/postgres/keyset.ts'
import { isLive, isLogged } from '../../platform/postgres/logged-or-live.ts'
import { isIn } from '../../platform/postgres/settled-or-pending.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { idFloor, type WorkspaceId } from '../../shared/ids.ts'

const dayMs = 86_400_000
const minuteMs = 60_000
/** A thousand messages a second. */
const minuteCap = 60_000
/** At most this many items of one kind are listed. For campaigns, only the newest ones are searched. */
const mostListed = 50
const campaignsLookedAt = 100
const callsLookedAt = 20
const elementsLookedAt = 500

export const createOverviewStore = (sql: Sql): OverviewStore => ({
  async figures(workspaceId, times) {
    const [waiting, rest] = await Promise.all([
      waitingOf(sql, workspaceId, times),
      restOf(sql, workspaceId, times),
    ])
    return { ...waiting, ...rest }
  },

  async messagesIn(workspaceId, minutesMs) {
    if (minutesMs.length === 0) return []
    const rows = await sql<{ count: number }[]>`
      select (
        select count(*)::integer
        from (
          select from messages
          where workspace_id = ${workspaceId} and id >= minute.first and id < minute.after
          limit ${minuteCap}
        ) counted
      ) as count
      from unnest(
        ${minutesMs.map((ms) => idFloor(ms))}::uuid[], ${minutesMs.map((ms) => idFloor(ms + minuteMs))}::uuid[]
      ) with ordinality as minute (first, after, place)
      order by place`
    return rows.map(({ count }) => count)
  },
})

type Waiting = Pick<
  OverviewFigures,
  'deliveriesPending' | 'deliveriesRetrying' | 'endpoints' | 'notUnderstood'
>

/**
 * These queries cover the partitions of all days, so planning is expensive. No parameter of a
 * partitioned table is a time, so Postgres finds one generic plan good for any values and caches it.
 */
async function waitingOf(sql: Sql, workspaceId: WorkspaceId, { now }: Times): Promise<Waiting> {
  const dayAgo = idFloor(now.getTime() - dayMs)
  const rows = await sql<Waiting[]>`
    select
      ${counted(sql, inState(sql, workspaceId, 'PENDING'))} as deliveries_pending,
      ${counted(sql, inState(sql, workspaceId, 'RETRYING'))} as deliveries_retrying,
      ${listed(sql, endpoints(sql, workspaceId))} as endpoints,
      ${notUnderstood(sql, workspaceId, dayAgo)} as not_understood`
  return only(rows)
}

interface Times {
  readonly now: Date
  /** From when what failed counts. */
  readonly since: Date
}

type Rest = Omit<OverviewFigures, keyof Waiting>

async function restOf(sql: Sql, workspaceId: WorkspaceId, { now, since }: Times): Promise<Rest> {
  const dayAgo = idFloor(now.getTime() - dayMs)
  const rows = await sql<Rest[]>`
    select
      ${counted(
        sql,
        sql`
        select from calls
        where workspace_id = ${workspaceId} and ${isLive(sql)}`,
      )} as calls_live,
      ${counted(sql, failed(sql, 'messages', { workspaceId, since }))} as messages_failed,
      ${counted(sql, failed(sql, 'deliveries', { workspaceId, since }))} as deliveries_failed,
      ${counted(
        sql,
        sql`
        select from campaigns
        where workspace_id = ${workspaceId} and status = 'RUNNING' and deleted_at is null`,
      )} as campaigns_running,
      ${listed(sql, numbers(sql, workspaceId, dayAgo))} as numbers,
      ${listed(sql, templates(sql, workspaceId))} as templates,
      ${listed(sql, account(sql, workspaceId))} as account,
      ${listed(sql, campaigns(sql, workspaceId))} as campaigns,
      ${listed(sql, keys(sql, workspaceId, now))} as keys`
  return only(rows)
}

function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (!row) throw new Error('a statement without a table gave no row')
  return row
}

const counted = (sql: Sql, rows: Piece) =>
  sql`(select count(*)::integer from (${rows} limit ${countCap}) counted)`

const listed = (sql: Sql, rows: Piece) => sql`(select coalesce(json_agg(listed), '[]') from (${rows}) listed)`

const inState = (sql: Sql, workspaceId: WorkspaceId, state: DeliveryState) => sql`
  select from deliveries where workspace_id = ${workspaceId} and ${isIn(sql, state)}`

/**
 * Made since then, as in the lists that the figures lead to. Messages are settled within minutes and deliveries within
 * three hours, so a span of a day misses no failure for long.
 */
const failed = (
  sql: Sql,
  table: 'messages' | 'deliveries',
  { workspaceId, since }: { readonly workspaceId: WorkspaceId; readonly since: Date },
) => sql`
  select from ${sql(table)}
  where workspace_id = ${workspaceId}
    ${
      table === 'messages'
        ? sql`and status = 'FAILED' and direction = 'OUTBOUND' ${within(sql, table, 'created_at', { since })}`
        : sql`and state = 'FAILED' and id >= ${idFloor(since.getTime())}`
    }`

const endpoints = (sql: Sql, workspaceId: WorkspaceId) => sql`
  select e.id, e.name, e.enabled, e.consecutive_failures as "consecutiveFailures", e.disabled_at as "disabledAt",
    o.name as "turnedOffBy",
    e.enabled and 'message.received' = any(e.events) as "receivesMessages",
    coalesce(e.disabled_reason = 'FAILURES', false) as "byFailures",
    ${counted(sql, sql`select from deliveries d where d.endpoint_id = e.id and d.state = 'HELD'`)} as held,
    case when not e.enabled or e.consecutive_failures > 0 then (
      select json_build_object('at', attempt.at, 'statusCode', status_code, 'error', error)
      from ${everyAttempt(sql)}
      and attempt.endpoint_id = e.id and attempt.workspace_id = e.workspace_id
      order by attempt.id desc
      limit 1
    ) end as "lastAttempt"
  from endpoints e
  left join operators o on o.id = e.disabled_by and not e.enabled
  where e.workspace_id = ${workspaceId} and e.deleted_at is null
  order by e.id desc`

/** Of number `n`. */
const callsOf = (
  sql: Sql,
  workspaceId: WorkspaceId,
  { dayAgo, areThey }: { readonly dayAgo: string; readonly areThey: Piece },
) => sql`
  select id, last_forward_error
  from calls
  where n.forward_calls and workspace_id = ${workspaceId} and number_id = n.id and id >= ${dayAgo}
    and direction = 'INBOUND' and ${areThey}
  order by id desc
  limit ${callsLookedAt}`

/** Calls of the last day; a number whose calls nobody takes is told by its latest one. */
const numbers = (sql: Sql, workspaceId: WorkspaceId, dayAgo: string) => sql`
  select n.id, n.number, n.status, n.is_default as "isDefault", n.endpoint_id is not null as "isRouted",
    coalesce(c.calls, 0) as calls, coalesce(c.lost, 0) as lost, c.last_error as "lastError", e.name as "endpointName"
  from (
    select id, number, status, is_default, endpoint_id, forward_calls
    from numbers
    where workspace_id = ${workspaceId}
    order by is_default desc, id desc
    limit ${mostListed}
  ) n
  left join lateral (
    select count(*)::integer as calls, count(last_forward_error)::integer as lost,
      (array_agg(last_forward_error order by id desc))[1] as last_error
    from (
      (${callsOf(sql, workspaceId, { dayAgo, areThey: isLogged(sql) })})
      union all
      (${callsOf(sql, workspaceId, { dayAgo, areThey: isLive(sql) })})
      order by id desc
      limit ${callsLookedAt}
    ) latest
  ) c on true
  left join endpoints e on e.id::text = c.last_error ->> 'endpointId' and e.workspace_id = ${workspaceId}
  order by n.is_default desc, n.id desc`

const templates = (sql: Sql, workspaceId: WorkspaceId) => sql`
  select t.id, t.name, t.language, t.status, t.status_reason as reason, coalesce(s.at, t.updated_at) as since
  from templates t
  left join account_states s on s.workspace_id = t.workspace_id and s.topic = 'TEMPLATE_STATUS' and s.status = t.status
    and s.template ->> 'name' = t.name and s.template ->> 'language' = t.language
  where t.workspace_id = ${workspaceId} and t.status in ('PAUSED', 'DISABLED', 'REJECTED')
  order by t.id desc
  limit ${mostListed}`

const keys = (sql: Sql, workspaceId: WorkspaceId, now: Date) => sql`
  select id, name, expires_at as "expiresAt", last_used_at as "lastUsedAt"
  from api_keys
  where workspace_id = ${workspaceId} and revoked_at is null
    and expires_at > ${new Date(now.getTime() - 3 * dayMs)} and expires_at < ${new Date(now.getTime() + 14 * dayMs)}
  order by expires_at
  limit ${mostListed}`

/** Of the latest that were linked to nothing; most of these are news of the account, which were understood. */
const notUnderstood = (sql: Sql, workspaceId: WorkspaceId, dayAgo: string) => sql`(
  select json_build_object('count', count(*)::integer, 'lastId', max(id::text))
  from (
    select id, reason, applied_at
    from inbound_elements
    where workspace_id = ${workspaceId} and people is not null
    order by id desc
    limit ${elementsLookedAt}
  ) latest
  where id >= ${dayAgo} and reason is not null and reason <> 'irrelevant' and applied_at is null
)`

/** Stopped templates are listed by their own status. */
const account = (sql: Sql, workspaceId: WorkspaceId) => sql`
  select topic, key, severity = 'CRITICAL' as "isCritical", message, advice, until, at
  from account_states
  where workspace_id = ${workspaceId} and severity <> 'INFO' and topic <> 'TEMPLATE_STATUS'
    and coalesce(until, 'infinity') > now()
  order by severity = 'CRITICAL' desc, at desc
  limit ${mostListed}`

const campaigns = (sql: Sql, workspaceId: WorkspaceId) => sql`
  select c.id, c.name, c.paused_at as "pausedAt",
    case when c.status = 'PAUSED' then c.pause_reason end as "pauseReason",
    case when c.status = 'PAUSED' then c.pause_error end as "pauseError",
    counts.pending, counts.unknown
  from (
    select id, name, status, pause_reason, pause_error, paused_at
    from campaigns
    where workspace_id = ${workspaceId} and deleted_at is null
    order by id desc
    limit ${campaignsLookedAt}
  ) c
  cross join lateral (
    select coalesce(sum(amount) filter (where name = 'unknown'), 0)::integer as unknown,
      coalesce(sum(amount) filter (where name = 'pending'), 0)::integer as pending
    from campaign_counts
    where campaign_id = c.id and name in ('unknown', 'pending')
  ) counts
  where counts.unknown > 0 or c.status = 'PAUSED' and c.pause_reason is not null
  order by c.id desc`
