// Parts of statements that the lists share: newest first by id, from where the previous page ended.
import type { OneOf } from '../../contract/filters.ts'
import { limits } from '../../contract/limits.ts'
import type { PageRequest } from '../../contract/page.ts'
import { idFloor } from '../../shared/ids.ts'
import type { Sql } from './sql.ts'

/** A part of a statement: a condition that begins with `and`, an empty part, or a `select`. */
export type Piece = ReturnType<typeof piece>
const piece = (sql: Sql) => sql``

/**
 * The rows of a page and one more, out of `ordered` rows of one table, so that joins apply to these rows
 * only. For a limit that is a parameter, Postgres assumes a tenth of the table. The constant inner limit
 * tells it the maximum, so that one plan is good for every caller and is not made again for each.
 */
export function rowsOfPage(sql: Sql, ordered: Piece, { limit }: PageRequest): Piece {
  const most = sql.unsafe(String(Math.max(limits.pageMax, limit) + 1))
  return sql`select * from (${ordered} limit ${most}) ordered limit ${limit + 1}`
}

/**
 * The same for several selects of one table with `=` instead of a list of values, see `onePerValue`: each follows
 * its index in the order of the list, and Postgres merges their first rows. `by` is what follows `order by`.
 */
export function mergedRowsOfPage(
  sql: Sql,
  ordered: readonly Piece[],
  page: PageRequest,
  by: (table: string) => Piece,
): Piece {
  const [first, ...others] = ordered
  if (first === undefined) throw new Error('a list without a select')
  if (others.length === 0) return rowsOfPage(sql, first, page)
  const most = sql.unsafe(String(Math.max(limits.pageMax, page.limit) + 1))
  const all = others.reduce(
    (before, one) => sql`${before} union all (${one} limit ${most})`,
    sql`(${first} limit ${most})`,
  )
  return sql`select * from (${all}) ordered order by ${by('ordered')} limit ${page.limit + 1}`
}

/** The filter with one value at a time of the first of these fields that has several. */
export function onePerValue<Filter extends object>(
  filter: Filter,
  fields: readonly (keyof Filter)[],
): readonly Filter[] {
  const field = fields.find((name) => Array.isArray(filter[name]))
  if (field === undefined) return [filter]
  return (filter[field] as readonly unknown[]).map((value) => ({ ...filter, [field]: value }))
}

/** `and <column> = <value>`, or one of several values; nothing where the filter is not set. */
export function equals(sql: Sql, column: string, value: OneOf<string> | undefined): Piece {
  if (value === undefined) return sql``
  return typeof value === 'string'
    ? sql`and ${sql(column)} = ${value}`
    : sql`and ${sql(column)} = any(${value as string[]})`
}

/** The rows of the contacts with these numbers or user ids, or of every contact if none is given. */
export const contactIs = (
  sql: Sql,
  column: string,
  { workspaceId, address }: { readonly workspaceId: string; readonly address: OneOf<string> | undefined },
): Piece => {
  if (address === undefined) return sql``
  return typeof address === 'string'
    ? sql`and ${sql(column)} = coalesce(
        (select id from contacts where workspace_id = ${workspaceId} and wa_id = ${address}),
        (select contact_id from contact_aliases where workspace_id = ${workspaceId} and address = ${address}))`
    : sql`and ${sql(column)} = any(array(
        select id from contacts where workspace_id = ${workspaceId} and wa_id = any(${address as string[]})
        union all
        select contact_id from contact_aliases
        where workspace_id = ${workspaceId} and address = any(${address as string[]})))`
}

/** The rows of these conversations. One that became part of another is found by its old id too. */
export function conversationIs(sql: Sql, column: string, id: OneOf<string> | undefined): Piece {
  if (id === undefined) return sql``
  return typeof id === 'string'
    ? sql`and ${sql(column)} = (select coalesce(merged_into, id) from conversations where id = ${id})`
    : sql`and ${sql(column)} = any(array(
        select coalesce(merged_into, id) from conversations where id = any(${id as string[]}::uuid[])))`
}

/**
 * The contact of these conversations, for a table whose index begins with that: besides `conversationIs`, because most
 * contacts write to one number.
 */
export function itsContactIs(sql: Sql, column: string, id: OneOf<string> | undefined): Piece {
  if (id === undefined) return sql``
  const contact = sql`select t.contact_id from conversations v join conversations t on t.id = coalesce(v.merged_into, v.id)`
  return typeof id === 'string'
    ? sql`and ${sql(column)} = (${contact} where v.id = ${id})`
    : sql`and ${sql(column)} = any(array(${contact} where v.id = any(${id as string[]}::uuid[])))`
}

/** `and t.id < <last id>` for every page but the first. */
export function olderThan(sql: Sql, table: string, page: PageRequest): Piece {
  const [id] = page.after ?? []
  return id === undefined ? sql`` : sql`and ${sql(table)}.id < ${id}::uuid`
}

// An id is made shortly before its row: the id range, with this slack, only narrows what created_at decides.
const slackMs = 3_600_000

export interface Span {
  readonly since?: Date | undefined
  readonly until?: Date | undefined
  /** How much later than `created_at` an id may have been made: the provider tells of some rows late. */
  readonly lateMs?: number
}

/** since ≤ created_at < until, searched by the time that the ids contain. */
export const createdWithin = (sql: Sql, table: string, span: Span): Piece =>
  within(sql, table, 'created_at', span)

/** The same for another column. */
export function within(sql: Sql, table: string, column: string, span: Span): Piece {
  const at = sql(`${table}.${column}`)
  const from = span.since ? sql`and ${at} >= ${span.since}` : sql``
  const to = span.until ? sql`and ${at} < ${span.until}` : sql``
  return sql`${from} ${to} ${idsWithin(sql, table, span)}`
}

/** The range of ids alone: no row of the span is outside of it. */
export function idsWithin(sql: Sql, table: string, { since, until, lateMs = slackMs }: Span): Piece {
  const id = sql`${sql(table)}.id`
  const from = since ? sql`and ${id} >= ${idFloor(since.getTime() - slackMs)}::uuid` : sql``
  const to = until ? sql`and ${id} < ${idFloor(until.getTime() + lateMs)}::uuid` : sql``
  return sql`${from} ${to}`
}
