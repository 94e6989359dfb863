// The drawer over the log: its row stays in view, more rows are loaded at the end, and the focus comes back to it.
import { useEffect, useRef } from 'preact/hooks'
import type { List } from './load.ts'
import { type Neighbours, neighboursOf } from './neighbours.ts'

const linkOf = (id: string): HTMLElement | null =>
  document.querySelector(`a.row-link[href*="${CSS.escape(id)}"]`)

/** A drawer that is still there for a moment takes no focus from itself, and then gives it to where it was opened. */
function focusSoon(id: string, frames = 5): void {
  const link = linkOf(id)
  link?.focus({ preventScroll: true })
  if (frames > 0 && link)
    requestAnimationFrame(() => document.activeElement !== link && focusSoon(id, frames - 1))
}

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
    else if (before !== undefined) focusSoon(before)
  }, [id])
  useEffect(() => {
    if (isAtEnd && list.hasMore) list.loadMore()
  }, [isAtEnd, list.hasMore])
  return neighbours
}
