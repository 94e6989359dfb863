// Attempts to deliver events, wherever they are kept: the one that delivers an event at once in the row of its delivery,
// every other one in a row of `attempts`. Whoever reads attempts reads them here.
import type { Fragment, Sql } from './sql.ts'

/**
 * How long after its delivery an attempt in the row of the delivery begins at most. Its id here is that of the
 * delivery, so bounds of ids find it within this time.
 */
export const firstAttemptMs = 60_000

/**
 * A table of all attempts in one shape, for `from`. Ask for a delivery, or for an endpoint of a workspace: there are
 * indexes for both. `id` orders them, and is of the day of the attempt.
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
  where first_attempt_at is not null
)`

/** Two conditions on deliveries, of which each has an index by endpoint. Every delivery is in one of them. */
export const byFirstAttempt = (sql: Sql): readonly Fragment[] => [
  sql`first_attempt_at is not null`,
  sql`first_attempt_at is null`,
]
