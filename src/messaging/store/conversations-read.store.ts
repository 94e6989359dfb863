// Reads conversations, the one with the latest activity first. Writes nothing.

import { permissionAt, type StoredPermission } from '../../contract/call-permission.ts'
import type { ConversationFilter } from '../../contract/filters.ts'
import { type Keyset, type Page, type PageRequest, toPage } from '../../contract/page.ts'
import type { ConversationRecord } from '../../contract/records/conversation.ts'
import type { Direction, MessageType } from '../../contract/records/message.ts'
import {
  contactIs,
  equals,
  mergedRowsOfPage,
  onePerValue,
  type Piece,
} from '../../platform/postgres/keyset.ts'
import { byChange, type ListOrder, type Place } from '../../platform/postgres/list-order.ts'
import {
  flag,
  jsonOrNull,
  number,
  type PackedRow,
  packing,
  text,
  textOrNull,
  time,
  timeOrNull,
  wordOrNull,
} from '../../platform/postgres/packed-rows.ts'
import { parts } from '../../platform/postgres/parts.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { phoneOf } from '../../shared/address.ts'
import { type ConversationId, encodeId, type NumberId, type WorkspaceId } from '../../shared/ids.ts'
import { toE164 } from '../../shared/phone.ts'
import { windowExpiryIso } from '../window.ts'

export interface ConversationReader {
  find(workspaceId: WorkspaceId, id: ConversationId): Promise<ConversationRecord | undefined>
  list(
    workspaceId: WorkspaceId,
    filter: ConversationFilter,
    page: PageRequest,
  ): Promise<Page<ConversationRecord>>
}

interface Shape {
  readonly id: ConversationId
  readonly numberId: NumberId
  readonly number: string
  /** Digits, or a user id. */
  readonly waId: string | null
  readonly userId: string | null
  readonly username: string | null
  readonly groupId: string | null
  readonly name: string | null
  readonly optedOut: boolean
  readonly marketingOptedOut: boolean
  readonly unreadCount: number
  readonly lastInboundAt: string | null
  readonly lastCallAt: string | null
  readonly callPermission: StoredPermission | null
  /** Now, where there is a permission. */
  readonly askedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly messageId: string | null
  readonly direction: Direction | null
  readonly type: MessageType | null
  readonly text: string | null
  readonly messageAt: string | null
}

const { columns, rows: conversationRows } = packing<Shape>({
  id: text('v.id'),
  numberId: text('v.number_id'),
  number: text('n.number'),
  waId: wordOrNull('p.wa_id'),
  userId: textOrNull('p.user_id'),
  username: textOrNull('p.username'),
  groupId: textOrNull('v.group_id'),
  name: textOrNull('p.name'),
  optedOut: flag("p.opt_state is not distinct from 'opted-out'"),
  marketingOptedOut: flag('p.marketing_opt_out_at is not null'),
  unreadCount: number('v.unread_count'),
  lastInboundAt: timeOrNull('v.last_inbound_at'),
  lastCallAt: timeOrNull('v.last_call_at'),
  callPermission: jsonOrNull('v.call_permission'),
  askedAt: timeOrNull('case when v.call_permission is not null then now() end'),
  createdAt: time('v.created_at'),
  updatedAt: time('v.updated_at'),
  messageId: wordOrNull('m.id'),
  direction: wordOrNull('m.direction'),
  type: wordOrNull('m.type'),
  text: textOrNull('m.text'),
  messageAt: timeOrNull('m.created_at'),
})

