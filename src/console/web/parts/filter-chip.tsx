// One filter: a chip that says its value, and below it the editor.
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { momentOrText, toInstant, toLocal } from '../core/local-time.ts'
import { place, setQuery } from '../core/router.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import type { Filter } from './filter.ts'
import { Icon } from './icon.tsx'
import { focusItem, ItemList } from './item-list.tsx'
import { usePopover } from './popover.ts'

/** From so many options on, they can be searched. */
const MANY = 10

const valueIn = (name: string): string => place.value.query.get(name) ?? ''

export function FilterChip({
  filter,
  isSet,
  error,
  onClear,
}: {
  readonly filter: Filter
  readonly isSet: boolean
  readonly error: string | undefined
  onClear(): void
}) {
  const { label } = filter
  const popover = usePopover({ onOpen: () => focusFirst(popover.surface.current) })
  const { openerProps, surfaceProps, opener, close, isOpen } = popover
  const Editor = editorOf(filter)
  return (
    <div class={`chip${isSet ? ' set' : ''}${error ? ' bad' : ''}`}>
      <div class="chip-row">
        <button type="button" {...openerProps} ref={opener} class="chip-label" aria-haspopup="dialog">
          {!isSet && <Icon name="plus" />}
          <span>{isSet ? `${label}:` : label}</span>
          {isSet && <strong>{wordsOf(filter)}</strong>}
        </button>
        {isSet && (
          <button
            type="button"
            class="chip-clear"
            aria-label={`Clear ${label}`}
            onClick={() => {
              onClear()
              opener.current?.focus()
            }}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <div {...surfaceProps} class="chip-editor" role="dialog" aria-label={label}>
        {isOpen && <Editor filter={filter} onDone={close} />}
      </div>
    </div>
  )
}

function editorOf({ options, isTime }: Filter) {
  if (options) return Choice
  return isTime ? Period : Text
}

function focusFirst(surface: HTMLElement | null): void {
  const field = surface?.querySelector<HTMLElement>('input')
  if (field) field.focus()
  else focusItem(surface)
}

/** The value as the chip says it. */
function wordsOf({ name, until, options, isTime }: Filter): string {
  const value = valueIn(name)
  if (isTime) return periodWords(value, until === undefined ? '' : valueIn(until))
  if (!options) return value
  const chosen = value.split(',')
  const labels = chosen.map((one) => options.find((option) => option.value === one)?.label ?? one)
  return labels.length > 2 ? `${labels[0]} and ${labels.length - 1} more` : labels.join(', ')
}

function periodWords(since: string, until: string): string {
  if (since === '') return `until ${momentOrText(until)}`
  return until === '' ? `since ${momentOrText(since)}` : `${momentOrText(since)} to ${momentOrText(until)}`
}

interface EditorProps {
  readonly filter: Filter
  onDone(): void
}

function Choice({ filter: { name, label, options = [], isMany }, onDone }: EditorProps) {
  const [sought, setSought] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const chosen = valueIn(name).split(',').filter(Boolean)
  const choose = (value: string) => {
    if (!isMany) {
      setQuery({ [name]: chosen.includes(value) ? undefined : value })
      return onDone()
    }
    const next = options.map((one) => one.value).filter((one) => chosen.includes(one) !== (one === value))
    setQuery({ [name]: next.join(',') })
  }
  const found = options.filter((option) => option.label.toLowerCase().includes(sought.trim().toLowerCase()))
  return (
    <>
      {options.length >= MANY && (
        <Sought
          label={label}
          value={sought}
          onInput={setSought}
          onDown={() => focusItem(list.current)}
          onEnter={() => found[0] && choose(found[0].value)}
        />
      )}
      <ItemList
        kind="listbox"
        label={label}
        {...{ listRef: list, isMany: isMany === true }}
        items={found.map((option) => ({
          label: option.label,
          isChosen: chosen.includes(option.value),
          onSelect: () => choose(option.value),
        }))}
      />
      {found.length === 0 && <p class="chip-none">None is called so.</p>}
    </>
  )
}

const Sought = ({
  label,
  value,
  onInput,
  onDown,
  onEnter,
}: {
  readonly label: string
  readonly value: string
  onInput(value: string): void
  onDown(): void
  onEnter(): void
}) => (
  <input
    type="text"
    class="chip-sought"
    aria-label={`Find in ${label}`}
    placeholder="Find…"
    autocomplete="off"
    value={value}
    onInput={({ currentTarget }) => onInput(currentTarget.value)}
    onKeyDown={(event) => {
      if (event.key === 'Enter') onEnter()
      if (event.key !== 'ArrowDown') return
      event.preventDefault()
      onDown()
    }}
  />
)

function Text({ filter: { name, label, placeholder, hint }, onDone }: EditorProps) {
  const [text, setText] = useState(valueIn(name))
  const apply = () => {
    setQuery({ [name]: text.trim() })
    onDone()
  }
  return (
    <EditorForm onSubmit={apply}>
      <Field label={label} {...{ placeholder, hint }} value={text} onInput={setText} />
    </EditorForm>
  )
}

const HOUR_MS = 3_600_000
const presets = [
  ['Last 15 minutes', HOUR_MS / 4],
  ['Last hour', HOUR_MS],
  ['Last 24 hours', 24 * HOUR_MS],
  ['Last 7 days', 168 * HOUR_MS],
  ['Last 30 days', 720 * HOUR_MS],
] as const

function Period({ filter: { name, label, until }, onDone }: EditorProps) {
  const [from, setFrom] = useState(toLocal(valueIn(name)))
  const [to, setTo] = useState(until === undefined ? '' : toLocal(valueIn(until)))
  const apply = (since: string, end: string) => {
    setQuery({ [name]: since, ...(until !== undefined && { [until]: end }) })
    onDone()
  }
  return (
    <>
      {until !== undefined && (
        <ItemList
          kind="menu"
          label={label}
          items={presets.map(([title, length]) => ({
            label: title,
            onSelect: () => apply(new Date(Date.now() - length).toISOString(), ''),
          }))}
        />
      )}
      <EditorForm onSubmit={() => apply(toInstant(from), toInstant(to))}>
        <Field
          label={until === undefined ? label : 'From'}
          type="datetime-local"
          value={from}
          onInput={setFrom}
        />
        {until !== undefined && <Field label="Until" type="datetime-local" value={to} onInput={setTo} />}
      </EditorForm>
    </>
  )
}

const EditorForm = ({ children, onSubmit }: { readonly children: ComponentChildren; onSubmit(): void }) => (
  <form
    class="chip-form"
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
    <Button type="submit" look="primary">
      Apply
    </Button>
  </form>
)
