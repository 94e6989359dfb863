import { place, setQuery } from '../core/router.ts'
import { Button } from './button.tsx'
import type { IconName } from './icon.tsx'
import { EmptyState } from './states.tsx'

/** A list that is empty because of its filters. */
export const NoResults = ({ icon }: { readonly icon: IconName }) => (
  <EmptyState icon={icon} title="No results" action={<Button onClick={clearFilters}>Clear filters</Button>}>
    Nothing matches the filters above.
  </EmptyState>
)

const clearFilters = (): void =>
  setQuery(Object.fromEntries([...place.value.query.keys()].map((name) => [name, undefined])))
