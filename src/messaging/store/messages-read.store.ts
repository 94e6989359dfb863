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
import { iso } from '../../platform/postgres/newest-first.ts'
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
import { hasMetadata, messagesWith, pairToFollow } from './metadata-filter.ts'

export interface MessageRow {
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
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly sentAt: Date | null
  readonly deliveredAt: Date | null
  readonly readAt: Date | null
  readonly failedAt: Date | null
}

/** The given rows of messages with all columns of a MessageRow. */
const selectMessages = (sql: Sql, messages: Piece) => sql`
  select m.id, m.conversation_id, m.number_id, m.provider_message_id, m.direction, m.type, m.status, m.text,
    m.template, m.from_name, m.error, m.details, m.metadata, m.api_key_id, k.name as api_key_name,
    m.idempotency_key, m.campaign_id, n.number, c.wa_id, c.user_id, c.username, f.mime_type, f.file_name, f.size_bytes, f.sha256,
    m.created_at, m.updated_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at
  from (${messages}) m
  join numbers n on n.id = m.number_id
  join contacts c on c.id = m.contact_id
  left join api_keys k on k.id = m.api_key_id
  left join media f on f.message_id = m.id`

function toMessageRecord(row: MessageRow): MessageRecord {
  const inbound = row.direction === 'INBOUND'
  return {
    id: encodeId('message', row.id),
    conversationId: encodeId('conversation', row.conversationId),
    providerMessageId: row.providerMessageId,
    direction: row.direction,
    type: row.type,
    status: row.status,
    text: row.text,
    template: row.template,
    from: inbound ? (phoneOf(row.waId) ?? '') : row.number,
    fromName: row.fromName,
    to: inbound ? row.number : (phoneOf(row.waId) ?? ''),
    userId: row.userId,
    username: row.username,
    numberId: encodeId('number', row.numberId),
    error: row.error,
    media: toMedia(row),
    details: toDetails(row.details),
    metadata: row.metadata,
    caller: inbound ? null : toCaller(row),
    createdAt: row.createdAt.toISOString(),
    sentAt: iso(row.sentAt),
    deliveredAt: iso(row.deliveredAt),
    readAt: iso(row.readAt),
    failedAt: iso(row.failedAt),
  }
}

const toDetails = (details: MessageRow['details']): MessageRecord['details'] =>
  details?.callPermission
    ? { ...details, callPermission: storedPermission(details.callPermission) }
    : (details as MessageRecord['details'])

function toMedia(row: MessageRow): MessageRecord['media'] {
  if (row.mimeType === null) return null
  return { mimeType: row.mimeType, fileName: row.fileName, sizeBytes: row.sizeBytes, sha256: row.sha256 }
}

const toCaller = (row: MessageRow): MessageRecord['caller'] => ({
  apiKeyId: row.apiKeyId && encodeId('key', row.apiKeyId),
  apiKeyName: row.apiKeyName,
  idempotencyKey: row.idempotencyKey,
  campaignId: row.campaignId && encodeId('campaign', row.campaignId),
})

export interface MessageReader {
  find(workspaceId: WorkspaceId, id: MessageId): Promise<MessageRecord | undefined>
  list(workspaceId: WorkspaceId, filter: MessageFilter, page: PageRequest): Promise<Page<MessageRecord>>
  /** Where to begin a page of a conversation that shows up to `newer` messages before this one. */
  beginAround(
    workspaceId: WorkspaceId,
    around: { readonly conversationId: ConversationId; readonly id: MessageId; readonly newer: number },
  ): Promise<Pick<PageRequest, 'after'> | undefined>
}

// The provider repeats a message for seven days: its id is then made so much later than its created_at.
const repeatedMs = 8 * 86_400_000

// First those with the fewest rows a value.
const severalValues = ['conversationId', 'contact', 'campaignId', 'status', 'type', 'numberId'] as const

export const createMessageReader = (sql: Sql): MessageReader => ({
  async find(workspaceId, id) {
    const one = sql`select * from messages where workspace_id = ${workspaceId} and id = ${id}`
    const [row] = await sql<MessageRow[]>`${selectMessages(sql, one)}`
    return row && toMessageRecord(row)
  },

  async list(workspaceId, filter, page) {
    const pair = await pairToFollow(sql, workspaceId, filter)
    const table = pair ? 'x' : 'm'
    const order = filter.updatedSince
      ? await byChange(sql, table, page, filter.updatedSince)
      : byNewest(sql, table, page)
    const select = (one: MessageFilter) => sql`
      select m.*
      from ${pair ? messagesWith(sql, workspaceId, pair, { ...one, lateMs: repeatedMs }) : sql`messages m`}
      where m.workspace_id = ${workspaceId}
        ${equals(sql, 'm.direction', one.direction)}
        ${equals(sql, 'm.status', one.status)}
        ${equals(sql, 'm.type', one.type)}
        ${conversationIs(sql, 'm.conversation_id', one.conversationId)}
        ${contactIs(sql, 'm.contact_id', { workspaceId, address: one.contact })}
        ${equals(sql, 'm.number_id', one.numberId)}
        ${equals(sql, 'm.campaign_id', one.campaignId)}
        ${equals(sql, 'm.idempotency_key', one.idempotencyKey)}
        ${equals(sql, 'm.provider_message_id', one.providerMessageId)}
        ${hasMetadata(sql, one.metadata)}
        ${createdWithin(sql, 'm', { ...one, lateMs: repeatedMs })}
        ${order.from}
      order by ${order.by(table)}`
    // Of the messages with a pair there is one order, whatever else they are.
    const selects = pair ? [select(filter)] : onePerValue(filter, severalValues).map(select)
    const rows = await sql<MessageRow[]>`
      ${selectMessages(sql, mergedRowsOfPage(sql, selects, page, order.by))}
      order by ${order.by('m')}`
    return order.page(rows, toMessageRecord)
  },

  async beginAround(workspaceId, { conversationId, id, newer }) {
    const [row] = await sql<{ before: MessageId | null }[]>`
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