export const createConversationReader = (pool: Sql): ConversationReader => ({
  async find(workspaceId, id) {
    const one = parts`
      select * from conversations
      where workspace_id = ${workspaceId} and id = (select coalesce(merged_into, id) from conversations where id = ${id}) and erased_at is null`
    const [row] = await conversationRows(pool, fromConversations(parts, one))
    return row && toRecord(row)
  },

  async list(workspaceId, filter, page) {
    const sql = filter.updatedSince || filter.windowOpen ? pool : parts
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
        ${one.windowOpen ? activeWithinWindow(sql) : sql``}
        ${order.from}
      order by ${order.by('v')}`
    const single = onePerValue(filter, ['contact', 'numberId']).map(select)
    const selects = filter.windowOpen ? single.map((one) => windowOpen(sql, one, order)) : single
    const from = fromConversations(sql, mergedRowsOfPage(sql, selects, page, order.by))
    const rows = await conversationRows(pool, sql`${from} order by ${order.by('v')}`)
    const found = order.page(rows, reading)
    const [searched] = single
    if (!filter.windowOpen || found.next || !searched || single.length > 1) return found
    return { ...found, next: await endOfSearch(sql, searched) }
  },
})

/**
 * No index knows which windows are open: it would be written with every inbound message. What opened one was activity of
 * the last day, so that much of the list is searched, and at most so many conversations for one page.
 */
const mostSearched = 1_000

const activeWithinWindow = (sql: Sql) => sql`and v.updated_at > now() - interval '24 hours'`

const windowOpen = (sql: Sql, searched: Piece, order: ListOrder): Piece => sql`
  select * from (${searched} limit ${sql.unsafe(String(mostSearched))}) v
  where greatest(v.last_inbound_at, v.last_call_at) > now() - interval '24 hours'
  order by ${order.by('v')}`

/** Where the next page goes on searching, if this one ended only because it had searched enough. */
async function endOfSearch(sql: Sql, searched: Piece): Promise<Keyset | undefined> {
  const [last] = await sql<{ id: string; updatedAt: Date }[]>`
    select id, updated_at from (${searched} limit ${sql.unsafe(String(mostSearched))}) v
    offset ${mostSearched - 1}`
  return last && [last.updatedAt.toISOString(), last.id]
}

/** What the columns above are read from, for the given rows of conversations. */
const fromConversations = (sql: Sql, conversations: Piece) => sql`
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
    page: (rows, { show, place }) => {
      const keyset = ({ updatedAt, id }: Place) => [updatedAt, id]
      return toPage(rows, page.limit, (row) => keyset(place(row)), show)
    },
  }
}

function toRecord(row: PackedRow): ConversationRecord {
  const [lastInboundAt, groupId] = [columns.lastInboundAt(row), columns.groupId(row)]
  return {
    id: encodeId('conversation', columns.id(row)),
    numberId: encodeId('number', columns.numberId(row)),
    number: columns.number(row),
    contact: toContact(row),
    group: groupId === null ? null : { id: groupId },
    lastMessage: toLastMessage(row),
    unreadCount: columns.unreadCount(row),
    lastInboundAt,
    windowExpiresAt: windowExpiryIso(lastInboundAt, columns.lastCallAt(row)),
    callPermission: toPermission(row),
    createdAt: columns.createdAt(row),
    updatedAt: columns.updatedAt(row),
  }
}

function toContact(row: PackedRow): ConversationRecord['contact'] {
  const phone = phoneOf(columns.waId(row) ?? '')
  return {
    waId: phone ?? '',
    number: phone === null ? '' : toE164(phone),
    userId: columns.userId(row),
    username: columns.username(row),
    name: columns.name(row),
    optedOut: columns.optedOut(row),
    marketingOptedOut: columns.marketingOptedOut(row),
  }
}

function toLastMessage(row: PackedRow): ConversationRecord['lastMessage'] {
  const [id, direction, type] = [columns.messageId(row), columns.direction(row), columns.type(row)]
  const [said, at] = [columns.text(row), columns.messageAt(row)]
  if (id === null || direction === null || type === null || said === null || at === null) return null
  return { id: encodeId('message', id), direction, type, text: said, at }
}

function toPermission(row: PackedRow): ConversationRecord['callPermission'] {
  const [permission, askedAt] = [columns.callPermission(row), columns.askedAt(row)]
  return permission === null || askedAt === null ? null : permissionAt(permission, new Date(askedAt))
}

const reading = {
  show: toRecord,
  place: (row: PackedRow): Place => ({ id: columns.id(row), updatedAt: columns.updatedAt(row) }),
}
