// Reads from the API into a component: one resource, or a list page by page. Data stays on screen while it is
// read again, so that nothing jumps.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type ApiError, api, CANCELLED, toApiError } from '../core/api.ts'
import { outageOf, useRetry } from './freshness.ts'

export interface Loaded<Data> {
  /** Undefined until the first answer. */
  readonly data: Data | undefined
  readonly error: ApiError | undefined
  reload(): void
  /** Shows data from another response, without a request. */
  set(data: Data): void
}

/** Reads nothing while the path is undefined. */
export function useResource<Data>(path: string | undefined): Loaded<Data> {
  const [state, setState] = useState<{ path?: string | undefined; data?: Data; error?: ApiError }>({})
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    if (path === undefined) return
    const abort = new AbortController()
    api.get<Data>(path, abort.signal).then(
      (data) => setState({ path, data }),
      (failure: unknown) => {
        if (abort.signal.aborted) return
        const error = toApiError(failure)
        // Keep showing the data that was read before.
        setState((before) => (before.path === path ? { ...before, error } : { path, error }))
      },
    )
    return () => abort.abort()
  }, [path, turn])
  const isCurrent = state.path === path
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  useRetry(isCurrent ? state.error : undefined, reload)
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    reload,
    set: (data) => setState({ path, data }),
  }
}

interface PageBody<Row> {
  readonly data: readonly Row[]
  readonly nextCursor: string | null
}

export interface List<Row> {
  /** Undefined until the first page is loaded. */
  readonly rows: readonly Row[] | undefined
  readonly error: ApiError | undefined
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  loadMore(): void
  reload(): void
  /** Reads the first page again and merges it in. A failure changes no rows. Resolves to whether it was read. */
  refresh(): Promise<boolean>
  /** Replaces the row with the same id. */
  replace(row: Row): void
  /** Changes the rows without a request, once they are there. */
  update(change: (rows: readonly Row[]) => readonly Row[]): void
}

interface ListState<Row> {
  readonly path: string
  readonly rows?: readonly Row[]
  readonly cursor?: string | null
  readonly error?: ApiError
  readonly isLoadingMore?: boolean
}

/** A list with keyset paging. A new path, as after a change of filters, starts again at the first page. */
export function useList<Row extends { readonly id: string }>(path: string): List<Row> {
  const [state, setState] = useState<ListState<Row>>({ path })
  const [turn, setTurn] = useState(0)
  const current = useRef(path)
  current.current = path
  useEffect(() => {
    const abort = new AbortController()
    api.get<PageBody<Row>>(path, abort.signal).then(
      ({ data, nextCursor }) => setState({ path, rows: data, cursor: nextCursor }),
      (error: unknown) => {
        if (!abort.signal.aborted) setState((before) => failed(before, path, toApiError(error)))
      },
    )
    return () => abort.abort()
  }, [path, turn])
  const known: ListState<Row> = state.path === path ? state : { path }
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  const refresh = () => readFirst(path, setState)
  useRetry(known.error, known.rows ? () => void refresh() : reload)
  return {
    rows: known.rows,
    // With rows, the notice above the page says that they are old.
    error: known.rows && outageOf(known.error) ? undefined : known.error,
    hasMore: typeof known.cursor === 'string',
    isLoadingMore: known.isLoadingMore === true,
    loadMore: () => void readMore(known, current, setState),
    reload,
    refresh,
    replace: (row) =>
      setState((before) => ({
        ...before,
        ...(before.rows && { rows: before.rows.map((one) => (one.id === row.id ? row : one)) }),
      })),
    update: (change) =>
      setState((before) => {
        if (before.path !== path || !before.rows) return before
        const rows = change(before.rows)
        return rows === before.rows ? before : { ...before, rows }
      }),
  }
}

/**
 * A filter that makes no sense leaves the list as it was: the error is shown beside the filter. Rows also stay while the
 * server does not answer.
 */
function failed<Row>(before: ListState<Row>, path: string, error: ApiError): ListState<Row> {
  if (before.path === path && outageOf(error)) return { ...before, error }
  return before.rows && isOfFilter(error) ? { path, rows: before.rows, error } : { path, error }
}

