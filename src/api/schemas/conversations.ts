// Schemas of conversations: filters and records.
import * as v from 'valibot'
import type { ConversationRecord } from '../../contract/records/conversation.ts'
import { directions, messageTypes } from '../../contract/records/message.ts'
import { pageQuery } from '../../platform/http/paging.ts'
import { about } from '../../platform/http/shown.ts'
import { activePeriod, changed, contacts, flag, idsOf, idView, timestamp, whoView } from './fields.ts'
import { callPermissionView } from './message-details.ts'

export const conversationQuery = v.strictObject({
  unread: v.optional(flag),
  numberId: v.optional(idsOf('number')),
  contact: v.optional(contacts),
  ...activePeriod,
  ...changed,
  ...pageQuery,
})

export const conversationView = v.pipe(
  v.object({
    id: idView('conversation'),
    numberId: about(idView('number'), 'The number of the workspace.'),
    number: about(v.string(), "The workspace's number, with its plus."),
    contact: v.object({
      waId: about(v.string(), "The customer's number as digits; empty where it is hidden, and in a group."),
      number: about(v.string(), 'The same with its plus.'),
      ...whoView,
      name: about(v.nullable(v.string()), "The customer's profile name."),
      optedOut: about(v.boolean(), 'True after STOP, until START.'),
      marketingOptedOut: about(
        v.boolean(),
        "True while marketing messages are stopped in the provider's app.",
      ),
    }),
    group: about(
      v.nullable(v.object({ id: v.string() })),
      "The provider's id of the group; null where the conversation is with one contact.",
    ),
    lastMessage: v.nullable(
      v.object({
        id: idView('message'),
        direction: v.picklist(directions),
        type: v.picklist(messageTypes),
        text: v.string(),
        at: timestamp,
      }),
    ),
    unreadCount: about(v.pipe(v.number(), v.integer()), 'Inbound messages that are not marked as read.'),
    lastInboundAt: v.nullable(timestamp),
    windowExpiresAt: about(
      v.nullable(timestamp),
      "Until when the customer's last message or call allows free-form messages; null where there was none.",
    ),
    callPermission: about(
      v.nullable(callPermissionView),
      'What the contact last said about being called; `granted` only while it holds.',
    ),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
  v.title('Conversation'),
  v.description('A thread: one for each number of the workspace and contact, or group.'),
) satisfies v.GenericSchema<unknown, ConversationRecord>

export const markedView = v.object({
  conversationId: idView('conversation'),
  markedRead: about(v.pipe(v.number(), v.integer()), 'How many messages became read.'),
})
