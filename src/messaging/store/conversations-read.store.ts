// Reads conversations, the one with the latest activity first. Writes nothing.

import { permissionAt, type StoredPermission } from '../../contract/call-permission.ts'
import type { ConversationFilter } from '../../contract/filters.ts'
import { type Page, type PageRequest, toPage } from '../../contract/page.ts'
import type { ConversationRecord } from '../../contract/records/conversation.ts'
import type { Direction, MessageType } from '../../contract/records/message.ts'
import {
  contactIs,
  equals,
  mergedRowsOfPage,
  onePerValue,
  type Piece,
} from '../../platform/postgres/keyset.ts'
import { byChange, type ListOrder } from '../../platform/postgres/list-order.ts'
import { iso } from '../../platform/postgres/newest-first.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { phoneOf } from '../../shared/address.ts'
import { type ConversationId, encodeId, type NumberId, type WorkspaceId } from '../../shared/ids.ts'
import { toE164 } from '../../shared/phone.ts'
import { windowExpiry } from '../window.ts'

export interface ConversationReader {
  find(workspaceId: WorkspaceId, id: ConversationId): Promise<ConversationRecord | undefined>
  list(
    workspaceId: WorkspaceId,
    filter: ConversationFilter,
    page: PageRequest,
  ): Promise<Page<ConversationRecord>>
}

interface Row {
  readonly id: ConversationId
  readonly numberId: NumberId
  readonly number: string
  /** Digits, or a user id. */
  readonly waId: string | null
  readonly userId: string | null
  readonly username: string | null
  readonly groupId: string | null
  readonly name: string | null
  readonly optState: string | null
  readonly unreadCount: number
  readonly lastInboundAt: Date | null
  readonly lastCallAt: Date | null
  readonly callPermission: StoredPermission | null
  readonly readAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly messageId: string | null
  readonly direction: Direction
  readonly type: MessageType
  readonly text: string
  readonly messageAt: Date
}

export const createConversationReader = (sql: Sql): ConversationReader => ({
  async find(workspaceId, id) {
    const one = sql`
      select * from conversations
      where workspace_id = ${workspaceId} and id = (select coalesce(merged_into, id) from conversations where id = ${id}) and erased_at is null`
    const [row] = await sql<Row[]>`${selected(sql, one)}`
    return row && toRecord(row)
  },

  async list(workspaceId, filter, page) {
    const order = filter.updatedSince
      ? await byChange(sql, 'v', page, filter.updatedSince)
      : byActivity(sql, page)
    const select = (one: ConversationFilter) => sql`
      select *
      from conversations v
      where v.workspace_id = ${workspaceId} and v.erased_at is null
        ${one.unread === undefined ? sql`` : unread(sql, one.unread)}
        ${equals(sql, 'v.number_id', one.numberId)}
        ${contactIs(sql, 'v.contact_id', { workspaceId, address: one.contact })}
        ${one.since ? sql`and v.updated_at >= ${one.since}` : sql``}
        ${one.until ? sql`and v.updated_at < ${one.until}` : sql``}
        ${order.from}
      order by ${order.by('v')}`
    const selects = onePerValue(filter, ['contact', 'numberId']).map(select)
    const rows = await sql<Row[]>`
      ${selected(sql, mergedRowsOfPage(sql, selects, page, order.by))}
      order by ${order.by('v')}`
    return order.page(rows, toRecord)
  },
})

const selected = (sql: Sql, conversations: Piece) => sql`
  select v.id, v.number_id, n.number, v.group_id, p.wa_id, p.user_id, p.username, p.name, p.opt_state, v.unread_count,
    v.last_inbound_at, v.last_call_at,
    v.call_permission, now() as read_at, v.created_at, v.updated_at,
    m.id as message_id, m.direction, m.type, m.text, m.created_at as message_at
  from (${conversations}) v
  join numbers n on n.id = v.number_id
  left join contacts p on p.id = v.contact_id
  left join messages m on m.id = v.last_message_id`

// Written exactly as in the partial index, so that the planner can use it.
const unread = (sql: Sql, isUnread: boolean) =>
  isUnread ? sql`and v.unread_count > 0` : sql`and v.unread_count = 0`

/** The latest activity first. */
function byActivity(sql: Sql, page: PageRequest): ListOrder {
  const [at, id] = page.after ?? []
  return {
    from:
      at === undefined || id === undefined
        ? sql``
        : sql`and (v.updated_at, v.id) < (${at}::timestamptz, ${id}::uuid)`,
    by: (name) => sql`${sql(`${name}.updated_at`)} desc, ${sql(`${name}.id`)} desc`,
    page: (rows, show) => toPage(rows, page.limit, (row) => [row.updatedAt.toISOString(), row.id], show),
  }
}

const toRecord = (row: Row): ConversationRecord => {
  const phone = phoneOf(row.waId ?? '')
  return {
    id: encodeId('conversation', row.id),
    numberId: encodeId('number', row.numberId),
    number: row.number,
    contact: {
      waId: phone ?? '',
      number: phone === null ? '' : toE164(phone),
      userId: row.userId,
      username: row.username,
      name: row.name,
      optedOut: row.optState === 'opted-out',
    },
    group: row.groupId === null ? null : { id: row.groupId },
    lastMessage:
      row.messageId === null
        ? null
        : {
            id: encodeId('message', row.messageId),
            direction: row.direction,
            type: row.type,
            text: row.text,
            at: row.messageAt.toISOString(),
          },
    unreadCount: row.unreadCount,
    lastInboundAt: iso(row.lastInboundAt),
    windowExpiresAt: iso(windowExpiry(row)),
    callPermission: row.callPermission && permissionAt(row.callPermission, row.readAt),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
