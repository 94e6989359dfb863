// A list of items of which one has the focus: the actions of a menu, or the values of a choice.
import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { isTyping, itemAfterKey, itemByText, nothingTyped, typedAfter } from '../core/menu-keys.ts'
import { Icon, type IconName } from './icon.tsx'

export interface Item {
  readonly label: string
  readonly icon?: IconName
  /** Said after the label, more quietly. */
  readonly hint?: string
  readonly isDanger?: boolean
  /** Of a choice. */
  readonly isChosen?: boolean
  onSelect(): void
}

const itemsIn = (list: HTMLElement | null): HTMLButtonElement[] => [
  ...(list?.querySelectorAll<HTMLButtonElement>('[role="menuitem"], [role="option"]') ?? []),
]

/** Focuses the chosen item, or the first. */
export function focusItem(list: HTMLElement | null): void {
  const all = itemsIn(list)
  ;(all.find((item) => item.ariaSelected === 'true') ?? all[0])?.focus()
}

interface Props {
  readonly kind: 'menu' | 'listbox'
  readonly label: string
  readonly items: readonly Item[]
  /** Several may be chosen. */
  readonly isMany?: boolean
  readonly listRef?: RefObject<HTMLDivElement | null>
}

export function ItemList({ kind, label, items, isMany, listRef }: Props) {
  const typed = useRef(nothingTyped)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { key, currentTarget, timeStamp } = event
    const all = itemsIn(currentTarget as HTMLElement)
    const at = all.indexOf(document.activeElement as HTMLButtonElement)
    // A space selects, except within a search for two words.
    if (key.length !== 1 || (key === ' ' && !isTyping(typed.current, timeStamp)))
      return focusAt(event, all, itemAfterKey(key, at, all.length))
    typed.current = typedAfter(typed.current, key, timeStamp)
    const labels = items.map((item) => item.label)
    focusAt(event, all, itemByText(typed.current.text, at, labels))
  }
  const aria = { role: kind, 'aria-label': label, ...(isMany && { 'aria-multiselectable': true }) }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the role is among the attributes.
    <div {...aria} ref={listRef ?? null} class="items" onKeyDown={onKeyDown}>
      {items.map((item) => (
        <ItemButton key={item.label} kind={kind} item={item} />
      ))}
    </div>
  )
}

function focusAt(event: KeyboardEvent, all: readonly HTMLButtonElement[], index: number | undefined): void {
  if (index === undefined) return
  event.preventDefault()
  all[index]?.focus()
}

const ItemButton = ({
  kind,
  item: { label, icon, hint, isDanger, isChosen = false, onSelect },
}: {
  readonly kind: 'menu' | 'listbox'
  readonly item: Item
}) => (
  <button
    type="button"
    {...(kind === 'menu' ? { role: 'menuitem' } : { role: 'option', 'aria-selected': isChosen })}
    tabIndex={-1}
    class={isDanger ? 'danger' : undefined}
    onClick={onSelect}
  >
    {icon && <Icon name={icon} />}
    <span>{label}</span>
    {hint && <small>{hint}</small>}
    {isChosen && <Icon name="check" />}
  </button>
)
