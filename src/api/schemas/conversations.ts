// Conversations: filters and records (decisions 2).
import * as v from 'valibot'
import type { ConversationRecord } from '../../contract/records/conversation.ts'
import { directions, messageTypes } from '../../contract/records/message.ts'
import { pageQuery } from '../../http/paging.ts'
import { contact, flag, id, period, timestamp } from './fields.ts'

export const conversationQuery = v.strictObject({
  unread: v.optional(flag),
  numberId: v.optional(id('number')),
  contact: v.optional(contact),
  ...period,
  ...pageQuery,
})

export const conversationView = v.object({
  id: v.string(),
  numberId: v.string(),
  number: v.string(),
  contact: v.object({
    waId: v.string(),
    number: v.string(),
    name: v.nullable(v.string()),
    optedOut: v.boolean(),
  }),
  lastMessage: v.nullable(
    v.object({
      id: v.string(),
      direction: v.picklist(directions),
      type: v.picklist(messageTypes),
      text: v.string(),
      at: timestamp,
    }),
  ),
  unreadCount: v.number(),
  lastInboundAt: v.nullable(timestamp),
  windowExpiresAt: v.nullable(timestamp),
  callPermission: v.nullable(v.unknown()),
  createdAt: timestamp,
  updatedAt: timestamp,
}) satisfies v.GenericSchema<unknown, ConversationRecord>

export const markedView = v.object({ conversationId: v.string(), markedRead: v.number() })
