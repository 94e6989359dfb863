// Stores results of attempts: their rows, delivery states and endpoint counters, in one statement.
import { limits } from '../../contract/limits.ts'
import { ofIds } from '../../platform/postgres/of-ids.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import type { DeliveryId, EndpointId } from '../../shared/ids.ts'
import { deliveryMachine } from '../delivery.machine.ts'
import type { RecordedAttempts } from '../recorder.ts'
import type { AttemptRecord } from '../settle-attempt.ts'
import { keepsContents, toAttemptRow, withDelivery } from './attempt-row.ts'
import { mayBecome } from './endpoint-standing.ts'

export const createAttemptStore = (sql: Sql) => ({
  /**
   * Stores the results of many attempts. A record may be given again, and an attempt may be reported twice:
   * each attempt of a delivery is stored and counted once, by its first report.
   */
  async record(records: readonly AttemptRecord[]): Promise<RecordedAttempts> {
    const reported = firstReports(records)
    const batch = batchOf(sql, reported)
    const isSuccess = reported.every(
      ({ verdict, counts }) => verdict.type === 'delivered' && counts !== 'failure',
    )
    return toRecorded(await (isSuccess ? recordSuccesses(sql, batch) : recordAll(sql, batch)))
  },
})

interface Batch {
  /** The CTE `attempt`, in the order of the deliveries. */
  readonly attempt: Fragment
  /**
   * A comma and the CTE `logged`: of attempts whose deliveries are in another CTE, those that are not in the row of their
   * delivery. Nothing where all are, as Postgres opens each table and index that a statement names.
   */
  readonly logged: (accepted: Fragment) => Fragment
  readonly deliveryIds: readonly DeliveryId[]
  readonly endpointIds: readonly EndpointId[]
}

function batchOf(sql: Sql, records: readonly AttemptRecord[]): Batch {
  const keeps = sql.unsafe(keepsContents('accepted.state')) as unknown as Fragment
  const rows = records.map(toAttemptRow).sort((one, other) => (one.delivery_id < other.delivery_id ? -1 : 1))
  const hasOwnRows = rows.some(({ with_delivery }) => !with_delivery)
  return {
    attempt: sql`
      attempt as (
        select * from jsonb_to_recordset(${sql.json(rows as never)}) as a (
          id uuid, workspace_id uuid, delivery_id uuid, endpoint_id uuid, number integer, at timestamptz,
          status_code integer, error text, error_detail text, duration_ms integer, timings jsonb, response_headers jsonb,
          response_body text, remote_address text, reused_connection boolean, replay boolean, state text,
          delay_ms double precision, place integer, counts text, with_delivery boolean)
      )`,
    logged: (accepted) =>
      hasOwnRows
        ? sql`,
      logged as (
        insert into attempts (id, workspace_id, delivery_id, endpoint_id, number, at, status_code, error, error_detail,
          duration_ms, timings, response_headers, response_body, remote_address, reused_connection)
        select a.id, a.workspace_id, a.delivery_id, a.endpoint_id, a.number, a.at, a.status_code, a.error,
          case when ${keeps} then a.error_detail end, a.duration_ms, coalesce(a.timings, '{}'),
          case when ${keeps} then a.response_headers end, case when ${keeps} then decode(a.response_body, 'base64') end,
          a.remote_address, a.reused_connection
        from attempt a
        join ${accepted} accepted on accepted.id = a.delivery_id
        where a.with_delivery is null
      )`
        : sql``,
    deliveryIds: records.map(({ item }) => item.deliveryId),
    endpointIds: [...new Set(records.map(({ endpointId }) => endpointId))],
  }
}

/**
 * Nearly every batch: nothing but successes. They need no count before they move. Locks in the order of the batch,
 * which is that of the deliveries, as everybody does.
 */
const recordSuccesses = (sql: Sql, { attempt, logged, deliveryIds, endpointIds }: Batch) => sql<
  RecordedRow[]
>`
  with ${attempt},
  moved as (
    update deliveries d
    set attempt_count = a.number, next_attempt_at = null, finished_at = now(), replay = false, ${withDelivery(sql)},
      -- DISCARDED while the attempt was on the wire: the attempt is stored anyway, without what it was answered.
      state = case when d.state = 'DISCARDED' then d.state else 'DELIVERED' end
    from attempt a
    where ${ofIds(sql, sql`d.id`, deliveryIds)}
      and d.id = a.delivery_id
      and d.attempt_count = a.number - 1
      and d.state in (${sources(sql, deliveryMachine, 'DELIVERED')}, 'DISCARDED')
    returning d.id, d.state, a.endpoint_id, a.counts
  )${logged(sql`moved`)},
  counted as (
    update endpoints e
    set consecutive_failures = 0
    where e.id = any(${endpointIds}::uuid[]) and e.consecutive_failures > 0
      and e.id in (select endpoint_id from moved where counts = 'success')
    returning e.id, e.enabled
  )
  select 'endpoint' as type, id, id as endpoint_id, null::integer as number, null::double precision as delay_ms, enabled,
    0 as consecutive_failures, 0 as failures_before, false as switched_off
  from counted
  union all
  ${missedOff(sql, endpointIds)}`

/** Off, although nothing was counted now: reported in case the owner has missed it. */
const missedOff = (sql: Sql, endpointIds: readonly EndpointId[]) => sql`
  select 'endpoint', e.id, e.id, null, null, false, e.consecutive_failures, e.consecutive_failures, false
  from endpoints e
  where e.id = any(${endpointIds}::uuid[])
    and not e.enabled
    and e.id not in (select id from counted)`

