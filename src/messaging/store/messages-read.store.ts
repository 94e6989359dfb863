// Reads single messages and pages of the message log. Writes nothing.

import { type StoredPermission, storedPermission } from '../../contract/call-permission.ts'
import type { MessageFilter } from '../../contract/filters.ts'
import type { Page, PageRequest } from '../../contract/page.ts'
import type { Direction, MessageRecord, MessageStatus, MessageType } from '../../contract/records/message.ts'
import type { MessageDetails } from '../../contract/records/message-details.ts'
import {
  contactIs,
  conversationIs,
  createdWithin,
  equals,
  mergedRowsOfPage,
  onePerValue,
  type Piece,
} from '../../platform/postgres/keyset.ts'
import { byChange, byNewest } from '../../platform/postgres/list-order.ts'
import {
  json,
  jsonOrNull,
  numberOrNull,
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
import {
  type CampaignId,
  type ConversationId,
  encodeId,
  type KeyId,
  type MessageId,
  type NumberId,
  type WorkspaceId,
} from '../../shared/ids.ts'
import { lateMessages, spanOf } from './late-messages.ts'
import { onePerState } from './message-states.ts'
import { hasMetadata, messagesWith, pairToFollow } from './metadata-filter.ts'

interface Shape {
  readonly id: MessageId
  readonly conversationId: ConversationId
  readonly numberId: NumberId
  readonly providerMessageId: string | null
  readonly direction: Direction
  readonly type: MessageType
  readonly status: MessageStatus
  readonly text: string
  readonly template: MessageRecord['template']
  readonly fromName: string | null
  readonly error: MessageRecord['error']
  readonly details: (Omit<MessageDetails, 'callPermission'> & { callPermission?: StoredPermission }) | null
  readonly metadata: Record<string, string>
  readonly apiKeyId: KeyId | null
  readonly apiKeyName: string | null
  readonly idempotencyKey: string | null
  readonly campaignId: CampaignId | null
  readonly number: string
  /** Digits, or a user id. */
  readonly waId: string
  readonly userId: string | null
  readonly username: string | null
  readonly mimeType: string | null
  readonly fileName: string | null
  readonly sizeBytes: number | null
  readonly sha256: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly sentAt: string | null
  readonly deliveredAt: string | null
  readonly readAt: string | null
  readonly failedAt: string | null
}

const { columns, rows: messageRows } = packing<Shape>({
  id: text('m.id'),
  conversationId: text('m.conversation_id'),
  numberId: text('m.number_id'),
  providerMessageId: textOrNull('m.provider_message_id'),
  direction: text('m.direction'),
  type: text('m.type'),
  status: text('m.status'),
  text: text('m.text'),
  template: jsonOrNull('m.template'),
  fromName: textOrNull('m.from_name'),
  error: jsonOrNull('m.error'),
  details: jsonOrNull('m.details'),
  metadata: json('m.metadata'),
  apiKeyId: wordOrNull('m.api_key_id'),
  apiKeyName: textOrNull('k.name'),
  idempotencyKey: textOrNull('m.idempotency_key'),
  campaignId: wordOrNull('m.campaign_id'),
  number: text('n.number'),
  waId: text('c.wa_id'),
  userId: textOrNull('c.user_id'),
  username: textOrNull('c.username'),
  mimeType: textOrNull('f.mime_type'),
  fileName: textOrNull('f.file_name'),
  sizeBytes: numberOrNull('f.size_bytes'),
  sha256: textOrNull('f.sha256'),
  createdAt: time('m.created_at'),
  updatedAt: time('m.updated_at'),
  sentAt: timeOrNull('m.sent_at'),
  deliveredAt: timeOrNull('m.delivered_at'),
  readAt: timeOrNull('m.read_at'),
  failedAt: timeOrNull('m.failed_at'),
})

/** What the columns above are read from, for the given rows of messages. */
const fromMessages = (sql: Sql, messages: Piece) => sql`
  from (${messages}) m
  join numbers n on n.id = m.number_id
  join contacts c on c.id = m.contact_id
  left join api_keys k on k.id = m.api_key_id
  left join media f on f.message_id = m.id`

function toMessageRecord(row: PackedRow): MessageRecord {
  const direction = columns.direction(row)
  const inbound = direction === 'INBOUND'
  const number = columns.number(row)
  const person = phoneOf(columns.waId(row)) ?? ''
  return {
    id: encodeId('message', columns.id(row)),
    conversationId: encodeId('conversation', columns.conversationId(row)),
    providerMessageId: columns.providerMessageId(row),
    direction,
    type: columns.type(row),
    status: columns.status(row),
    text: columns.text(row),
    template: columns.template(row),
    from: inbound ? person : number,
    fromName: columns.fromName(row),
    to: inbound ? number : person,
    userId: columns.userId(row),
    username: columns.username(row),
    numberId: encodeId('number', columns.numberId(row)),
    error: columns.error(row),
    media: toMedia(row),
    details: toDetails(columns.details(row)),
    metadata: columns.metadata(row),
    caller: inbound ? null : toCaller(row),
    createdAt: columns.createdAt(row),
    sentAt: columns.sentAt(row),
    deliveredAt: columns.deliveredAt(row),
    readAt: columns.readAt(row),
    failedAt: columns.failedAt(row),
  }
}

const toDetails = (details: Shape['details']): MessageRecord['details'] =>
  details?.callPermission
    ? { ...details, callPermission: storedPermission(details.callPermission) }
    : (details as MessageRecord['details'])

function toMedia(row: PackedRow): MessageRecord['media'] {
  const mimeType = columns.mimeType(row)
  if (mimeType === null) return null
  return {
    mimeType,
    fileName: columns.fileName(row),
    sizeBytes: columns.sizeBytes(row),
    sha256: columns.sha256(row),
  }
}

function toCaller(row: PackedRow): MessageRecord['caller'] {
  const [apiKeyId, campaignId] = [columns.apiKeyId(row), columns.campaignId(row)]
  return {
    apiKeyId: apiKeyId && encodeId('key', apiKeyId),
    apiKeyName: columns.apiKeyName(row),
    idempotencyKey: columns.idempotencyKey(row),
    campaignId: campaignId && encodeId('campaign', campaignId),
  }
}

const reading = {
  show: toMessageRecord,
  place: (row: PackedRow) => ({ id: columns.id(row), updatedAt: columns.updatedAt(row) }),
}

export interface MessageReader {
  find(workspaceId: WorkspaceId, id: MessageId): Promise<MessageRecord | undefined>
  list(workspaceId: WorkspaceId, filter: MessageFilter, page: PageRequest): Promise<Page<MessageRecord>>
  /** Where to begin a page of a conversation that shows up to `newer` messages before this one. */
  beginAround(
    workspaceId: WorkspaceId,
    around: { readonly conversationId: ConversationId; readonly id: MessageId; readonly newer: number },
  ): Promise<Pick<PageRequest, 'after'> | undefined>
}

// First those with the fewest rows a value.
const severalValues = ['conversationId', 'contact', 'campaignId', 'status', 'type', 'numberId'] as const

const apart = (filter: MessageFilter): readonly MessageFilter[] =>
  onePerState(filter) ?? onePerValue(filter, severalValues)

const uuid = /^[0-9a-f-]{36}$/

/**
 * A literal: workspaces have few keys, and one sends nearly everything. A plan for any key would read all messages for
 * one that sent little.
 */
function sentBy(sql: Sql, keyId: KeyId | undefined): Piece {
  if (keyId === undefined) return sql``
  if (!uuid.test(keyId)) throw new Error('the id of a key is no UUID')
  return sql`and m.api_key_id = ${sql.unsafe(`'${keyId}'`)}`
}

// Written as in the indexes of the message log, so that they are used.
const templateIs = (sql: Sql, name: string | undefined): Piece =>
  name === undefined ? sql`` : sql`and m.template is not null and m.template ->> 'name' = ${name}`

const failedWith = (sql: Sql, code: string | undefined): Piece =>
  code === undefined ? sql`` : sql`and m.status = 'FAILED' and m.error ->> 'code' = ${code}`

/** The messages of the filter, in every respect but their time. */
const those = (sql: Sql, workspaceId: WorkspaceId, one: MessageFilter): Piece => sql`
  m.workspace_id = ${workspaceId}
  ${equals(sql, 'm.direction', one.direction)}
  ${equals(sql, 'm.status', one.status)}
  ${equals(sql, 'm.type', one.type)}
  ${conversationIs(sql, 'm.conversation_id', one.conversationId)}
  ${contactIs(sql, 'm.contact_id', { workspaceId, address: one.contact })}
  ${equals(sql, 'm.number_id', one.numberId)}
  ${equals(sql, 'm.campaign_id', one.campaignId)}
  ${sentBy(sql, one.apiKeyId)}
  ${templateIs(sql, one.template)}
  ${failedWith(sql, one.errorCode)}
  ${equals(sql, 'm.idempotency_key', one.idempotencyKey)}
  ${equals(sql, 'm.provider_message_id', one.providerMessageId)}
  ${hasMetadata(sql, one.metadata)}`

export const createMessageReader = (pool: Sql): MessageReader => ({
  async find(workspaceId, id) {
    const one = parts`select * from messages where workspace_id = ${workspaceId} and id = ${id}`
    const [row] = await messageRows(pool, fromMessages(parts, one))
    return row && toMessageRecord(row)
  },

  async list(workspaceId, filter, page) {
    const pair = await pairToFollow(pool, workspaceId, filter)
    const sql = filter.metadata || filter.updatedSince ? pool : parts
    const table = pair ? 'x' : 'm'
    const order = filter.updatedSince
      ? await byChange(sql, table, page, filter.updatedSince)
      : byNewest(sql, table, page)
    const span = spanOf(filter)
    const through = pair ? messagesWith(sql, workspaceId, pair, span) : sql`messages m`
    const select = (one: MessageFilter) => sql`
      select m.*
      from ${through}
      where ${those(sql, workspaceId, one)} ${createdWithin(sql, 'm', span)} ${order.from}
      order by ${order.by(table)}`
    // Of the messages with a pair there is one order, whatever else they are.
    const single = pair ? [filter] : apart(filter)
    const late = lateMessages(sql, those(sql, workspaceId, filter), filter, page)
    const selects = [...single.map(select), ...late]
    const from = fromMessages(sql, mergedRowsOfPage(sql, selects, page, order.by))
    const rows = await messageRows(pool, sql`${from} order by ${order.by('m')}`)
    return order.page(rows, reading)
  },

  async beginAround(workspaceId, { conversationId, id, newer }) {
    const [row] = await pool<{ before: MessageId | null }[]>`
      select (
        select newer.id
        from messages newer
        where newer.workspace_id = ${workspaceId}
          and newer.conversation_id = ${conversationId}
          and newer.id > ${id}
        order by newer.id
        offset ${newer}
        limit 1
      ) as before
      from messages m
      where m.id = ${id} and m.workspace_id = ${workspaceId} and m.conversation_id = ${conversationId}`
    return row && { after: row.before === null ? undefined : [row.before] }
  },
})
