// Reads single calls and pages of the call log. Writes nothing.

import type { CallFilter } from '../../contract/filters.ts'
import type { Page, PageRequest } from '../../contract/page.ts'
import { type CallRecord, liveCallStatuses } from '../../contract/records/call.ts'
import {
  contactIs,
  conversationIs,
  createdWithin,
  equals,
  mergedRowsOfPage,
  onePerValue,
  type Piece,
} from '../../platform/postgres/keyset.ts'
import { byChange, byNewest, placeOf } from '../../platform/postgres/list-order.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { CallId, WorkspaceId } from '../../shared/ids.ts'
import { type CallRecordRow, toCallRecord } from '../call.ts'

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
    const select = (one: CallFilter) => sql`
      select *
      from calls c
      where c.workspace_id = ${workspaceId}
        ${equals(sql, 'c.direction', one.direction)}
        ${equals(sql, 'c.status', one.status)}
        ${liveness(sql, one.live)}
        ${conversationIs(sql, 'c.conversation_id', one.conversationId)}
        ${contactIs(sql, 'c.contact_id', { workspaceId, address: one.contact })}
        ${equals(sql, 'c.number_id', one.numberId)}
        ${createdWithin(sql, 'c', one)}
        ${order.from}
      order by ${order.by('c')}`
    const selects = onePerValue(filter, severalValues).map(select)
    const rows = await sql<(CallRecordRow & { readonly updatedAt: Date })[]>`
      ${selectCalls(sql, mergedRowsOfPage(sql, selects, page, order.by))}
      order by ${order.by('c')}`
    return order.page(rows, { show: toCallRecord, place: placeOf })
  },
})

// Written exactly as in the partial index on live calls, so that the planner can use the index for the list.
const [initiated, ringing, accepted] = liveCallStatuses
const liveList = `('${initiated}', '${ringing}', '${accepted}')`

function liveness(sql: Sql, live: boolean | undefined) {
  if (live === undefined) return sql``
  return live
    ? sql`and c.status in ${sql.unsafe(liveList)}`
    : sql`and c.status not in ${sql.unsafe(liveList)}`
}
