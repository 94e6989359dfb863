// What the statements that begin calls have in common.

import type { WrittenDelivery } from '../../platform/postgres/emit.ts'
import { none } from '../../platform/postgres/share-statement.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import type { EndpointId, EventId } from '../../shared/ids.ts'
import type { CallProgress, CallRow } from '../call.ts'
import type { BegunHere } from '../ports.ts'
import { occurred, writtenOf } from './call-changes.store.ts'

export type BegunRow = (WrittenDelivery | { deliveryId: null }) & {
  isPresent?: boolean
  isOpen?: boolean
  endedBeforeStart?: boolean
  ownerEpoch: number | null
  status: CallRow['status']
  forwardState: CallProgress['forwardState']
  route: EndpointId[]
}

/**
 * Locks the contact before the conversation, as a merge of contacts does. It keeps a merge and an erasure out until the
 * call is there for them to find.
 */
export const present = (
  sql: Sql,
  { workspaceId, contactId }: Pick<CallRow, 'workspaceId' | 'contactId'>,
  wait: Fragment = none(sql),
) => sql`
  present as (
    select id
    from contacts
    where id = ${contactId} and workspace_id = ${workspaceId} and erased_at is null
    for key share ${wait}
  ),`

/** The first event of a call. */
export const begunEvent = (sql: Sql, eventId: EventId, body: string) =>
  occurred(sql, { eventId, body }, sql`(select *, null::uuid as after from begun) first`)

export function begunOf(rows: readonly BegunRow[], rowOf: (first: BegunRow) => CallRow): BegunHere {
  const [first] = rows
  if (first?.isPresent === false) return { type: 'gone' }
  if (first?.endedBeforeStart) return { type: 'endedBeforeStart' }
  if (first === undefined || first.ownerEpoch === null) return { type: 'exists' }
  return {
    type: 'begun',
    row: rowOf(first),
    route: first.route,
    isOpen: first.isOpen === true,
    epoch: first.ownerEpoch,
    deliveries: writtenOf(rows),
  }
}
