// Filters that are kept in the address, so that the link to a filtered list can be shared. Each is a chip; where
// there is little room, those that are not set are folded behind one button.
import { useState } from 'preact/hooks'
import type { ApiError } from '../core/api.ts'
import { place, setQuery } from '../core/router.ts'
import { Button } from './button.tsx'
import type { Option } from './field.tsx'
import { FilterChip } from './filter-chip.tsx'
import { Icon } from './icon.tsx'

export interface Filter {
  /** The name of the query parameter. */
  readonly name: string
  readonly label: string
  /** Without options the filter is a text. */
  readonly options?: readonly Option[]
  /** Several options at once, with commas between them in the address. */
  readonly isMany?: boolean
  readonly placeholder?: string
  readonly hint?: string
  /** A date and time, in the operator's time zone. */
  readonly isTime?: boolean
  /** Of a time: the parameter of its end. The filter is then a period, with presets. */
  readonly until?: string
}

/** The values of filters in the address. */
export const filterValues = (names: readonly string[]): Record<string, string | undefined> =>
  Object.fromEntries(names.map((name) => [name, place.value.query.get(name) ?? undefined]))

const namesOf = ({ name, until }: Filter): string[] => (until === undefined ? [name] : [name, until])

const isSet = (filter: Filter): boolean => namesOf(filter).some((name) => place.value.query.has(name))

export function Filters({
  filters,
  error,
}: {
  readonly filters: readonly Filter[]
  /** Of the list: what it says about one filter is shown beside that. */
  readonly error?: ApiError | undefined
}) {
  const [isUnfolded, setUnfolded] = useState(false)
  const set = filters.filter(isSet)
  const clear = (of: readonly Filter[]) =>
    setQuery(Object.fromEntries(of.flatMap(namesOf).map((name) => [name, undefined])))
  return (
    <search class={isUnfolded ? 'filters unfolded' : 'filters'}>
      <div class="chips">
        {filters.map((filter) => (
          <FilterChip
            key={filter.name}
            filter={filter}
            isSet={isSet(filter)}
            error={namesOf(filter)
              .map((name) => error?.of(name))
              .find(Boolean)}
            onClear={() => clear([filter])}
          />
        ))}
        {set.length < filters.length && (
          <button
            type="button"
            class="chip-fold"
            aria-expanded={isUnfolded}
            onClick={() => setUnfolded(!isUnfolded)}
          >
            <Icon name={isUnfolded ? 'close' : 'plus'} />
            {isUnfolded ? 'Fewer filters' : 'Add filter'}
          </button>
        )}
        {set.length > 0 && (
          <Button look="quiet" onClick={() => clear(filters)}>
            Clear filters
          </Button>
        )}
      </div>
    </search>
  )
}
