// Rows of a list as one text each. For every column the driver makes a buffer, a text and a property, which of a page
// of fifty records costs more than everything else that is done for it.
//
// A column of a packed row is read by its function: `columns.text(row)`. The table of the columns is the only place
// that knows their order.
import { randomUUID } from 'node:crypto'
import type { Piece } from './keyset.ts'
import { parts, statementOf } from './parts.ts'
import type { Sql } from './sql.ts'

/** The columns of one row as Postgres writes them. */
export type PackedRow = readonly string[]

interface Column<T> {
  /** An expression that is never null. */
  readonly sql: string
  readonly read: (text: string) => T
}

type Columns<Shape> = { readonly [Name in keyof Shape]: (row: PackedRow) => Shape[Name] }

interface Packing<Shape> {
  readonly columns: Columns<Shape>
  /**
   * The rows of `select <these columns> <from>`, in the order of the statement. `from` is everything behind the
   * columns.
   */
  rows(sql: Sql, from: Piece): Promise<readonly PackedRow[]>
}

/** Any text may stand in a column, this character too: a row then has too many parts, and a rarer one is taken. */
const usual = '\x1f'

export function packing<Shape extends object>(
  table: {
    readonly [Name in keyof Shape]: Column<Shape[Name]>
  },
): Packing<Shape> {
  const all = Object.entries(table) as [string, Column<unknown>][]
  const select = all.map(([, column]) => column.sql).join(', ')
  const readers = all.map(([name, { read }], at) => [name, (row: PackedRow) => read(row[at] ?? '')] as const)
  const read = async (sql: Sql, from: Piece, separator: string): Promise<readonly PackedRow[]> => {
    const rows = await packedRows(sql, { select, from, separator })
    const split = rows.map((packed) => packed.split(separator))
    if (split.some(({ length }) => length < all.length)) throw new Error('a column of a packed row is null')
    return split.every(({ length }) => length === all.length) ? split : read(sql, from, usual + randomUUID())
  }
  return {
    columns: Object.fromEntries(readers) as Columns<Shape>,
    rows: (sql, from) => read(sql, from, usual),
  }
}

interface Packed {
  readonly select: string
  readonly from: Piece
  readonly separator: string
}

async function packedRows(sql: Sql, { select, from, separator }: Packed): Promise<readonly string[]> {
  const whole = (tag: Sql) => tag<[string][]>`
    select concat_ws(${separator}, ${tag.unsafe(select)}) as packed ${from}`
  const statement = statementOf(from) && statementOf(whole(parts))
  const rows = statement
    ? await sql
        .unsafe(statement.text, statement.values as never[], { prepare: isPrepared(statement.text) })
        .values()
    : await whole(sql).values()
  return rows.map(([packed]) => packed as string)
}

/** One for several values of a filter is long, its texts are as many as their combinations, and its plan takes room. */
const longestPrepared = 6_000
const isPrepared = (text: string): boolean => text.length <= longestPrepared

const same = <T extends string>(text: string): T => text as T

/** Of a column that is null the packed text is empty, which no value of another type than text is. */
const orNull = <T>(sql: string, read: (text: string) => T): Column<T | null> => ({
  sql: `coalesce((${sql})::text, '')`,
  read: (text) => (text === '' ? null : read(text)),
})

/** Ids, enumerations and texts that are never null. */
export const text = <T extends string = string>(sql: string): Column<T> => ({ sql, read: same<T> })

/** The same for what may be null, and is never the empty text: ids and enumerations. */
export const wordOrNull = <T extends string = string>(sql: string): Column<T | null> => orNull(sql, same<T>)

export const textOrNull = (sql: string): Column<string | null> => ({
  sql: `coalesce('=' || ${sql}, '')`,
  read: (text) => (text === '' ? null : text.slice(1)),
})

export const number = (sql: string): Column<number> => ({ sql, read: Number })
export const numberOrNull = (sql: string): Column<number | null> => orNull(sql, Number)
export const flag = (sql: string): Column<boolean> => ({ sql, read: (text) => text === 't' })
export const json = <T>(sql: string): Column<T> => ({ sql, read: (text) => JSON.parse(text) as T })
export const jsonOrNull = <T>(sql: string): Column<T | null> => orNull(sql, (text) => JSON.parse(text) as T)

/** Times in ISO 8601 with milliseconds, in UTC. */
export const time = (sql: string): Column<string> => ({ sql, read: toIso })
export const timeOrNull = (sql: string): Column<string | null> => orNull(sql, toIso)

const space = 0x20
const usualTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/

/** `2026-11-22 19:01:16.1+00` → `2026-11-22T19:01:16.100Z`, without the detour over a date. */
function toIso(text: string): string {
  // With three digits behind the second, as nine of ten have.
  if (text.length === 26 && text.charCodeAt(10) === space && text.endsWith('+00'))
    return `${text.slice(0, 10)}T${text.slice(11, 23)}Z`
  if (!usualTime.test(text)) return new Date(text).toISOString()
  const fraction = text.slice(20, -3).slice(0, 3).padEnd(3, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`
}
