// The total backlog, for the worker's metrics: a few index probes for each endpoint with open deliveries.
import type { Sql } from '../../platform/postgres/sql.ts'

export interface Backlog {
  /**
   * Seconds that the oldest delivery has waited for its first attempt, and for a retry or replay that is due.
   */
  readonly oldest: { readonly first: number; readonly retry: number }
  readonly held: number
  readonly disabled: { readonly byFailures: number; readonly byOperator: number }
}

interface Row {
  readonly first: number
  readonly retry: number
  readonly held: number
  readonly byFailures: number
  readonly byOperator: number
}

/** Beyond these limits the numbers are minimums: a sample must stay cheap, however large the backlog is. */
const maxEndpoints = 1_000
const maxHeldOfEndpoint = 10_000
/** Rows of an endpoint that are searched for the oldest, in the order in which they are due. */
const maxRows = 100

export const createBacklogStore = (sql: Sql) => ({
  async sample(): Promise<Backlog> {
    const [row] = await sql<Row[]>`
      with recursive open as (
        (select endpoint_id from deliveries where state in ('PENDING', 'RETRYING', 'HELD') order by endpoint_id limit 1)
        union all
        select (
          select d.endpoint_id
          from deliveries d
          where d.state in ('PENDING', 'RETRYING', 'HELD') and d.endpoint_id > open.endpoint_id
          order by d.endpoint_id
          limit 1)
        from open
        where open.endpoint_id is not null
      ),
      busy as (select endpoint_id from open where endpoint_id is not null limit ${maxEndpoints}),
      age as (
        -- For a first attempt, next_attempt_at is when the sweeper may look: three seconds after the write.
        select max(extract(epoch from now() - d.created_at)) filter (where d.state = 'PENDING' and not d.replay) as first,
          max(extract(epoch from now() - d.next_attempt_at)) filter (where d.state = 'RETRYING' or d.replay) as retry
        from busy
        join endpoints e on e.id = busy.endpoint_id and e.enabled
        cross join lateral (
          select state, replay, created_at, next_attempt_at
          from deliveries
          where endpoint_id = busy.endpoint_id
            and state in ('PENDING', 'RETRYING')
            and next_attempt_at <= now() + case when state = 'PENDING' then interval '3 seconds' else interval '0' end
          order by next_attempt_at
          limit ${maxRows}) d
      )
      select coalesce(age.first, 0)::float8 as first, coalesce(age.retry, 0)::float8 as retry,
        (select coalesce(sum(held.count), 0)::int
         from busy
         cross join lateral (
           select count(*)
           from (select from deliveries where endpoint_id = busy.endpoint_id and state = 'HELD' limit ${maxHeldOfEndpoint}) h
         ) held) as held,
        off.by_failures, off.by_operator
      from age
      cross join (
        select count(*) filter (where disabled_reason = 'FAILURES')::int as by_failures,
          count(*) filter (where disabled_reason is distinct from 'FAILURES')::int as by_operator
        from endpoints
        where not enabled and deleted_at is null) off`
    if (!row) throw new Error('the backlog has no row')
    return {
      oldest: { first: Math.max(0, row.first), retry: Math.max(0, row.retry) },
      held: row.held,
      disabled: { byFailures: row.byFailures, byOperator: row.byOperator },
    }
  },
})
