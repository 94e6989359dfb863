// The drawer over the log: which rows are before and after the open one, the keys that go there, and where the focus
// is afterwards.
import { useEffect, useRef } from 'preact/hooks'
import type { List } from '../../core/load.ts'

interface Row {
  readonly id: string
}

export interface Neighbours {
  readonly previous: string | undefined
  readonly next: string | undefined
}

export function neighboursOf(rows: readonly Row[], id: string | undefined): Neighbours {
  const at = rows.findIndex((row) => row.id === id)
  if (at < 0) return { previous: undefined, next: undefined }
  return { previous: rows[at - 1]?.id, next: rows[at + 1]?.id }
}

const linkOf = (id: string): HTMLElement | null =>
  document.querySelector(`a.row-link[href*="${CSS.escape(id)}"]`)

/** Keeps the open row in view behind the drawer, and loads more rows at the end. */
export function useRows(list: List<Row>, id: string | undefined): Neighbours {
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

const forward = ['j', 'ArrowDown']
const backward = ['k', 'ArrowUp']

/** Where a key leads in the drawer. Keys of fields, and of code that scrolls, keep their meaning. */
export function keyLeadsTo(event: KeyboardEvent, { previous, next }: Neighbours): string | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return undefined
  const target = event.target instanceof Element ? event.target : undefined
  if (target?.closest('input, textarea, select, pre, [contenteditable], [popover]')) return undefined
  if (forward.includes(event.key)) return next
  return backward.includes(event.key) ? previous : undefined
}
