// Attempts to deliver events, wherever they are kept: the one that delivers an event at once in the row of its delivery,
// every other one in a row of `attempts`. Whoever reads attempts reads them here.
import type { Fragment, Sql } from './sql.ts'

/**
 * How long after its delivery an attempt in the row of the delivery begins at most. Its id here is that of the
 * delivery, so bounds of ids find it within this time.
 */
export const firstAttemptMs = 60_000

/**
 * All attempts in one shape, for `from`; goes on with `and`. Ask for a delivery, or for an endpoint of a workspace: there
 * are indexes for both. `id` orders them, and is of the day of the attempt. Without the condition at the end it would
 * have the deliveries without such an attempt, too. Within its select Postgres could not read the newest by the index.
 */
export const everyAttempt = (sql: Sql): Fragment => sql`(
  select id, workspace_id, delivery_id, endpoint_id, number, at, status_code, error, error_detail, duration_ms, timings,
    response_headers, response_body, remote_address, reused_connection
  from attempts
  union all
  select id, workspace_id, id, endpoint_id, 1, first_attempt_at, first_status_code, null::text, null::text,
    first_duration_ms, coalesce(first_timings, '{}'), first_response_headers, first_response_body, first_remote_address,
    first_reused_connection
  from deliveries
) attempt
where attempt.at is not null`

/** Two conditions on deliveries, of which each has an index by endpoint. Every delivery is in one of them. */
export const byFirstAttempt = (sql: Sql): readonly Fragment[] => [
  sql`first_attempt_at is not null`,
  sql`first_attempt_at is null`,
]

/**
 * A join of a delivery `d` with its last attempt, `last`, where there was one. Nearly always it is in the row of the
 * delivery, and nothing is looked up. Only the days between the delivery and its end are opened; one minute allows for
 * different clocks of processes.
 */
export const lastAttempt = (sql: Sql): Fragment => sql`
  left join lateral (
    select d.first_attempt_at as at, d.first_status_code as status_code, null::text as error,
      d.first_duration_ms as duration_ms
    where ${isOnlyAttempt(sql)}
    union all
    (select at, status_code, error, duration_ms
     from attempts
     where not ${isOnlyAttempt(sql)} and delivery_id = d.id and number = d.attempt_count
       and workspace_id = d.workspace_id
       and id >= uuid_floor(d.created_at - interval '1 minute')
       and id < uuid_floor(coalesce(d.finished_at, now()) + interval '1 minute')
     limit 1)
  ) last on true`

const isOnlyAttempt = (sql: Sql) => sql`(d.attempt_count = 1 and d.first_attempt_at is not null)`
