import { notFound } from '../../contract/errors.ts'
import { bodyErrors, optionalBody } from '../../platform/http/optional-body.ts'
import { byActivity, byChange, pageBody, pageRequest } from '../../platform/http/paging.ts'
import { route } from '../route.ts'
import { conversationQuery, conversationView, markedView } from '../schemas/conversations.ts'
import { changesOf, idParam, noFields } from '../schemas/fields.ts'

const conversations = byActivity('conversations')

export const listConversations = route({
  method: 'GET',
  path: '/conversations',
  scope: 'CONVERSATIONS_READ',
  summary: 'List conversations, the latest activity first',
  query: conversationQuery,
  response: changesOf(conversationView),
  errors: [],
  async handle({ caller, query: { limit, cursor, ...filter }, services }) {
    const kind = filter.updatedSince ? byChange(conversations) : conversations
    const page = pageRequest(kind, { limit, cursor })
    return pageBody(kind, await services.conversations.list(caller.workspaceId, filter, page))
  },
})

export const getConversation = route({
  method: 'GET',
  path: '/conversations/:id',
  scope: 'CONVERSATIONS_READ',
  summary: 'Read one conversation',
  params: idParam('conversation'),
  response: conversationView,
  errors: ['NOT_FOUND'],
  async handle({ caller, params, services }) {
    const conversation = await services.conversations.find(caller.workspaceId, params.id)
    if (!conversation) throw notFound('conversation')
    return conversation
  },
})

export const markConversationRead = route({
  method: 'POST',
  path: '/conversations/:id/read',
  scope: 'CONVERSATIONS_WRITE',
  summary: 'Mark every inbound message of a conversation as read',
  params: idParam('conversation'),
  response: markedView,
  errors: [...bodyErrors, 'NOT_FOUND', 'PROVIDER_ERROR'],
  async handle({ caller, params, services, request }) {
    await optionalBody(request, noFields)
    return services.reading.markConversationRead(caller.workspaceId, params.id)
  },
})

export const showTyping = route({
  method: 'POST',
  path: '/conversations/:id/typing',
  scope: 'CONVERSATIONS_WRITE',
  summary: 'Show the customer that an answer is being typed, for up to 25 s; marks the conversation as read',
  params: idParam('conversation'),
  response: markedView,
  success: 202,
  errors: [...bodyErrors, 'NOT_FOUND', 'INVALID_STATE', 'PROVIDER_ERROR'],
  async handle({ caller, params, services, request }) {
    await optionalBody(request, noFields)
    return services.reading.showTyping(caller.workspaceId, params.id)
  },
})