const recordAll = (sql: Sql, { attempt, logged, deliveryIds, endpointIds }: Batch) => sql<RecordedRow[]>`
      with ${attempt},
      accepted as (
        select d.id, d.state, a.endpoint_id, a.place, a.counts
        from attempt a
        join deliveries d on d.id = a.delivery_id
        -- Without the list the plan for any values may read every open delivery to join ten.
        where ${ofIds(sql, sql`d.id`, deliveryIds)}
          and d.attempt_count = a.number - 1
          -- DISCARDED while the attempt was on the wire: the attempt is stored anyway, without what it was answered.
          and d.state in (${sources(sql, deliveryMachine, 'DELIVERED')}, 'DISCARDED')
        order by d.id
        for no key update of d
      ),
      -- Failures after each success of this batch, and before the first (turn 0), in the order of their ends.
      run as (
        select endpoint_id, turn, count(*) filter (where counts = 'failure')::integer as failures
        from (
          select endpoint_id, counts,
            count(*) filter (where counts = 'success') over (partition by endpoint_id order by place) as turn
          from accepted
          where counts <> 'nothing') outcome
        group by endpoint_id, turn
      ),
      streak as (
        select endpoint_id, max(turn) > 0 as has_success,
          coalesce(max(failures) filter (where turn = 0), 0) as opening,
          coalesce(max(failures) filter (where turn > 0), 0) as longest,
          (array_agg(failures order by turn desc))[1] as closing
        from run
        group by endpoint_id
      ),
      counted as (
        update endpoints e
        set consecutive_failures = least(${limits.failuresToDisable},
            case when s.has_success then s.closing else e.consecutive_failures + s.opening end),
          enabled = e.enabled and not ${goesOff(sql)},
          disabled_at = case when ${goesOff(sql)} then now() else e.disabled_at end,
          disabled_reason = case when ${goesOff(sql)} then 'FAILURES' else e.disabled_reason end,
          config_version = e.config_version + case when ${goesOff(sql)} then 1 else 0 end,
          switched_off_by = case when ${goesOff(sql)} then pg_current_xact_id() else e.switched_off_by end
        from streak s
        where e.id = s.endpoint_id and e.id = any(${endpointIds}::uuid[])
          -- Nearly every batch has nothing to count and leaves the row unchanged.
          and not (s.opening = 0 and s.longest = 0 and s.closing = 0 and e.consecutive_failures = 0)
        returning e.id, e.workspace_id, e.enabled, e.consecutive_failures,
          case when s.has_success then 0 else e.consecutive_failures - s.opening end as failures_before,
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
            -- The receiver has the event: a replay that fails does not undo that.
            when a.state in ('FAILED', 'BLOCKED') and d.was_delivered then 'DELIVERED'
            when a.state = 'RETRYING' and (d.state = 'HELD' or not coalesce(c.enabled, e.enabled)) then 'HELD'
            else a.state
          end,
          next_attempt_at = case
            when ${replayFollows(sql)} then now()
            when a.state = 'RETRYING' and d.state in (${sources(sql, deliveryMachine, 'HELD')}) and coalesce(c.enabled, e.enabled)
            then now() + a.delay_ms * interval '1 millisecond'
          end,
          finished_at = case
            when d.state = 'DISCARDED' then d.finished_at
            when a.state <> 'RETRYING' and not ${replayFollows(sql)} then now()
          end,
          replay = ${replayFollows(sql)},
          ${withDelivery(sql)}
        from accepted
        join attempt a on a.delivery_id = accepted.id
        join endpoints e on e.id = a.endpoint_id
        left join counted c on c.id = a.endpoint_id
        where d.id = a.delivery_id and ${ofIds(sql, sql`d.id`, deliveryIds)} and e.id = any(${endpointIds}::uuid[])
        returning d.id, d.endpoint_id, d.state, a.number, a.delay_ms
      )${logged(sql`accepted`)}
      select 'retry' as type, id, endpoint_id, number, delay_ms, null::boolean as enabled,
        null::integer as consecutive_failures, null::integer as failures_before, null::boolean as switched_off
      from moved
      where state = 'RETRYING'
      union all
      select 'endpoint', id, id, null, null, enabled, consecutive_failures, failures_before, switched_off
      from counted
      union all
      ${missedOff(sql, endpointIds)}`

/**
 * Two reports of a delivery in one batch are of one attempt: a second begins after the first is committed.
 */
function firstReports(records: readonly AttemptRecord[]): AttemptRecord[] {
  const byDelivery = new Map<DeliveryId, AttemptRecord>()
  for (const record of records) {
    if (!byDelivery.has(record.item.deliveryId)) byDelivery.set(record.item.deliveryId, record)
  }
  return [...byDelivery.values()]
}

/** An operator requested a replay during this attempt, which failed: the replay must still be made. */
const replayFollows = (sql: Sql) =>
  sql`(d.state = 'PENDING' and d.replay and not a.replay and a.state <> 'DELIVERED')`

const goesOff = (sql: Sql) => sql`
  (${mayBecome(sql, 'OFF')}
    and (e.consecutive_failures + s.opening >= ${limits.failuresToDisable} or s.longest >= ${limits.failuresToDisable}))`

interface RecordedRow {
  type: 'retry' | 'endpoint'
  id: string
  endpointId: EndpointId
  number: number
  delayMs: number
  enabled: boolean
  consecutiveFailures: number
  failuresBefore: number
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
        failuresBefore: row.failuresBefore,
        switchedOff: row.switchedOff,
      })),
  }
}
