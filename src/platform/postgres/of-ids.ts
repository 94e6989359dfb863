// Rows of partitioned tables, found by their ids.
import type { Fragment, Sql } from './sql.ts'

/**
 * An SQL condition: `column` is one of these ids, at least one. The list alone would open the partitions of all days,
 * because a plan for any values cannot prune by a list. The bounds are of the same ids, and prune.
 */
export function ofIds(sql: Sql, column: Fragment, ids: readonly string[]): Fragment {
  const sorted = [...ids].sort()
  return sql`${column} = any(${sorted}::uuid[]) and ${column} between ${sorted[0] ?? null}::uuid and ${sorted.at(-1) ?? null}::uuid`
}
