// Where the replies to a number go, and what a choice of one endpoint takes from the others.
import type { EndpointRecord } from '../../../../contract/records/console.ts'

/** The endpoints that get the replies to every number that has no endpoint of its own. */
export const takersOf = (endpoints: readonly EndpointRecord[]): readonly EndpointRecord[] =>
  endpoints.filter(({ events, enabled }) => enabled && events.includes('message.received'))

/** What the choice means, for the operator who makes it. */
export function consequenceOf(endpoints: readonly EndpointRecord[], chosenId: string): string {
  const takers = takersOf(endpoints)
  const others = takers.filter(({ id }) => id !== chosenId)
  if (chosenId === '')
    return takers.length === 0
      ? 'No endpoint takes replies now. They are kept in the conversations.'
      : `Replies go to every endpoint that takes them: ${listed(takers)}.`
  if (others.length === 0) return 'Replies to this number go to this endpoint alone.'
  return `Replies to this number go to this endpoint alone: ${listed(others)} ${others.length === 1 ? 'gets' : 'get'} them no more.`
}

const listed = (endpoints: readonly EndpointRecord[]): string => endpoints.map(({ name }) => name).join(', ')
