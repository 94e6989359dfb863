// Who gets what is written to a number, before and after its endpoint is changed. Pure.
import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { endpointOptions } from '../../core/endpoint-names.ts'

interface Change {
  /** The ids of the endpoints; empty: the number has none of its own. */
  readonly from: string
  readonly to: string
  readonly endpoints: readonly EndpointRecord[]
}

/** A number with an endpoint of its own tells it alone; otherwise every endpoint that takes messages is told. */
export function effectOf({ from, to, endpoints }: Change): string {
  const names = new Map(endpointOptions(endpoints).map(({ value, label }) => [value, label]))
  const takers = endpoints.filter(({ events }) => events.includes('message.received')).map(({ id }) => id)
  const listed = (ids: readonly string[]) =>
    new Intl.ListFormat('en').format(ids.map((id) => names.get(id) ?? 'a deleted endpoint'))
  const [before, after] = [from, to].map((id) => (id === '' ? takers : [id])) as [string[], string[]]
  if (after.length === 0)
    return `No endpoint takes messages, so that what is written to this number is told to nobody.${lost(listed, before)}`
  const whom =
    to === '' ? `to every endpoint that takes messages: ${listed(after)}` : `to ${listed(after)} alone`
  const losers = before.filter((id) => !after.includes(id))
  return `What is written to this number goes ${whom}.${lost(listed, losers)}${offs(after, endpoints, listed)}`
}

const lost = (listed: (ids: readonly string[]) => string, ids: readonly string[]): string =>
  ids.length === 0 ? '' : ` ${listed(ids)} no longer ${ids.length === 1 ? 'gets' : 'get'} it.`

function offs(
  ids: readonly string[],
  endpoints: readonly EndpointRecord[],
  listed: (ids: readonly string[]) => string,
): string {
  const off = endpoints.filter(({ id, enabled }) => !enabled && ids.includes(id)).map(({ id }) => id)
  if (off.length === 0) return ''
  const [are, they] = off.length === 1 ? ['is', 'it is'] : ['are', 'they are']
  return ` ${listed(off)} ${are} off: events are held until ${they} turned on.`
}
