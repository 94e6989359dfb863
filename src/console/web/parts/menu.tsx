// A menu of actions behind one button. The browser's popover closes it on Escape and on a click outside.
import { useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

export interface MenuItem {
  readonly label: string
  readonly isDanger?: boolean
  onSelect(): void
}

export function Menu({ label, items }: { readonly label: string; readonly items: readonly MenuItem[] }) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const place = () => {
    const [menu, opener] = [list.current, button.current]
    if (!menu || !opener) return
    const { bottom, right } = opener.getBoundingClientRect()
    menu.style.top = `${bottom + 4}px`
    menu.style.right = `${document.documentElement.clientWidth - right}px`
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const all = [...(list.current?.querySelectorAll('button') ?? [])]
    const at = all.indexOf(document.activeElement as HTMLButtonElement)
    all[(at + step + all.length) % all.length]?.focus()
  }
  return (
    <div class="menu">
      <button
        ref={button}
        type="button"
        class="button quiet icon-only"
        aria-label={label}
        title={label}
        {...{ popovertarget: id }}
        onClick={place}
      >
        <Icon name="more" />
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys only supplement Tab. */}
      <div id={id} ref={list} class="menu-list" popover="auto" onKeyDown={onKeyDown}>
        {items.map(({ label: title, isDanger, onSelect }) => (
          <button
            key={title}
            type="button"
            class={isDanger ? 'danger' : undefined}
            onClick={() => {
              list.current?.hidePopover()
              onSelect()
            }}
          >
            {title}
          </button>
        ))}
      </div>
    </div>
  )
}
