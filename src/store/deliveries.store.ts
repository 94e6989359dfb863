// Queued deliveries: what waits, and what each attempt came to.
import type { EventKind } from '../contract/events.ts'
import { limits } from '../contract/limits.ts'
import { type DeliveryId, type EndpointId, newId } from '../shared/ids.ts'
import type { QueuedItem } from '../webhooks/endpoint.ts'
import type { AttemptRecord } from '../webhooks/settle-attempt.ts'
import type { Sql } from './sql.ts'

export type DeliveryStore = ReturnType<typeof deliveryStore>

interface PendingRow {
  id: DeliveryId
  kind: EventKind
  key: string
  body: Buffer
  attemptCount: number
  replay: boolean
}

export interface RecordedAttempts {
  /** Retries to set a timer for: delivery, its next attempt's number, milliseconds from now. */
  readonly retries: readonly {
    deliveryId: DeliveryId
    endpointId: EndpointId
    attemptNumber: number
    delayMs: number
  }[]
  /** What the rows of the endpoints in this batch say now. */
  readonly endpoints: readonly {
    id: EndpointId
    enabled: boolean
    consecutiveFailures: number
    switchedOff: boolean
  }[]
}

export const deliveryStore = (sql: Sql) => ({
  /** What an endpoint has waiting: first attempts and replays in their order, then retries that are due. */
  async pending(
    endpointId: EndpointId,
    options: { readonly exclude: readonly string[]; readonly limit: number },
  ): Promise<{ items: QueuedItem[]; more: boolean }> {
    const known = options.exclude as string[]
    const rows = await sql<PendingRow[]>`
      with waiting as (
        (select id, event_id, kind, key, attempt_count, replay, 1 as turn
         from deliveries
         where endpoint_id = ${endpointId} and state = 'PENDING' and id <> all(${known}::uuid[])
         order by id
         limit ${options.limit + 1})
        union all
        (select id, event_id, kind, key, attempt_count, replay, 2
         from deliveries
         where endpoint_id = ${endpointId} and state = 'RETRYING' and next_attempt_at <= now()
           and id <> all(${known}::uuid[])
         order by next_attempt_at
         limit ${options.limit + 1})
      )
      select w.id, w.kind, w.key, e.body, w.attempt_count, w.replay
      from waiting w
      join events e on e.id = w.event_id
      order by w.turn, w.id
      limit ${options.limit + 1}`
    return { items: rows.slice(0, options.limit).map(toItem), more: rows.length > options.limit }
  },

  /** One retry whose timer rang; undefined where it was overtaken: replayed, held, discarded, or not due yet. */
  async dueRetry(
    id: DeliveryId,
    attemptNumber: number,
  ): Promise<{ item: QueuedItem; endpointId: EndpointId } | undefined> {
    const [row] = await sql<(PendingRow & { endpointId: EndpointId })[]>`
      select d.id, d.kind, d.key, e.body, d.attempt_count, d.replay, d.endpoint_id
      from deliveries d
      join events e on e.id = d.event_id
      where d.id = ${id}
        and d.state = 'RETRYING'
        and d.attempt_count = ${attemptNumber - 1}
        and d.next_attempt_at <= now()`
    return row && { item: toItem(row), endpointId: row.endpointId }
  },

  /** Enabled endpoints with rows that wait longer than they should: a crash, a lost timer, a full lane. */
  async overdueEndpoints(limit: number): Promise<EndpointId[]> {
    // Jumps from endpoint to endpoint along the index, so one with a long backlog costs no more than one with a row.
    const rows = await sql<{ endpointId: EndpointId }[]>`
      with recursive open as (
        (select endpoint_id from deliveries where state in ('PENDING', 'RETRYING') order by endpoint_id limit 1)
        union all
        select (
          select d.endpoint_id
          from deliveries d
          where d.state in ('PENDING', 'RETRYING') and d.endpoint_id > open.endpoint_id
          order by d.endpoint_id
          limit 1)
        from open
        where open.endpoint_id is not null
      )
      select open.endpoint_id
      from open
      join endpoints e on e.id = open.endpoint_id and e.enabled and e.deleted_at is null
      where exists (
        select from deliveries d
        where d.endpoint_id = open.endpoint_id
          and d.state in ('PENDING', 'RETRYING')
          and d.next_attempt_at < now() - case when d.state = 'RETRYING' then interval '5 seconds' else interval '0' end)
      limit ${limit}`
    return rows.map((row) => row.endpointId)
  },

  /** Moves what waits for endpoints that are off to HELD, some at a time; returns how many were moved. */
  async holdForDisabled(limit: number): Promise<number> {
    const rows = await sql`
      update deliveries
      set state = 'HELD', next_attempt_at = null
      where id in (
        select d.id
        from endpoints e
        join deliveries d on d.endpoint_id = e.id
        where not e.enabled and d.state in ('PENDING', 'RETRYING')
        limit ${limit}
        for update of d skip locked)`
    return rows.count
  },

  /** Attempt rows, delivery states and endpoint counters of many attempts, in one statement (architecture 3.9, T4). */
  async record(records: readonly AttemptRecord[]): Promise<RecordedAttempts> {
    const charged = records.filter((record) => record.verdict.type !== 'uncharged')
    const uncharged = records.filter((record) => record.verdict.type === 'uncharged')
    if (uncharged.length > 0) await postpone(sql, uncharged)
    if (charged.length === 0) return { retries: [], endpoints: [] }
    const streaks = streaksOf(charged)
    const rows = await sql<RecordedRow[]>`
      with attempt as (
        select * from jsonb_to_recordset(${sql.json(charged.map(toAttemptRow) as never)}) as a (
          id uuid, workspace_id uuid, delivery_id uuid, endpoint_id uuid, number integer, at timestamptz,
          status_code integer, error text, duration_ms integer, timings jsonb, response_headers jsonb,
          response_body text, state text, delay_ms double precision)
      ),
      streak as (
        select * from jsonb_to_recordset(${sql.json(streaks as never)}) as s (
          endpoint_id uuid, has_success boolean, leading integer, peak integer, trailing integer)
      ),
      counted as (
        update endpoints e
        set consecutive_failures = least(${limits.failuresToDisable},
            case when s.has_success then s.trailing else e.consecutive_failures + s.leading end),
          enabled = e.enabled and not (${switchesOff(sql)}),
          disabled_at = case when e.enabled and ${switchesOff(sql)} then now() else e.disabled_at end,
          disabled_reason = case when e.enabled and ${switchesOff(sql)} then 'FAILURES' else e.disabled_reason end,
          config_version = e.config_version + case when e.enabled and ${switchesOff(sql)} then 1 else 0 end,
          switched_off_by = case when e.enabled and ${switchesOff(sql)} then pg_current_xact_id() else e.switched_off_by end
        from streak s
        where e.id = s.endpoint_id
        returning e.id, e.workspace_id, e.enabled, e.consecutive_failures,
          e.switched_off_by is not distinct from pg_current_xact_id() as switched_off
      ),
      audited as (
        insert into audit (id, workspace_id, action, subject_kind, subject_id, after)
        select new_uuid(), workspace_id, 'endpoint.switched_off', 'endpoint', id,
          jsonb_build_object('reason', 'FAILURES', 'consecutiveFailures', consecutive_failures)
        from counted
        where switched_off
      ),
      moved as (
        update deliveries d
        set attempt_count = a.number,
          state = case when a.state = 'RETRYING' and not coalesce(c.enabled, e.enabled) then 'HELD' else a.state end,
          next_attempt_at = case
            when a.state = 'RETRYING' and coalesce(c.enabled, e.enabled)
            then now() + a.delay_ms * interval '1 millisecond'
          end,
          finished_at = case when a.state <> 'RETRYING' then now() end,
          replay = false
        from attempt a
        join endpoints e on e.id = a.endpoint_id
        left join counted c on c.id = a.endpoint_id
        where d.id = a.delivery_id and d.attempt_count = a.number - 1 and d.state in ('PENDING', 'RETRYING')
        returning d.id, d.endpoint_id, d.state, a.id as attempt_id, a.number, a.delay_ms
      ),
      logged as (
        insert into attempts (id, workspace_id, delivery_id, endpoint_id, number, at, status_code, error, duration_ms,
          timings, response_headers, response_body)
        select a.id, a.workspace_id, a.delivery_id, a.endpoint_id, a.number, a.at, a.status_code, a.error, a.duration_ms,
          a.timings, a.response_headers, decode(a.response_body, 'base64')
        from attempt a
        join moved m on m.attempt_id = a.id
      )
      select 'retry' as type, id, endpoint_id, number, delay_ms, null::boolean as enabled,
        null::integer as consecutive_failures, null::boolean as switched_off
      from moved
      where state = 'RETRYING'
      union all
      select 'endpoint', id, id, null, null, enabled, consecutive_failures, switched_off
      from counted`
    return toRecorded(rows)
  },
})

