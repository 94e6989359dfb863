// Pages of lists that are ordered by id, newest first.
import { type Page, type PageRequest, toPage } from '../../contract/page.ts'

export const newestFirst = <Row extends { readonly id: string }, Shown>(
  rows: readonly Row[],
  page: PageRequest,
  show: (row: Row) => Shown,
): Page<Shown> => toPage(rows, page.limit, (row) => [row.id], show)

export const iso = (at: Date | null): string | null => at?.toISOString() ?? null
