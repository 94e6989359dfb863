// Deliveries by their workspace. The indexes of the delivery log do not hold what is PENDING, because nearly every
// delivery is for a few milliseconds: it would be entered into them twice.
import type { OneOf } from '../../contract/filters.ts'
import type { DeliveryState } from '../../contract/records/delivery.ts'
import type { Fragment, Sql } from './sql.ts'
import { literals } from './states.ts'

/**
 * Two conditions for two selects: what the indexes of the log hold, and what is PENDING. A delivery that moves
 * meanwhile is in exactly one of them, as long as both selects are in one statement. With states, one for each.
 */
export function settledOrPending(sql: Sql, state?: OneOf<DeliveryState>): readonly Fragment[] {
  if (state !== undefined) return [state].flat().map((one) => isIn(sql, one))
  return [sql`state <> 'PENDING'`, isIn(sql, 'PENDING')]
}

/** The rows of these selects, in no order. */
export function settledAndPending(
  sql: Sql,
  select: (state: Fragment) => Fragment,
  state?: OneOf<DeliveryState>,
): Fragment {
  return settledOrPending(sql, state)
    .map((one) => sql`(${select(one)})`)
    .reduce((before, one) => sql`${before} union all ${one}`)
}

/** A literal: for a parameter Postgres would use none of the indexes that hold some states. */
export const isIn = (sql: Sql, state: DeliveryState): Fragment => sql`state = ${literals(sql, [state])}`
