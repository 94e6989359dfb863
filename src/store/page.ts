/** One page of a list, newest first: rows older than `before`, at most `limit`. */
export interface Page {
  readonly limit: number
  readonly before: string | null
}

/** A row of a list: its own id to go on from, and the record to show. */
export interface Listed<Row> {
  readonly id: string
  readonly record: Row
}

export const iso = (at: Date | null): string | null => at?.toISOString() ?? null
