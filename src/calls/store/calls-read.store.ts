// Reads single calls and pages of the call log. Writes nothing.

import type { CallFilter } from '../../contract/filters.ts'
import type { Page, PageRequest } from '../../contract/page.ts'
import type { CallRecord } from '../../contract/records/call.ts'
import {
  contactIs,
  conversationIs,
  createdWithin,
  equals,
  itsContactIs,
  mergedRowsOfPage,
  onePerValue,
  type Piece,
} from '../../platform/postgres/keyset.ts'
import { byChange, byNewest, placeOf } from '../../platform/postgres/list-order.ts'
import { isLive, isLogged } from '../../platform/postgres/logged-or-live.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { CallId, WorkspaceId } from '../../shared/ids.ts'
import { type CallRecordRow, toCallRecord } from '../call.ts'
import { type CallsPart, partsOf } from './call-list-parts.ts'

const selectCalls = (sql: Sql, calls: Piece) => sql`
  select c.id, c.workspace_id, c.conversation_id, c.number_id, c.contact_id, c.direction, c.from_name, c.created_at, c.updated_at,
    n.number, n.phone_number_id, p.wa_id as contact_address, p.user_id, p.username, c.wacid, c.status, c.last_forward_error, c.end_reason,
    c.ringing_at, c.accepted_at, c.ended_at, c.duration_seconds
  from (${calls}) c
  join numbers n on n.id = c.number_id
  join contacts p on p.id = c.contact_id`

export interface CallReader {
  find(workspaceId: WorkspaceId, id: CallId): Promise<CallRecord | undefined>
  list(workspaceId: WorkspaceId, filter: CallFilter, page: PageRequest): Promise<Page<CallRecord>>
}

// First those with the fewest rows a value.
const severalValues = ['conversationId', 'contact', 'status', 'numberId'] as const

/** What is live is few, and read whole. */
const onePerIndex = (part: CallsPart): readonly CallsPart[] =>
  part.of === 'live' ? [part] : onePerValue(part.filter, severalValues).map((filter) => ({ ...part, filter }))

export const createCallReader = (sql: Sql): CallReader => ({
  async find(workspaceId, id) {
    const one = sql`select * from calls where workspace_id = ${workspaceId} and id = ${id}`
    const [row] = await sql<CallRecordRow[]>`${selectCalls(sql, one)}`
    return row && toCallRecord(row)
  },

  async list(workspaceId, filter, page) {
    const order = filter.updatedSince
      ? await byChange(sql, 'c', page, filter.updatedSince)
      : byNewest(sql, 'c', page)
    const select = ({ filter: one, of }: CallsPart) => sql`
      select *
      from calls c
      where c.workspace_id = ${workspaceId}
        ${liveness(sql, of, one.live)}
        ${equals(sql, 'c.direction', one.direction)}
        ${equals(sql, 'c.status', one.status)}
        ${conversationIs(sql, 'c.conversation_id', one.conversationId)}
        ${itsContactIs(sql, 'c.contact_id', one.conversationId)}
        ${contactIs(sql, 'c.contact_id', { workspaceId, address: one.contact })}
        ${equals(sql, 'c.number_id', one.numberId)}
        ${createdWithin(sql, 'c', one)}
        ${order.from}
      order by ${order.by('c')}`
    const selects = partsOf(filter).flatMap(onePerIndex).map(select)
    const rows =
      selects.length === 0
        ? []
        : await sql<(CallRecordRow & { readonly updatedAt: Date })[]>`
            ${selectCalls(sql, mergedRowsOfPage(sql, selects, page, order.by))}
            order by ${order.by('c')}`
    return order.page(rows, { show: toCallRecord, place: placeOf })
  },
})

function liveness(sql: Sql, of: CallsPart['of'], live: boolean | undefined): Piece {
  if (of === 'live' || live === true) return sql`and c.${isLive(sql)}`
  return of === 'log' || live === false ? sql`and c.${isLogged(sql)}` : sql``
}