/** Whether an error of a list names the filters that it is about. */
export const isOfFilter = ({ status, details }: ApiError): boolean => status === 400 && details.length > 0

async function readFirst<Row extends { readonly id: string }>(
  path: string,
  setState: (change: (before: ListState<Row>) => ListState<Row>) => void,
): Promise<boolean> {
  const setHere = (change: (before: ListState<Row>) => ListState<Row>) =>
    setState((before) => (before.path === path ? change(before) : before))
  try {
    const first = await api.get<PageBody<Row>>(path)
    setHere((before) => refreshed(before, first))
    return true
  } catch (error) {
    const failure = toApiError(error)
    if (outageOf(failure)) setHere((before) => ({ ...before, error: failure }))
    return false
  }
}

/** While more than one page is shown, rows that left the first page stay: they may only have moved down. */
function refreshed<Row extends { readonly id: string }>(
  before: ListState<Row>,
  { data, nextCursor }: PageBody<Row>,
): ListState<Row> {
  const { path, rows } = before
  if (!rows || nextCursor === null || rows.length <= data.length)
    return { path, rows: data, cursor: nextCursor }
  const fresh = new Set(data.map(({ id }) => id))
  const { error: _, ...known } = before
  return { ...known, rows: [...data, ...rows.filter(({ id }) => !fresh.has(id))] }
}

async function readMore<Row extends { readonly id: string }>(
  known: ListState<Row>,
  current: { readonly current: string },
  setState: (change: (before: ListState<Row>) => ListState<Row>) => void,
): Promise<void> {
  const { path, cursor } = known
  if (!cursor || known.isLoadingMore) return
  setState((before) => ({ ...before, isLoadingMore: true }))
  const separator = path.includes('?') ? '&' : '?'
  try {
    const next = await api.get<PageBody<Row>>(`${path}${separator}cursor=${encodeURIComponent(cursor)}`)
    if (current.current !== path) return
    setState((before) => {
      const seen = new Set(before.rows?.map(({ id }) => id))
      const rows = [...(before.rows ?? []), ...next.data.filter(({ id }) => !seen.has(id))]
      return { path, rows, cursor: next.nextCursor }
    })
  } catch (error) {
    setState((before) => ({ ...before, isLoadingMore: false, error: toApiError(error) }))
  }
}

export interface Action {
  readonly isBusy: boolean
  readonly error: ApiError | undefined
  /** Runs one work at a time and keeps its error. Resolves to whether this work ran and succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>
  clear(): void
}

const FIRST_LOOK_MS = 2_000
const LONGEST_LOOK_MS = 60_000

/** Polls for a change by somebody else: first after `firstMs`, then with doubling delays up to one minute. */
export function useWatch(isWaiting: boolean, reload: () => void, firstMs = FIRST_LOOK_MS): void {
  useEffect(() => {
    if (!isWaiting) return
    let wait = firstMs
    let timer = setTimeout(look, wait)
    function look() {
      if (document.visibilityState === 'visible') reload()
      wait = Math.min(wait * 2, LONGEST_LOOK_MS)
      timer = setTimeout(look, wait)
    }
    return () => clearTimeout(timer)
  }, [isWaiting, reload, firstMs])
}

/** The state of the work that a button or a form starts. */
export function useAction(): Action {
  const [state, setState] = useState<{ isBusy: boolean; error?: ApiError }>({ isBusy: false })
  const isBusy = useRef(false)
  return {
    isBusy: state.isBusy,
    error: state.error,
    clear: () => setState({ isBusy: false }),
    async run(work) {
      if (isBusy.current) return false
      isBusy.current = true
      setState({ isBusy: true })
      try {
        await work()
        setState({ isBusy: false })
        return true
      } catch (failure) {
        const error = toApiError(failure)
        setState({ isBusy: false, ...(error.code !== CANCELLED && { error }) })
        return false
      } finally {
        isBusy.current = false
      }
    },
  }
}
