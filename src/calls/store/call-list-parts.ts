// A list of calls as selects that each follow one index, see platform/postgres/logged-or-live.ts.

import type { CallFilter } from '../../contract/filters.ts'
import { type CallStatus, liveCallStatuses } from '../../contract/records/call.ts'
import type { Direction } from '../../contract/records/message.ts'
import { callMachines } from '../call.machine.ts'

/** What one select of a list reads. */
export interface CallsPart {
  readonly filter: CallFilter
  /** Live calls, those of the log, or both where an index holds both. */
  readonly of: 'live' | 'log' | 'all'
}

const isLive = (status: CallStatus): boolean => liveCallStatuses.some((one) => one === status)

/** Each pair that the table can hold. */
const ends = Object.entries(callMachines).flatMap(([direction, machine]) =>
  (Object.keys(machine) as CallStatus[])
    .filter((status) => !isLive(status))
    .map((status) => ({ direction: direction as Direction, status })),
)

/**
 * The selects of a list, none where nothing can match. Each follows one index in the order of the list; the calls of a
 * contact are in one index, whether they are live or not.
 */
export function partsOf(filter: CallFilter): readonly CallsPart[] {
  const { live, conversationId, contact } = filter
  if (conversationId !== undefined || contact !== undefined) return [{ filter, of: 'all' }]
  return [
    ...(live === true ? [] : logged(filter)),
    ...(live === false || !mayBe(filter, isLive) ? [] : [{ filter, of: 'live' } as const]),
  ]
}

const mayBe = ({ status }: CallFilter, test: (status: CallStatus) => boolean): boolean =>
  status === undefined || [status].flat().some(test)

/** Of calls in a certain state there is one index, which begins with direction and status. */
function logged(filter: CallFilter): readonly CallsPart[] {
  const { direction, status, numberId, updatedSince } = filter
  const isWide = (direction ?? status) === undefined
  const isNarrow = updatedSince !== undefined || (numberId !== undefined && status === undefined)
  if (isWide || isNarrow) return mayBe(filter, (one) => !isLive(one)) ? [{ filter, of: 'log' }] : []
  const asked = status === undefined ? undefined : [status].flat()
  return ends
    .filter(
      (end) =>
        (direction === undefined || direction === end.direction) && (asked?.includes(end.status) ?? true),
    )
    .map((end) => ({ filter: { ...filter, ...end }, of: 'log' }))
}
