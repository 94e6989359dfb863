// Reads from the API into a component: one resource, or a list page by page. Data stays on screen while it is
// read again, so that nothing jumps.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type ApiError, api, CANCELLED, toApiError } from '../core/api.ts'
import { outageOf, useRetry } from './freshness.ts'
import { createListReader, type ListState } from './list-reader.ts'

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
  const reading = useRef<AbortController>(undefined)
  useEffect(() => {
    if (path === undefined) return
    const abort = new AbortController()
    reading.current = abort
    api.get<Data>(path, abort.signal).then(
      (data) => {
        if (abort.signal.aborted) return
        reading.current = undefined
        setState({ path, data })
      },
      (failure: unknown) => {
        if (abort.signal.aborted) return
        reading.current = undefined
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
    set(data) {
      setState({ path, data })
      if (!reading.current) return
      // What is being read may be older than this, or newer: it is read again.
      reading.current.abort()
      reload()
    },
  }
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

const byId = ({ id }: { readonly id: string }): string => id

/**
 * A list with keyset paging. A new path, as after a change of filters, starts again at the first page. Where rows move,
 * `placeOf` tells that one has.
 */
export function useList<Row extends { readonly id: string }>(
  path: string,
  placeOf: (row: Row) => string = byId,
): List<Row> {
  const [state, setState] = useState<ListState<Row>>({ path })
  const [turn, setTurn] = useState(0)
  const reader = useMemo(
    () =>
      createListReader<Row>(path, {
        read: api.get,
        toError: toApiError,
        isOutage: (error) => outageOf(error) !== undefined,
        show: setState,
        placeOf,
      }),
    [],
  )
  useEffect(() => reader.open(path), [path, turn])
  const known: ListState<Row> = state.path === path ? state : { path }
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  const { refresh, loadMore, replace } = reader
  useRetry(known.error, known.rows ? () => void refresh() : reload)
  return {
    rows: known.rows,
    // With rows, the notice above the page says that they are old.
    error: known.rows && outageOf(known.error) ? undefined : known.error,
    hasMore: typeof known.cursor === 'string',
    isLoadingMore: known.isLoadingMore === true,
    loadMore: () => void loadMore(),
    ...{ reload, refresh, replace },
    update: (change) => reader.update(path, change),
  }
}

/** All pages, one after the other: what somebody chooses from. */
export function useWholeList<Row extends { readonly id: string }>(path: string): List<Row> {
  const list = useList<Row>(path)
  const { hasMore, error, rows, loadMore } = list
  useEffect(() => {
    if (hasMore && !error) loadMore()
  }, [rows])
  return list
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
