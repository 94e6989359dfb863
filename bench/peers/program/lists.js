// Lists of messages and conversations: newest first, a page at a time.
import { statement } from './database.js'

const messages = statement(
  'list_messages',
  `select m.*, c.wa_id as "waId", c.name, n.id as number_id, n.number
   from messages m
   join conversations v on v.id = m.conversation_id
   join contacts c on c.id = v.contact_id
   join numbers n on n.id = v.number_id
   where m.id < $1
   order by m.id desc
   limit $2`,
)
const conversations = statement(
  'list_conversations',
  `select v.*, c.wa_id, c.name, n.number, l.direction, l.type, l.text, l.created_at as last_at
   from conversations v
   join contacts c on c.id = v.contact_id
   join numbers n on n.id = v.number_id
   left join messages l on l.id = v.last_message_id
   where (v.updated_at, v.id) < ($1, $2)
   order by v.updated_at desc, v.id desc
   limit $3`,
)

export async function listMessages(pool, { limit, cursor }) {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
  const rows = await messages(pool, [before, limit + 1])
  return pageOf(rows.map(messageOf), limit, ({ id }) => id)
}

export async function listConversations(pool, { limit, cursor }) {
  const [at = 'infinity', id = 0] = cursor?.split('_') ?? []
  const rows = await conversations(pool, [at, id, limit + 1])
  return pageOf(rows.map(conversationOf), limit, (last) => `${last.updatedAt.toISOString()}_${last.id}`)
}

const pageOf = (records, limit, cursorOf) => ({
  data: records.slice(0, limit),
  nextCursor: records.length > limit ? cursorOf(records[limit - 1]) : null,
})

const partiesOf = ({ direction, waId, name = null, number }) =>
  direction === 'INBOUND'
    ? { from: waId, fromName: name, to: number }
    : { from: number, fromName: null, to: waId }

export const messageOf = (row) => ({
  id: String(row.id),
  conversationId: String(row.conversation_id),
  providerMessageId: row.provider_message_id,
  direction: row.direction,
  type: row.type,
  status: row.status,
  text: row.text,
  template: row.template,
  ...partiesOf(row),
  numberId: row.number_id === undefined ? undefined : String(row.number_id),
  error: row.error,
  createdAt: row.created_at,
  sentAt: row.sent_at,
  deliveredAt: row.delivered_at,
  readAt: row.read_at,
  failedAt: row.failed_at,
})

const conversationOf = (row) => ({
  id: String(row.id),
  numberId: String(row.number_id),
  number: row.number,
  contact: { waId: row.wa_id, number: `+${row.wa_id}`, name: row.name },
  lastMessage:
    row.last_message_id === null
      ? null
      : {
          id: String(row.last_message_id),
          direction: row.direction,
          type: row.type,
          text: row.text,
          at: row.last_at,
        },
  unreadCount: row.unread_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
