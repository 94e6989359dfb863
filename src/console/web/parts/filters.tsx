// Filters that are kept in the address, so that the link to a filtered list can be shared.
import { useEffect, useState } from 'preact/hooks'
import { place, setQuery } from '../core/router.ts'
import { Button } from './button.tsx'
import { Field, type Option, Select } from './field.tsx'

export interface Filter {
  /** The name of the query parameter. */
  readonly name: string
  readonly label: string
  /** Without options the filter is a text field. */
  readonly options?: readonly Option[]
  readonly placeholder?: string
  /** A date and time, in the operator's time zone. */
  readonly isTime?: boolean
}

/** The values of filters in the address. */
export const filterValues = (names: readonly string[]): Record<string, string | undefined> =>
  Object.fromEntries(names.map((name) => [name, place.value.query.get(name) ?? undefined]))

export function Filters({ filters }: { readonly filters: readonly Filter[] }) {
  const isAnySet = filters.some(({ name }) => place.value.query.has(name))
  return (
    <search class="filters">
      {filters.map((filter) =>
        filter.options ? (
          <Select
            key={filter.name}
            label={filter.label}
            value={place.value.query.get(filter.name) ?? ''}
            options={[{ value: '', label: 'Any' }, ...filter.options]}
            onChange={(value) => setQuery({ [filter.name]: value })}
          />
        ) : (
          <TextFilter key={filter.name} filter={filter} />
        ),
      )}
      {isAnySet && (
        <Button
          look="quiet"
          onClick={() => setQuery(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
        >
          Clear filters
        </Button>
      )}
    </search>
  )
}

/** Takes effect on Enter and on leaving the field, not on every keystroke. */
function TextFilter({ filter }: { readonly filter: Filter }) {
  const { name, label, isTime, placeholder } = filter
  const current = place.value.query.get(name) ?? ''
  const [text, setText] = useState('')
  useEffect(() => setText(isTime ? toLocal(current) : current), [current, isTime])
  const apply = (value: string) => setQuery({ [name]: isTime ? toInstant(value) : value.trim() })
  return (
    <Field
      label={label}
      type={isTime ? 'datetime-local' : 'search'}
      placeholder={placeholder}
      value={text}
      onInput={setText}
      onBlur={() => apply(text)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(text)
      }}
    />
  )
}

const toInstant = (local: string): string => {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

function toLocal(instant: string): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
