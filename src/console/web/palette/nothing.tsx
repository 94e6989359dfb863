// What the palette says where it has no results of the server.
import { Button } from '../parts/button.tsx'
import type { Search } from './use-search.ts'

export function Nothing({
  text,
  search,
  hasEntries,
}: {
  readonly text: string
  readonly search: Search
  readonly hasEntries: boolean
}) {
  if (search.error)
    return (
      <div class="palette-note" role="alert">
        <p>
          <strong>People and records cannot be searched now</strong>
        </p>
        <p>{search.error.message}</p>
        <Button onClick={search.retry}>Search again</Button>
      </div>
    )
  if (hasEntries || text.trim() === '' || search.isBusy) return null
  return (
    <div class="palette-note">
      <p>
        <strong>No results for “{text.trim()}”</strong>
      </p>
      <p>
        Try the beginning of a name, a number or its last digits, a username, an ID such as msg_…, or the key
        of a request.
      </p>
    </div>
  )
}
