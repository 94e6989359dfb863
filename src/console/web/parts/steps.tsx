// From row to row without closing the drawer: by two buttons, and by the keys that they name.
import { useLayoutEffect } from 'preact/hooks'
import { keyLeadsTo, type Neighbours } from '../core/neighbours.ts'
import { Button } from './button.tsx'

interface Props {
  /** What a row is: `delivery`. */
  readonly what: string
  readonly neighbours: Neighbours
  onOpen(id: string): void
}

export function Steps({ what, neighbours, onOpen }: Props) {
  // With the rendering, not after it is painted: a second press may come before that, and would lead to the same row.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const leadsTo = keyLeadsTo(event, neighbours)
      if (leadsTo === undefined) return
      event.preventDefault()
      onOpen(leadsTo)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  const step = (label: string, shortcut: string, to: string | undefined) => (
    <Button
      look="quiet"
      // At the end of the rows it stays where it is, and keeps the focus.
      aria-disabled={to === undefined}
      aria-keyshortcuts={shortcut}
      title={`${label} ${what} (${shortcut})`}
      onClick={() => to !== undefined && onOpen(to)}
    >
      {label}
    </Button>
  )
  return (
    <>
      {step('Previous', 'k', neighbours.previous)}
      {step('Next', 'j', neighbours.next)}
    </>
  )
}
