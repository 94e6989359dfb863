// Finds people, records, pages and actions while somebody types. The focus stays in the field; the arrows move through
// the results, which are links wherever they lead somewhere.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { overlay } from '../core/shortcuts.ts'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { actionEntries, type Entry, pageEntries } from './entries.ts'
import { matching } from './match.ts'
import { Nothing } from './nothing.tsx'
import { Option } from './option.tsx'
import { recentEntries, remember } from './recent.ts'
import { optionId, useChoice } from './use-choice.ts'
import { useSearch } from './use-search.ts'

const LIST = 'palette-list'

export function Palette() {
  const [text, setText] = useState('')
  const dialog = useDialog()
  const search = useSearch(text)
  const entries = useEntries(text, search.results)
  const { active, onOver, onKeyDown, onType } = useChoice(text, entries, search)
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search"
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onPointerDown={({ target, currentTarget }) => target === currentTarget && close()}
    >
      <div class="palette-frame">
        <div class="palette-field">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-label="Search, or go to a page"
            aria-expanded={entries.length > 0}
            aria-controls={LIST}
            aria-autocomplete="list"
            aria-activedescendant={active ? optionId(active) : undefined}
            placeholder="Name, number, ID, key, page or action…"
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            enterKeyHint="go"
            value={text}
            onInput={({ currentTarget }) => {
              onType()
              setText(currentTarget.value)
            }}
            onKeyDown={onKeyDown}
          />
          {search.isBusy && <span class="palette-busy" />}
          <IconButton label="Close" icon="close" onClick={close} />
        </div>
        <div class="palette-body">
          <Results entries={entries} active={active} onOver={onOver} onTaken={remember} />
          <Nothing text={text} search={search} hasEntries={entries.length > 0} />
        </div>
        <Foot />
      </div>
      <p class="visually-hidden" role="status">
        {text.trim() !== '' &&
          !search.isBusy &&
          (entries.length === 1 ? '1 result' : `${entries.length} results`)}
      </p>
    </dialog>
  )
}

const close = () => {
  overlay.value = undefined
}

function useDialog() {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    dialog.current?.querySelector('input')?.focus()
    return () => {
      dialog.current?.close()
      // After a navigation the focus belongs to the new page.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
    }
  }, [])
  return dialog
}

/** Pages and actions first: they are there at once, and what the server finds then moves nothing. */
function useEntries(text: string, results: readonly Entry[]): readonly Entry[] {
  const own = useMemo(() => ({ actions: actionEntries(), pages: pageEntries(), recent: recentEntries() }), [])
  return useMemo(() => {
    if (text.trim() === '') return [...own.recent, ...own.actions, ...own.pages]
    return [...matching(own.pages, text), ...matching(own.actions, text), ...results]
  }, [own, text, results])
}

function Results({
  entries,
  active,
  onOver,
  onTaken,
}: {
  readonly entries: readonly Entry[]
  readonly active: Entry | undefined
  onOver(index: number): void
  onTaken(entry: Entry): void
}) {
  const groups = [...new Set(entries.map(({ group }) => group))]
  return (
    <div id={LIST} role="listbox" aria-label="Results" class="palette-list">
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options is no fieldset.
        <div key={group} role="group" aria-labelledby={`palette-group-${group}`}>
          <h3 id={`palette-group-${group}`} role="presentation">
            {group}
          </h3>
          {entries
            .filter((entry) => entry.group === group)
            .map((entry) => (
              <Option
                key={entry.id}
                id={optionId(entry)}
                entry={entry}
                isActive={entry === active}
                onOver={() => onOver(entries.indexOf(entry))}
                onTake={() => {
                  onTaken(entry)
                  close()
                  entry.run?.()
                }}
              />
            ))}
        </div>
      ))}
    </div>
  )
}

const Foot = () => (
  <footer class="palette-foot" aria-hidden="true">
    <span>
      <kbd>↑</kbd> <kbd>↓</kbd> move
    </span>
    <span>
      <kbd>Enter</kbd> open
    </span>
    <span>
      <kbd>Ctrl</kbd> <kbd>Enter</kbd> new tab
    </span>
    <span>
      <kbd>Esc</kbd> close
    </span>
  </footer>
)
