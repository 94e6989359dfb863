// The results of attempts to an endpoint by hour. Reads a bounded number of attempts per hour, by index.
import type { EndpointHealthReader } from '../../contract/administration.ts'
import type { LastAttempt } from '../../contract/records/console.ts'
import { everyAttempt } from '../../platform/postgres/every-attempt.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { type DeliveryId, encodeId, idFloor } from '../../shared/ids.ts'

const hourMs = 3_600_000
const hours = 24
/** Enough for meaningful percentiles, and few enough to read 24 hours quickly. */
const mostOfAnHour = 2_000

interface Row {
  readonly attempts: number
  readonly failures: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

const lastShown = 10

interface LastRow extends Omit<LastAttempt, 'at'> {
  readonly deliveryId: DeliveryId
  readonly at: Date
}

export const createEndpointHealthStore = (sql: Sql): EndpointHealthReader => ({
  async hours(workspaceId, endpointId, until) {
    const first = Math.floor(until.getTime() / hourMs) * hourMs - (hours - 1) * hourMs
    const starts = Array.from({ length: hours }, (_, index) => first + index * hourMs)
    const rows = await sql<Row[]>`
      select count(attempt.duration_ms)::integer as attempts,
        count(attempt.duration_ms) filter (where not attempt.succeeded)::integer as failures,
        percentile_disc(0.5) within group (order by attempt.duration_ms) as p50_ms,
        percentile_disc(0.95) within group (order by attempt.duration_ms) as p95_ms
      from unnest(
        ${starts.map((ms) => idFloor(ms))}::uuid[], ${starts.map((ms) => idFloor(ms + hourMs))}::uuid[]
      ) with ordinality as hour (first, after, place)
      left join lateral (
        select duration_ms, error is null and coalesce(status_code between 200 and 299, true) as succeeded
        from ${everyAttempt(sql)}
        and endpoint_id = ${endpointId} and workspace_id = ${workspaceId}
          and id >= hour.first and id < hour.after
        order by id desc
        limit ${mostOfAnHour}
      ) attempt on true
      group by place
      order by place`
    return rows.map((row, index) => ({
      at: new Date(starts[index] ?? first).toISOString(),
      ...row,
      capped: row.attempts === mostOfAnHour,
    }))
  },

  async last(workspaceId, endpointId, until) {
    const rows = await sql<LastRow[]>`
      select delivery_id, at, status_code, error, duration_ms
      from ${everyAttempt(sql)}
      and endpoint_id = ${endpointId} and workspace_id = ${workspaceId}
        and id >= ${idFloor(until.getTime() - hours * hourMs)}
      order by id desc
      limit ${lastShown}`
    return rows.map(({ deliveryId, at, ...rest }) => ({
      deliveryId: encodeId('delivery', deliveryId),
      at: at.toISOString(),
      ...rest,
    }))
  },
})
