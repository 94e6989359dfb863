// What attempts came to: their rows, the delivery's state and the endpoint's counter, in one statement.
import { limits } from '../contract/limits.ts'
import { type DeliveryId, type EndpointId, newId } from '../shared/ids.ts'
import type { RecordedAttempts } from '../webhooks/recorder.ts'
import type { AttemptRecord } from '../webhooks/settle-attempt.ts'
import type { Sql } from './sql.ts'

export const attemptStore = (sql: Sql) => ({
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
          response_body text, remote_address text, reused_connection boolean, replay boolean, state text,
          delay_ms double precision)
      ),
      streak as (
        select * from jsonb_to_recordset(${sql.json(streaks as never)}) as s (
          endpoint_id uuid, has_success boolean, opening integer, longest integer, closing integer)
      ),
      counted as (
        update endpoints e
        set consecutive_failures = least(${limits.failuresToDisable},
            case when s.has_success then s.closing else e.consecutive_failures + s.opening end),
          enabled = e.enabled and not (${switchesOff(sql)}),
          disabled_at = case when e.enabled and ${switchesOff(sql)} then now() else e.disabled_at end,
          disabled_reason = case when e.enabled and ${switchesOff(sql)} then 'FAILURES' else e.disabled_reason end,
          config_version = e.config_version + case when e.enabled and ${switchesOff(sql)} then 1 else 0 end,
          switched_off_by = case when e.enabled and ${switchesOff(sql)} then pg_current_xact_id() else e.switched_off_by end
        from streak s
        where e.id = s.endpoint_id
          -- Nearly every batch: nothing to count, so the row is left alone.
          and not (s.opening = 0 and s.longest = 0 and s.closing = 0 and e.consecutive_failures = 0)
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
          state = case
            when d.state = 'DISCARDED' then d.state
            when ${replayFollows(sql)} then 'PENDING'
            when a.state = 'RETRYING' and (d.state = 'HELD' or not coalesce(c.enabled, e.enabled)) then 'HELD'
            else a.state
          end,
          next_attempt_at = case
            when ${replayFollows(sql)} then now()
            when a.state = 'RETRYING' and d.state in ('PENDING', 'RETRYING') and coalesce(c.enabled, e.enabled)
            then now() + a.delay_ms * interval '1 millisecond'
          end,
          finished_at = case when a.state <> 'RETRYING' and not ${replayFollows(sql)} then now() end,
          replay = ${replayFollows(sql)}
        from attempt a
        join endpoints e on e.id = a.endpoint_id
        left join counted c on c.id = a.endpoint_id
        where d.id = a.delivery_id
          and d.attempt_count = a.number - 1
          -- Held or discarded while the attempt was on the wire: what came of it is kept all the same.
          and d.state in ('PENDING', 'RETRYING', 'HELD', 'DISCARDED')
        returning d.id, d.endpoint_id, d.state, a.id as attempt_id, a.number, a.delay_ms
      ),
      logged as (
        insert into attempts (id, workspace_id, delivery_id, endpoint_id, number, at, status_code, error, duration_ms,
          timings, response_headers, response_body, remote_address, reused_connection)
        select a.id, a.workspace_id, a.delivery_id, a.endpoint_id, a.number, a.at, a.status_code, a.error, a.duration_ms,
          a.timings, a.response_headers, decode(a.response_body, 'base64'), a.remote_address, a.reused_connection
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

/** An operator asked for a replay while this attempt was on the wire, and it failed: the replay is still to be made. */
const replayFollows = (sql: Sql) =>
  sql`(d.state = 'PENDING' and d.replay and not a.replay and a.state <> 'DELIVERED')`

const switchesOff = (sql: Sql) => sql`
  (e.consecutive_failures + s.opening >= ${limits.failuresToDisable} or s.longest >= ${limits.failuresToDisable})`

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
    remote_address: report.remoteAddress,
    reused_connection: report.remoteAddress === null ? null : report.reusedConnection,
    replay: item.replay,
    state: states[verdict.type],
    delay_ms: verdict.type === 'retry' ? verdict.delayMs : null,
  }
}

interface Streak {
  endpoint_id: EndpointId
  has_success: boolean
  /** Failures before the first success, after the last one, and the longest run between two. */
  opening: number
  closing: number
  longest: number
}

/** Folds the outcomes of each endpoint, in order, so that one update counts them exactly. */
function streaksOf(records: readonly AttemptRecord[]): Streak[] {
  const streaks = new Map<EndpointId, Streak>()
  for (const { endpointId, counts } of records) {
    const streak = streaks.get(endpointId) ?? {
      endpoint_id: endpointId,
      has_success: false,
      opening: 0,
      closing: 0,
      longest: 0,
    }
    streaks.set(endpointId, streak)
    if (counts === 'success') {
      streak.has_success = true
      streak.closing = 0
    } else if (counts === 'failure') {
      streak.closing += 1
      if (streak.has_success) streak.longest = Math.max(streak.longest, streak.closing)
      else streak.opening += 1
    }
  }
  return [...streaks.values()]
}