/** No attempt was used up: the delivery waits its turn again, a second from now. */
const postpone = (sql: Sql, records: readonly AttemptRecord[]) => sql`
  update deliveries
  set next_attempt_at = now() + interval '1 second'
  where id = any(${records.map((record) => record.item.deliveryId)}::uuid[]) and state in ('PENDING', 'RETRYING')`

const switchesOff = (sql: Sql) => sql`
  (e.consecutive_failures + s.leading >= ${limits.failuresToDisable} or s.peak >= ${limits.failuresToDisable})`

interface RecordedRow {
  type: 'retry' | 'endpoint'
  id: string
  endpointId: EndpointId
  number: number
  delayMs: number
  enabled: boolean
  consecutiveFailures: number
  switchedOff: boolean
}

function toRecorded(rows: readonly RecordedRow[]): RecordedAttempts {
  return {
    retries: rows
      .filter((row) => row.type === 'retry')
      .map((row) => ({
        deliveryId: row.id as DeliveryId,
        endpointId: row.endpointId,
        attemptNumber: row.number + 1,
        delayMs: row.delayMs,
      })),
    endpoints: rows
      .filter((row) => row.type === 'endpoint')
      .map((row) => ({
        id: row.endpointId,
        enabled: row.enabled,
        consecutiveFailures: row.consecutiveFailures,
        switchedOff: row.switchedOff,
      })),
  }
}

