// Keyset pages: a page continues after the last row of the previous page, so new rows do not shift the pages.

/** The values of a row's sort columns as text, in the order of the sort. */
export type Keyset = readonly string[]

export interface PageRequest {
  readonly limit: number
  readonly after?: Keyset | undefined
}

export interface Page<Row> {
  readonly data: readonly Row[]
  /** Where the next page starts; undefined on the last one. */
  readonly next: Keyset | undefined
  /** Of a list by change: all changes before this time are in it. ISO 8601. */
  readonly updatedUntil?: string
}

/** Cuts `limit + 1` rows to a page. The extra row shows that there is a next page. */
export function toPage<Row, Shown>(
  rows: readonly Row[],
  limit: number,
  keyset: (row: Row) => Keyset,
  show: (row: Row) => Shown,
): Page<Shown> {
  const kept = rows.length > limit ? rows.slice(0, limit) : rows
  const last = kept.at(-1)
  return { data: kept.map(show), next: rows.length > limit && last ? keyset(last) : undefined }
}
