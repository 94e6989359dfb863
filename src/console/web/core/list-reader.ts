// What a list shows, whatever the order in which answers come: the first page again and again, older pages behind it,
// rows that are changed by hand. An answer that was asked for before the one that is shown is left out.
import type { ApiError } from './api-error.ts'

export interface PageBody<Row> {
  readonly data: readonly Row[]
  readonly nextCursor: string | null
}

export interface ListState<Row> {
  readonly path: string
  readonly rows?: readonly Row[]
  readonly cursor?: string | null
  readonly error?: ApiError
  readonly isLoadingMore?: boolean
}

interface Ports<Row> {
  read(path: string, signal?: AbortSignal): Promise<PageBody<Row>>
  toError(failure: unknown): ApiError
  isOutage(error: ApiError): boolean
  show(state: ListState<Row>): void
  /** Changes when a row moves within the list. */
  placeOf(row: Row): string
}

export interface ListReader<Row> {
  /** Shows the first page of this path alone. Returns what ends the reading. */
  open(path: string): () => void
  /** Reads the first page again and merges it in. A failure changes no rows. Resolves to whether it was read. */
  refresh(): Promise<boolean>
  loadMore(): Promise<void>
  replace(row: Row): void
  /** Nothing if another path is shown. */
  update(path: string, change: (rows: readonly Row[]) => readonly Row[]): void
}

export function createListReader<Row extends { readonly id: string }>(
  first: string,
  { read, toError, isOutage, show, placeOf }: Ports<Row>,
): ListReader<Row> {
  let state: ListState<Row> = { path: first }
  let wanted = first
  let openings = 0
  const turns = createTurns()
  const set = (next: ListState<Row>) => {
    state = next
    show(next)
  }
  const known = (): ListState<Row> => (state.path === wanted ? state : { path: wanted })

  /** Undefined: it is not wanted any more. What was changed by hand meanwhile may be missing in it: then once more. */
  async function firstPage(signal?: AbortSignal): Promise<PageBody<Row> | ApiError | undefined> {
    const path = wanted
    for (;;) {
      const turn = turns.next()
      const answer = await read(path, signal).catch(toError)
      if (signal?.aborted || path !== wanted || turn.isOver()) return undefined
      if (answer instanceof Error || turn.take()) return answer
    }
  }

  async function openFirst(signal: AbortSignal): Promise<void> {
    const answer = await firstPage(signal)
    if (answer instanceof Error) set(failed(state, { path: wanted, error: answer, isOutage }))
    else if (answer) set({ path: wanted, rows: answer.data, cursor: answer.nextCursor })
  }

  async function readMore(cursor: string): Promise<void> {
    const opening = openings
    const next = await read(behind(wanted, cursor)).catch(toError)
    if (opening !== openings) return
    const { cursor: now } = known()
    if (next instanceof Error) set({ ...known(), isLoadingMore: false, error: next })
    else if (now === cursor) set(longer(known(), next))
    // The last row is another by now: what follows on it is read instead.
    else if (now) await readMore(now)
    else set({ ...known(), isLoadingMore: false })
  }

  return {
    open(path) {
      const abort = new AbortController()
      wanted = path
      openings += 1
      if (state.isLoadingMore) set({ ...state, isLoadingMore: false })
      void openFirst(abort.signal)
      return () => abort.abort()
    },
    async refresh() {
      const answer = await firstPage()
      if (answer instanceof Error) set({ ...known(), error: answer })
      else if (answer) set(refreshed(known(), answer, placeOf))
      return !(answer instanceof Error)
    },
    async loadMore() {
      const { cursor, isLoadingMore } = known()
      if (!cursor || isLoadingMore) return
      set({ ...known(), isLoadingMore: true })
      await readMore(cursor)
    },
    replace(row) {
      if (!state.rows) return
      turns.noteChange()
      set({ ...state, rows: state.rows.map((one) => (one.id === row.id ? row : one)) })
    },
    update(path, change) {
      if (state.path !== path || !state.rows) return
      const rows = change(state.rows)
      if (rows !== state.rows) set({ ...state, rows })
    },
  }
}

const behind = (path: string, cursor: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`

/** Which answers are news. */
function createTurns() {
  let asked = 0
  /** The latest one whose answer is shown. */
  let shown = 0
  let changes = 0
  return {
    noteChange() {
      changes += 1
    },
    next() {
      asked += 1
      const [turn, before] = [asked, changes]
      return {
        isOver: () => turn < shown,
        /** Whether nothing was changed by hand since it was asked for. */
        take() {
          if (before === changes) shown = turn
          return before === changes
        },
      }
    },
  }
}

/** Whether an error of a list names the filters that it is about. */
export const isOfFilter = ({ status, details }: ApiError): boolean => status === 400 && details.length > 0

interface Failure {
  readonly path: string
  readonly error: ApiError
  isOutage(error: ApiError): boolean
}

/**
 * A filter that makes no sense leaves the list as it was: the error is shown beside the filter. Rows also stay while the
 * server does not answer.
 */
function failed<Row>(before: ListState<Row>, { path, error, isOutage }: Failure): ListState<Row> {
  if (before.path === path && isOutage(error)) return { ...before, error }
  return before.rows && isOfFilter(error) ? { path, rows: before.rows, error } : { path, error }
}

/**
 * While more than one page is shown or on its way, rows that left the first page stay: they may only have moved down.
 * If it has none that stands where it stood, rows between them may be missing, so that the list begins anew.
 */
function refreshed<Row extends { readonly id: string }>(
  { error: _, ...known }: ListState<Row>,
  { data, nextCursor }: PageBody<Row>,
  placeOf: (row: Row) => string,
): ListState<Row> {
  const { rows = [], isLoadingMore = false } = known
  const isOnePage = rows.length <= data.length && !isLoadingMore
  const places = new Set(rows.map(placeOf))
  const hasGap = data.length > 0 && !data.some((row) => places.has(placeOf(row)))
  if (nextCursor === null || isOnePage || hasGap) return { ...known, rows: data, cursor: nextCursor }
  const fresh = new Set(data.map(({ id }) => id))
  return { ...known, rows: [...data, ...rows.filter(({ id }) => !fresh.has(id))] }
}

function longer<Row extends { readonly id: string }>(
  { path, rows = [] }: ListState<Row>,
  { data, nextCursor }: PageBody<Row>,
): ListState<Row> {
  const seen = new Set(rows.map(({ id }) => id))
  return { path, rows: [...rows, ...data.filter(({ id }) => !seen.has(id))], cursor: nextCursor }
}
