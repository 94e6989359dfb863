// The lock between additions of recipients to a campaign, which share it, and what changes the campaign, which takes it
// alone. Always before the campaign's row: shared row locks let newcomers overtake a waiting update, so overlapping
// uploads would delay a pause for as long as they last. Advisory locks keep their order.

import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import type { CampaignId } from '../../shared/ids.ts'

const keyOf = (sql: Sql, id: Fragment) => sql`hashtextextended(${id}::text, 1)`

/** A condition that holds once the statement has the lock. */
export const movesAlone = (sql: Sql, id: CampaignId) =>
  sql`(select pg_advisory_xact_lock(${keyOf(sql, sql`${id}`)})) is not null`

export const sharesMoves = (sql: Sql, id: CampaignId) =>
  sql`(select pg_advisory_xact_lock_shared(${keyOf(sql, sql`${id}`)})) is not null`

/**
 * The CTE `moving`: the ids that the query `campaigns` has, each with its lock, in the same order for all. The conditions
 * on the campaigns belong into the update too, which sees what the lock was waited for.
 */
export const moving = (sql: Sql, campaigns: Fragment) => sql`
  moving as materialized (
    select id, pg_advisory_xact_lock(${keyOf(sql, sql`id`)})
    from (select id from (${campaigns}) found order by id) in_order
  )`
