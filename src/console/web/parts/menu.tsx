// A menu of actions behind one button.
import { IconButton } from './button.tsx'
import { focusItem, type Item, ItemList } from './item-list.tsx'
import { usePopover } from './popover.ts'

export type MenuItem = Item

export function Menu({ label, items }: { readonly label: string; readonly items: readonly MenuItem[] }) {
  const { open, close, opener, surface, openerProps, surfaceProps } = usePopover({
    isAtEnd: true,
    onOpen: () => focusItem(surface.current),
  })
  return (
    <div class="menu">
      <IconButton
        {...openerProps}
        buttonRef={opener}
        label={label}
        icon="more"
        aria-haspopup="menu"
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          open()
        }}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Tab leaves a menu, which closes it. */}
      <div
        {...surfaceProps}
        class="menu-list"
        onKeyDown={({ key }) => {
          if (key === 'Tab') close()
        }}
      >
        <ItemList
          kind="menu"
          label={label}
          items={items.map((item) => ({
            ...item,
            onSelect() {
              close()
              item.onSelect()
            },
          }))}
        />
      </div>
    </div>
  )
}
