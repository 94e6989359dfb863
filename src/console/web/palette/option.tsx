// One result: a link where it leads somewhere, so that it can be opened in a new tab as well.
import { Icon } from '../parts/icon.tsx'
import { Ago } from '../parts/time.tsx'
import type { Entry } from './entries.ts'
import { Keys } from './keys.tsx'

interface Props {
  readonly id: string
  readonly entry: Entry
  readonly isActive: boolean
  onOver(): void
  onTake(): void
}

export function Option({ id, entry, isActive, onOver, onTake }: Props) {
  const { href } = entry
  const common = {
    id,
    role: 'option',
    tabIndex: -1,
    'aria-selected': isActive,
    class: 'palette-option',
    onPointerMove: () => !isActive && onOver(),
  } as const
  if (href === undefined)
    return (
      <button {...common} type="button" onClick={onTake}>
        <Inside entry={entry} />
      </button>
    )
  return (
    <a
      {...common}
      href={href}
      onClick={({ ctrlKey, metaKey, shiftKey }) => {
        // A new tab leaves the palette open. The router takes the others, after this.
        if (!ctrlKey && !metaKey && !shiftKey) onTake()
      }}
    >
      <Inside entry={entry} />
    </a>
  )
}

const Inside = ({ entry: { icon, title, detail, status, at, keys } }: { readonly entry: Entry }) => (
  <>
    <Icon name={icon} />
    <span class="palette-title">
      <span>{title}</span>
      {detail && <small>{detail}</small>}
    </span>
    <span class="palette-aside">
      {status && <span>{status}</span>}
      {at && <Ago at={at} />}
      {keys && <Keys keys={keys} />}
    </span>
  </>
)
