// The palette and the list of keys, fetched when somebody first asks for them, and the button that opens the palette.
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { toApiError } from './core/api.ts'
import { hrefOf } from './core/router.ts'
import { isMac, overlay, startShortcuts } from './core/shortcuts.ts'
import { sayError } from './core/toasts.ts'
import { Icon } from './parts/icon.tsx'

const loads = {
  palette: () => import('./palette/palette.tsx').then(({ Palette }) => Palette),
  shortcuts: () => import('./palette/shortcuts.tsx').then(({ Shortcuts }) => Shortcuts),
}

const loaded = new Map<string, ComponentType>()

export function Search() {
  const wanted = overlay.value
  const [, setTurn] = useState(0)
  useEffect(() => startShortcuts({ openPage, create: pressFirstAction }), [])
  useEffect(() => {
    if (wanted === undefined || loaded.has(wanted)) return
    loads[wanted]().then(
      (component) => {
        loaded.set(wanted, component)
        setTurn((before) => before + 1)
      },
      (failure: unknown) => {
        overlay.value = undefined
        sayError(toApiError(failure))
      },
    )
  }, [wanted])
  const Overlay = wanted && loaded.get(wanted)
  return Overlay ? <Overlay key={wanted} /> : null
}

/** As a click on its link in the navigation. */
function openPage(page: string): void {
  document.querySelector<HTMLElement>(`#navigation a[href="${hrefOf(page)}"]`)?.click()
}

function pressFirstAction(): void {
  document.querySelector<HTMLElement>('.page-actions .button.primary')?.click()
}

export const SearchButton = () => (
  <button
    type="button"
    class="search-button"
    aria-haspopup="dialog"
    aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
    // Its file is there before the click.
    onPointerEnter={() => void loads.palette().catch(() => undefined)}
    onClick={() => {
      overlay.value = 'palette'
    }}
  >
    <Icon name="search" />
    <span class="search-label">Search</span>
    <span class="search-keys" aria-hidden="true">
      <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
    </span>
  </button>
)
