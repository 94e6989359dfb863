// When the time in a column has come.
import type { Fragment, Sql } from './sql.ts'

/** Columns of times have milliseconds: what was set to be due now may have been rounded up to the next one. */
export const isDue = (sql: Sql, column: string): Fragment =>
  sql`${sql(column)} < now() + interval '1 millisecond'`