const toItem = (row: PendingRow): QueuedItem => ({
  deliveryId: row.id,
  kind: row.kind,
  key: row.key,
  body: row.body.toString('utf8'),
  attemptNumber: row.attemptCount + 1,
  replay: row.replay,
})

const states = {
  delivered: 'DELIVERED',
  retry: 'RETRYING',
  failed: 'FAILED',
  blocked: 'BLOCKED',
  uncharged: null,
} as const

function toAttemptRow({ item, report, verdict, ...record }: AttemptRecord): Record<string, unknown> {
  const { outcome } = report
  return {
    id: newId('attempt'),
    workspace_id: record.workspaceId,
    delivery_id: item.deliveryId,
    endpoint_id: record.endpointId,
    number: item.attemptNumber,
    at: record.startedAt.toISOString(),
    status_code: 'statusCode' in outcome ? outcome.statusCode : null,
    error: 'code' in outcome ? outcome.code : null,
    duration_ms: Math.round(report.durationMs),
    timings: report.timings,
    response_headers: report.responseHeaders,
    response_body: report.responseBody && Buffer.from(report.responseBody).toString('base64'),
    state: states[verdict.type],
    delay_ms: verdict.type === 'retry' ? verdict.delayMs : null,
  }
}

interface Streak {
  endpoint_id: EndpointId
  has_success: boolean
  /** Failures before the first success, after the last one, and the longest run between two. */
  leading: number
  trailing: number
  peak: number
}

/** Folds the outcomes of each endpoint, in order, so that one update counts them exactly. */
export function streaksOf(records: readonly AttemptRecord[]): Streak[] {
  const streaks = new Map<EndpointId, Streak>()
  for (const { endpointId, counts } of records) {
    const streak = streaks.get(endpointId) ?? {
      endpoint_id: endpointId,
      has_success: false,
      leading: 0,
      trailing: 0,
      peak: 0,
    }
    streaks.set(endpointId, streak)
    if (counts === 'success') {
      streak.has_success = true
      streak.trailing = 0
    } else if (counts === 'failure') {
      streak.trailing += 1
      if (streak.has_success) streak.peak = Math.max(streak.peak, streak.trailing)
      else streak.leading += 1
    }
  }
  return [...streaks.values()]
}
