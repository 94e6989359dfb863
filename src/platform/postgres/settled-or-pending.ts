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

/** The same for selects of all deliveries of a workspace: of these, no index has every state but PENDING. */
export const ofEveryState = (sql: Sql): readonly Fragment[] => [
  isIn(sql, 'DELIVERED'),
  sql`state not in ('PENDING', 'DELIVERED')`,
  isIn(sql, 'PENDING'),
]

/** The rows of a select for each of the conditions, in no order. */
export const settledAndPending = (
  sql: Sql,
  select: (state: Fragment) => Fragment,
  states: readonly Fragment[] = settledOrPending(sql),
): Fragment =>
  states.map((one) => sql`(${select(one)})`).reduce((before, one) => sql`${before} union all ${one}`)

/** A literal: for a parameter Postgres would use none of the indexes that hold some states. */
export const isIn = (sql: Sql, state: DeliveryState): Fragment => sql`state = ${literals(sql, [state])}`
