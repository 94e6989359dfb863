// Search and filters of the list, kept in the address.
import { useEffect, useId, useState } from 'preact/hooks'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import { phone } from '../../core/format.ts'
import { place, setQuery } from '../../core/router.ts'
import { Icon } from '../../parts/icon.tsx'

const PAUSE_MS = 300

interface Props {
  readonly numbers: readonly NumberRecord[]
  /** What is wrong with what is searched for. */
  readonly error: string | undefined
}

export const ListFilters = ({ numbers, error }: Props) => (
  <search class="inbox-filters">
    <Search error={error} />
    <Shown />
    <div class="inbox-choices">
      <Choice
        name="order"
        label="Order"
        options={[
          ['', 'Unread first'],
          ['activity', 'Newest first'],
        ]}
      />
      {numbers.length > 1 && (
        <Choice
          name="numberId"
          label="Number"
          options={[['', 'All numbers'], ...numbers.map(({ id, number }) => [id, phone(number)] as const)]}
        />
      )}
    </div>
  </search>
)

/** Searches while somebody types, after a short pause. */
function Search({ error }: Pick<Props, 'error'>) {
  const current = place.value.query.get('contact') ?? ''
  const [text, setText] = useState(current)
  const id = useId()
  // Who types goes on behind a space.
  useEffect(() => setText((typed) => (typed.trim() === current ? typed : current)), [current])
  useEffect(() => {
    if (text.trim() === current) return
    const timer = setTimeout(() => setQuery({ contact: text.trim() }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div class="inbox-search">
      <Icon name="search" />
      <input
        type="search"
        aria-label="Search conversations"
        placeholder="Name, number or @username"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? id : undefined}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') setQuery({ contact: text.trim() })
        }}
      />
      {error && (
        <p id={id} class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

const choices = [
  { label: 'All', unread: undefined, windowOpen: undefined, title: 'Every conversation' },
  { label: 'Unread', unread: 'true', windowOpen: undefined, title: 'With messages that nobody has read' },
  { label: 'Window open', unread: undefined, windowOpen: 'true', title: 'Free replies are possible now' },
]

function Shown() {
  const { query } = place.value
  const isChosen = ({ unread, windowOpen }: (typeof choices)[number]) =>
    (query.get('unread') ?? undefined) === unread && (query.get('windowOpen') ?? undefined) === windowOpen
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">Show</legend>
      {choices.map((choice) => (
        <label key={choice.label} title={choice.title}>
          <input
            type="radio"
            name="inbox-shown"
            checked={isChosen(choice)}
            onChange={() => setQuery({ unread: choice.unread, windowOpen: choice.windowOpen })}
          />
          <span>{choice.label}</span>
        </label>
      ))}
    </fieldset>
  )
}

const Choice = ({
  name,
  label,
  options,
}: {
  readonly name: string
  readonly label: string
  readonly options: readonly (readonly [value: string, label: string])[]
}) => (
  <select
    aria-label={label}
    value={place.value.query.get(name) ?? ''}
    onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
  >
    {options.map(([value, title]) => (
      <option key={value} value={value}>
        {title}
      </option>
    ))}
  </select>
)
