// Where the replies to a number without an endpoint of its own go.
import type { EndpointRecord } from '../../../../contract/records/console.ts'

/** The endpoints that get the replies to every number that has no endpoint of its own. */
export const takersOf = (endpoints: readonly EndpointRecord[]): readonly EndpointRecord[] =>
  endpoints.filter(({ events, enabled }) => enabled && events.includes('message.received'))
