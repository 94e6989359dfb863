// Records that members of every role may read.
import * as v from 'valibot'
import { notFound } from '../../contract/errors.ts'
import { callStatuses } from '../../contract/records/call.ts'
import { directions, messageStatuses, messageTypes } from '../../contract/records/message.ts'
import {
  byActivity,
  byId,
  type ListKind,
  pageBody,
  pageQuery,
  pageRequest,
} from '../../platform/http/paging.ts'
import { time } from '../../platform/http/time.ts'
import { isUserId } from '../../shared/address.ts'
import { toDigits } from '../../shared/phone.ts'
import { workspaceRoute } from '../route.ts'
import { flag, idOf, idParams } from '../schema.ts'
import { unreadFirst } from '../unread-first.ts'

const contact = v.pipe(
  v.string(),
  v.check((text) => isUserId(text) || /^\+?\d{1,20}$/.test(text), 'must be a phone number or a user id'),
  v.transform((text) => (isUserId(text) ? text : toDigits(text))),
)
const span = { since: v.optional(time), until: v.optional(time) }

const messages = byId('console-messages')

const listMessages = workspaceRoute({
  method: 'GET',
  path: '/messages',
  summary: 'Messages, newest first',
  role: 'VIEWER',
  query: v.strictObject({
    ...pageQuery,
    direction: v.optional(v.picklist(directions)),
    status: v.optional(v.picklist(messageStatuses)),
    type: v.optional(v.picklist(messageTypes)),
    conversationId: v.optional(idOf('conversation')),
    contact: v.optional(contact),
    numberId: v.optional(idOf('number')),
    campaignId: v.optional(idOf('campaign')),
    ...span,
  }),
  async handle({ services, author, query: { limit, cursor, ...filter } }) {
    const page = pageRequest(messages, { limit, cursor })
    return pageBody(messages, await services.reads.messages.list(author.workspaceId, filter, page))
  },
})

const calls = byId('console-calls')

const listCalls = workspaceRoute({
  method: 'GET',
  path: '/calls',
  summary: 'Calls, each with its last forwarding error',
  role: 'VIEWER',
  query: v.strictObject({
    ...pageQuery,
    direction: v.optional(v.picklist(directions)),
    status: v.optional(v.picklist(callStatuses)),
    live: v.optional(flag),
    conversationId: v.optional(idOf('conversation')),
    contact: v.optional(contact),
    numberId: v.optional(idOf('number')),
    ...span,
  }),
  async handle({ services, author, query: { limit, cursor, ...filter } }) {
    const page = pageRequest(calls, { limit, cursor })
    return pageBody(calls, await services.reads.calls.list(author.workspaceId, filter, page))
  },
})

const getCall = workspaceRoute({
  method: 'GET',
  path: '/calls/:id',
  summary: 'One call with its timeline',
  role: 'VIEWER',
  params: idParams('call'),
  errors: ['NOT_FOUND'],
  async handle({ services, author, params }) {
    const call = await services.reads.calls.find(author.workspaceId, params.id)
    if (!call) throw notFound('call')
    const timeline = await services.reads.timelines.list(author.workspaceId, params.id)
    return { ...call, timeline }
  },
})

const conversations = byActivity('console-conversations')
const inbox: ListKind = {
  name: 'console-inbox',
  parts: [{ test: (part) => part === 'unread' || part === 'read' }, ...conversations.parts],
}

const listConversations = workspaceRoute({
  method: 'GET',
  path: '/conversations',
  summary:
    'Conversations, the latest activity first; with `order=unread` those with unread messages before the others',
  role: 'VIEWER',
  query: v.strictObject({
    ...pageQuery,
    order: v.optional(v.picklist(['activity', 'unread']), 'activity'),
    unread: v.optional(flag),
    windowOpen: v.optional(
      v.pipe(
        v.literal('true'),
        v.transform(() => true as const),
      ),
    ),
    numberId: v.optional(idOf('number')),
    contact: v.optional(contact),
    ...span,
  }),
  async handle({ services, author: { workspaceId }, query: { limit, cursor, order, ...filter } }) {
    const reader = services.reads.conversations
    if (order === 'unread' && filter.unread === undefined) {
      const request = pageRequest(inbox, { limit, cursor })
      return pageBody(inbox, await unreadFirst(reader, workspaceId, filter, request))
    }
    const page = pageRequest(conversations, { limit, cursor })
    return pageBody(conversations, await reader.list(workspaceId, filter, page))
  },
})

export const readingRoutes = [listMessages, listCalls, getCall, listConversations]
