// How news comes into a log that somebody reads: rows that are shown change in place and none leaves; what is new
// waits until the reader asks for it. Pure.

interface Identified {
  readonly id: string
}

export interface Waiting<Row> {
  /** Newest first. */
  readonly rows: readonly Row[]
  /** More came at once than a page holds, or than are kept: between these and the shown rows some are missing. */
  readonly hasGap: boolean
}

export const nothingWaits = { rows: [], hasGap: false } as const satisfies Waiting<never>

/** As many wait at most: whoever comes back after an hour reads the log anew. */
export const mostWaiting = 200

export interface Log<Row> {
  readonly shown: readonly Row[]
  readonly waiting: Waiting<Row>
}

/** What a read gave. `isWhole`: it gave everything; otherwise older rows follow. */
interface News<Row> {
  readonly rows: readonly Row[]
  readonly isWhole: boolean
}

export function withNews<Row extends Identified>(log: Log<Row>, news: News<Row>): Log<Row> {
  const waiting = withoutShown(log)
  const known = new Set([...log.shown, ...waiting].map(({ id }) => id))
  const fresh = news.rows.filter(({ id }) => !known.has(id))
  const isGap = !news.isWhole && known.size > 0 && fresh.length === news.rows.length && fresh.length > 0
  const rows = newestFirst([...fresh, ...changed(waiting, news.rows)])
  return {
    shown: changed(log.shown, news.rows),
    waiting: {
      rows: rows.slice(0, mostWaiting),
      hasGap: log.waiting.hasGap || isGap || rows.length > mostWaiting,
    },
  }
}

/** What the reader sees who has asked for what waits. */
export const taken = <Row extends Identified>(log: Log<Row>): readonly Row[] =>
  newestFirst([...withoutShown(log), ...log.shown])

/** What waits still: the list may have been read anew, with rows that waited. */
export function withoutShown<Row extends Identified>({ shown, waiting }: Log<Row>): readonly Row[] {
  const ids = new Set(shown.map(({ id }) => id))
  return waiting.rows.some(({ id }) => ids.has(id))
    ? waiting.rows.filter(({ id }) => !ids.has(id))
    : waiting.rows
}

/** The same list if nothing in it has changed. */
export function changed<Row extends Identified>(rows: readonly Row[], news: readonly Row[]): readonly Row[] {
  const byId = new Map(news.map((row) => [row.id, row]))
  const next = rows.map((row) => byId.get(row.id) ?? row)
  return next.some((row, index) => row !== rows[index]) ? next : rows
}

/** Ids sort by creation time. */
const newestFirst = <Row extends Identified>(rows: readonly Row[]): readonly Row[] =>
  [...rows].sort((one, other) => (one.id < other.id ? 1 : -1))
