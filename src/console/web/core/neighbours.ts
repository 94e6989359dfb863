// Which rows are before and after the open one, and the keys that lead there. Pure.

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

/** Of a KeyboardEvent. */
interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
  readonly target: unknown
}

const forward = ['j', 'ArrowDown']
const backward = ['k', 'ArrowUp']

/** Where a key leads in the drawer. Keys of fields, and of code that scrolls, keep their meaning. */
export function keyLeadsTo(event: Pressed, { previous, next }: Neighbours): string | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return undefined
  const target = event.target as { closest?(selectors: string): unknown } | null
  if (target?.closest?.('form, input, textarea, select, pre, [contenteditable], [popover]')) return undefined
  if (forward.includes(event.key)) return next
  return backward.includes(event.key) ? previous : undefined
}
