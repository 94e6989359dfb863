// The orders of lists: newest first by id, or by change, the oldest first, for programs that poll.
import type { Keyset, Page, PageRequest } from '../../contract/page.ts'
import { toPage } from '../../contract/page.ts'
import { olderThan, type Piece } from './keyset.ts'
import type { Sql } from './sql.ts'

/** Where a row stands in its list. */
export interface Place {
  readonly id: string
  /** ISO 8601. */
  readonly updatedAt: string
}

export interface ListOrder {
  /** Conditions that begin with `and`: where the page begins. */
  readonly from: Piece
  /** Behind `order by`, for the table with this name. */
  by(table: string): Piece
  page<Row, Shown>(rows: readonly Row[], reading: Reading<Row, Shown>): Page<Shown>
}

interface Reading<Row, Shown> {
  readonly show: (row: Row) => Shown
  /** Asked for the last row of the page only. */
  readonly place: (row: Row) => Place
}

export const placeOf = ({ id, updatedAt }: { readonly id: string; readonly updatedAt: Date }): Place => ({
  id,
  updatedAt: updatedAt.toISOString(),
})

/** Newest first by id. */
export const byNewest = (sql: Sql, table: string, page: PageRequest): ListOrder => ({
  from: olderThan(sql, table, page),
  by: (name) => sql`${sql(name)}.id desc`,
  page: (rows, { show, place }) => toPage(rows, page.limit, (row) => [place(row).id], show),
})

/**
 * By `updated_at`, from `since` on, the oldest change first. Every page says until when the list is known to be
 * complete: `updatedUntil`, the `since` of the next poll.
 */
export async function byChange(
  sql: Sql,
  table: string,
  { after, limit }: PageRequest,
  since: Date,
): Promise<ListOrder> {
  const [at, id, until = (await completeUntil(sql)).toISOString()] = after ?? []
  const [updatedAt, rowId] = [sql(`${table}.updated_at`), sql(`${table}.id`)]
  return {
    from:
      at === undefined || id === undefined
        ? sql`and ${updatedAt} >= ${since}`
        : sql`and (${updatedAt}, ${rowId}) > (${at}::timestamptz, ${id}::uuid)`,
    by: (name) => sql`${sql(`${name}.updated_at`)}, ${sql(`${name}.id`)}`,
    page: (rows, { show, place }) => {
      const keyset = (at: Place): Keyset => [at.updatedAt, at.id, until]
      return {
        ...toPage(rows, limit, (row) => keyset(place(row)), show),
        updatedUntil: later(until, since),
      }
    },
  }
}

/** A poll never goes back behind where it began, even if a transaction is open for long. */
const later = (until: string, since: Date): string =>
  Date.parse(until) < since.getTime() ? since.toISOString() : until

/** Between taking the time and being visible here as a transaction, a change is in the hands of the scheduler. */
const marginSeconds = 5

/**
 * All changes before this time are committed. A change has the time of its statement or transaction, and is
 * visible only after the commit: so nothing that began before the oldest open transaction is still to come.
 * The list must be read after this, in a later statement. Transactions that have been open for a minute
 * without writing are left out: no statement of ours runs so long before it writes, but dumps and reports do.
 * Other users of the database are seen only by roles with pg_read_all_stats.
 */
export async function completeUntil(sql: Sql, margin = marginSeconds): Promise<Date> {
  const [row] = await sql<[{ at: Date }]>`
    select least(min(xact_start), now()) - ${margin} * interval '1 second' as at
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and (backend_xid is not null or xact_start > now() - interval '1 minute')`
  return row.at
}
