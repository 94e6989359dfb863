// Records that members of every role may read.
import * as v from 'valibot'
import { choiceOf } from '../../api/schemas/fields.ts'
import { notFound } from '../../contract/errors.ts'
import { errorHelp } from '../../contract/provider-error-help.ts'
import { callStatuses } from '../../contract/records/call.ts'
import {
  directions,
  type MessageRecord,
  messageStatuses,
  messageTypes,
} from '../../contract/records/message.ts'
import type { LoggedMessage, MessageDetail } from '../../contract/records/message-log.ts'
import { maxCharacters } from '../../platform/http/fields.ts'
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
import { decodeId, type WorkspaceId } from '../../shared/ids.ts'
import { toDigits } from '../../shared/phone.ts'
import { workspaceRoute } from '../route.ts'
import { flag, idOf, idParams } from '../schema.ts'
import type { ConsoleServices } from '../services.ts'
import { unreadFirst } from '../unread-first.ts'

const contact = v.pipe(
  v.string(),
  v.check((text) => isUserId(text) || /^\+?\d{1,20}$/.test(text), 'must be a phone number or a user id'),
  v.transform((text) => (isUserId(text) ? text : toDigits(text))),
)
const span = { since: v.optional(time), until: v.optional(time) }

const messages = byId('console-messages')

export const messageFilters = {
  direction: v.optional(v.picklist(directions)),
  status: v.optional(choiceOf(messageStatuses)),
  type: v.optional(v.picklist(messageTypes)),
  conversationId: v.optional(idOf('conversation')),
  contact: v.optional(contact),
  numberId: v.optional(idOf('number')),
  campaignId: v.optional(idOf('campaign')),
  apiKeyId: v.optional(idOf('key')),
  template: v.optional(v.pipe(v.string(), v.trim(), maxCharacters(512, 'must be the name of a template'))),
  errorCode: v.optional(
    v.pipe(v.string(), v.trim(), maxCharacters(64, 'must be an error code, such as 131026')),
  ),
  ...span,
}

const listMessages = workspaceRoute({
  method: 'GET',
  path: '/messages',
  summary: 'Messages, newest first',
  role: 'VIEWER',
  query: v.strictObject({ ...pageQuery, ...messageFilters }),
  async handle({ services, author: { workspaceId }, query: { limit, cursor, ...filter } }) {
    const page = await services.reads.messages.list(
      workspaceId,
      filter,
      pageRequest(messages, { limit, cursor }),
    )
    return pageBody(messages, { ...page, data: await withNames(services, workspaceId, page.data) })
  },
})

/** One statement for all of them: the record names only customers who wrote. */
export async function withNames(
  { messageLog }: Pick<ConsoleServices, 'messageLog'>,
  workspaceId: WorkspaceId,
  records: readonly MessageRecord[],
): Promise<LoggedMessage[]> {
  const ids = records.flatMap(({ id }) => decodeId('message', id) ?? [])
  const names = await messageLog.contactNames(workspaceId, ids)
  return records.map((record, index) => ({ ...record, contactName: names[index] ?? record.fromName }))
}

const getMessage = workspaceRoute({
  method: 'GET',
  path: '/messages/:id',
  summary: 'One message: its times, who sent it, what its error means, and the deliveries of its events',
  role: 'VIEWER',
  params: idParams('message'),
  errors: ['NOT_FOUND'],
  async handle({ services, author: { workspaceId }, params: { id } }): Promise<MessageDetail> {
    const [record, facts] = await Promise.all([
      services.reads.messages.find(workspaceId, id),
      services.messageLog.facts(workspaceId, id),
    ])
    if (!record || !facts) throw notFound('message')
    const help = record.error && (errorHelp(record.error) ?? null)
    return { ...record, ...facts, contactName: facts.contactName ?? record.fromName, help }
  },
})

const calls = byId('console-calls')

export const callFilters = {
  direction: v.optional(v.picklist(directions)),
  status: v.optional(v.picklist(callStatuses)),
  live: v.optional(flag),
  conversationId: v.optional(idOf('conversation')),
  contact: v.optional(contact),
  numberId: v.optional(idOf('number')),
  ...span,
}

const listCalls = workspaceRoute({
  method: 'GET',
  path: '/calls',
  summary: 'Calls, each with its last forwarding error',
  role: 'VIEWER',
  query: v.strictObject({ ...pageQuery, ...callFilters }),
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

export const readingRoutes = [listMessages, getMessage, listCalls, getCall, listConversations]
