// Calls by whether they are over. The indexes of the call log do not hold what is live: each change of a call would enter
// it into them again. What is live is in one small index, whatever it is asked for by.
import { liveCallStatuses } from '../../contract/records/call.ts'
import type { Piece } from './keyset.ts'
import type { Sql } from './sql.ts'
import { literals } from './states.ts'

/** Exactly as in the indexes, so that the planner can use them. */
export const isLive = (sql: Sql): Piece => sql`status in (${literals(sql, liveCallStatuses)})`
export const isLogged = (sql: Sql): Piece => sql`status not in (${literals(sql, liveCallStatuses)})`
