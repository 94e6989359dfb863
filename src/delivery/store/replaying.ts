// What a replay changes in a delivery, and which deliveries take one.
import type { Sql } from '../../platform/postgres/sql.ts'

// Written here and not with every success: only a replay needs to know that the delivery was delivered. Another
// replay, of a replay that was held or discarded, keeps it.
export const replaying = (sql: Sql) => sql`
  was_delivered = was_delivered or state = 'DELIVERED',
  replay = true, state = 'PENDING', next_attempt_at = now(), finished_at = null`

/**
 * A condition on a delivery `d`: its event is deleted with a customer, or after its time. One by one: a join could read all
 * events of a day.
 */
export const hasEvent = (sql: Sql) => sql`(select true from events v where v.id = d.event_id limit 1)`

/** A condition on the row `e` of the endpoint of a delivery `d`. */
export const mayReplay = (sql: Sql) => sql`
  e.id = d.endpoint_id and e.enabled and e.deleted_at is null and ${hasEvent(sql)}`
