// The drawer over the log: its row stays in view, more rows are loaded at the end, and the focus comes back to it.
import { useEffect, useRef } from 'preact/hooks'
import type { List } from './load.ts'
import { type Neighbours, neighboursOf } from './neighbours.ts'

const linkOf = (id: string): HTMLElement | null =>
  document.querySelector(`a.row-link[href*="${CSS.escape(id)}"]`)

/** Keeps the open row in view behind the drawer, and loads more rows at the end. */
export function useRows(list: List<{ readonly id: string }>, id: string | undefined): Neighbours {
  const rows = list.rows ?? []
  const neighbours = neighboursOf(rows, id)
  const last = useRef<string>(undefined)
  const isAtEnd = id !== undefined && rows.at(-1)?.id === id
  useEffect(() => {
    const before = last.current
    last.current = id
    if (id !== undefined) linkOf(id)?.closest('tr')?.scrollIntoView({ block: 'nearest' })
    // The dialog gives the focus back to where it was opened: that may be another row.
    else if (before !== undefined) linkOf(before)?.focus({ preventScroll: true })
  }, [id])
  useEffect(() => {
    if (isAtEnd && list.hasMore) list.loadMore()
  }, [isAtEnd, list.hasMore])
  return neighbours
}
