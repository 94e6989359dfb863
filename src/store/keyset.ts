// Pieces that the lists share: newest first by id, from where the last page ended.
import { limits } from '../contract/limits.ts'
import type { PageRequest } from '../contract/page.ts'
import { idFloor } from '../shared/ids.ts'
import type { Sql } from './sql.ts'

/** A piece of a statement: a condition that begins with `and`, nothing at all, or a `select`. */
export type Piece = ReturnType<typeof piece>
const piece = (sql: Sql) => sql``

/**
 * The rows of a page and the one too many, out of `ordered` rows of one table: what is joined is joined to these alone.
 * A limit that is a parameter stands for a tenth of the table to Postgres; the constant below it says how few rows
 * there are at most, so that one plan is good for every caller and is not made anew for each.
 */
export function rowsOfPage(sql: Sql, ordered: Piece, { limit }: PageRequest): Piece {
  const most = sql.unsafe(String(Math.max(limits.pageMax, limit) + 1))
  return sql`select * from (${ordered} limit ${most}) ordered limit ${limit + 1}`
}

/** `and <column> = <value>`, or nothing where the filter is not set. */
export const equals = (sql: Sql, column: string, value: string | undefined): Piece =>
  value === undefined ? sql`` : sql`and ${sql(column)} = ${value}`

/** The contact a filter names by digits; without it every contact. */
export const contactIs = (
  sql: Sql,
  column: string,
  { workspaceId, waId }: { readonly workspaceId: string; readonly waId: string | undefined },
): Piece =>
  waId === undefined
    ? sql``
    : sql`and ${sql(column)} = (select id from contacts where workspace_id = ${workspaceId} and wa_id = ${waId})`

/** `and t.id < <last id>` for every page but the first. */
export function olderThan(sql: Sql, table: string, page: PageRequest): Piece {
  const [id] = page.after ?? []
  return id === undefined ? sql`` : sql`and ${sql(table)}.id < ${id}::uuid`
}

// An id is made a moment before its row: the range over ids only narrows what created_at decides.
const slackMs = 3_600_000

interface Span {
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

/** since ≤ created_at < until, found through the time within the ids. */
export const createdWithin = (sql: Sql, table: string, span: Span): Piece =>
  within(sql, table, 'created_at', span)

/** The same for a column of another name. */
export function within(sql: Sql, table: string, column: string, { since, until }: Span): Piece {
  const at = sql(`${table}.${column}`)
  const from = since
    ? sql`and ${at} >= ${since} and ${sql(table)}.id >= ${idFloor(since.getTime() - slackMs)}::uuid`
    : sql``
  const to = until
    ? sql`and ${at} < ${until} and ${sql(table)}.id < ${idFloor(until.getTime() + slackMs)}::uuid`
    : sql``
  return sql`${from} ${to}`
}
