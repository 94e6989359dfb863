// Filters that are kept in the address, so that the link to a filtered list can be shared. Each is a chip; where
// there is little room, those that are not set are folded behind one button.
import { useState } from 'preact/hooks'
import type { ApiError } from '../core/api.ts'
import { place, setQuery } from '../core/router.ts'
import { Button } from './button.tsx'
import type { Filter } from './filter.ts'
import { FilterChip } from './filter-chip.tsx'
import { Icon } from './icon.tsx'

// biome-ignore lint/performance/noBarrelFile: pages take the filters of their list from one place.
export { type Filter, filterValues } from './filter.ts'

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
