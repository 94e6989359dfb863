import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface Tab {
  readonly id: string
  readonly title: string
  readonly body: () => ComponentChildren
}

/** Arrow keys move between the tabs, as in every other tab list. */
export function Tabs({
  label,
  tabs,
  current,
  onChange,
}: {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly current: string
  onChange(id: string): void
}) {
  const base = useId()
  const index = Math.max(
    tabs.findIndex(({ id }) => id === current),
    0,
  )
  const chosen = tabs[index]
  const go = (to: number) => {
    const tab = tabs[(to + tabs.length) % tabs.length]
    if (!tab) return
    onChange(tab.id)
    document.getElementById(`${base}-${tab.id}`)?.focus()
  }
  const moves: Readonly<Record<string, () => void>> = {
    ArrowRight: () => go(index + 1),
    ArrowLeft: () => go(index - 1),
    Home: () => go(0),
    End: () => go(tabs.length - 1),
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const move = moves[event.key]
    if (!move) return
    event.preventDefault()
    move()
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            id={`${base}-${id}`}
            type="button"
            role="tab"
            aria-selected={id === chosen?.id}
            aria-controls={`${base}-panel`}
            tabIndex={id === chosen?.id ? 0 : -1}
            onClick={() => onChange(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div id={`${base}-panel`} role="tabpanel" aria-labelledby={`${base}-${chosen?.id}`}>
        {chosen?.body()}
      </div>
    </div>
  )
}
