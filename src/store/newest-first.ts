// Lists that go by id, newest first.
import { type Page, type PageRequest, toPage } from '../contract/page.ts'
import type { Sql } from './sql.ts'

/** `and id < ...` where the page goes on from another; `id` must be unambiguous in the statement. */
export const olderThan = (sql: Sql, page: PageRequest) => {
  const id = page.after?.[0]
  return id === undefined ? sql`` : sql`and id < ${id}`
}

export const newestFirst = <Row extends { readonly id: string }, Shown>(
  rows: readonly Row[],
  page: PageRequest,
  show: (row: Row) => Shown,
): Page<Shown> => toPage(rows, page.limit, (row) => [row.id], show)

export const iso = (at: Date | null): string | null => at?.toISOString() ?? null
