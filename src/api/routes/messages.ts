import { notFound } from '../../contract/errors.ts'
import { bodyErrors, optionalBody } from '../../platform/http/optional-body.ts'
import { byChange, byId, pageBody, pageRequest } from '../../platform/http/paging.ts'
import { madeAnswer } from '../idempotency-key.ts'
import { route } from '../route.ts'
import { changesOf, idParam, noFields } from '../schemas/fields.ts'
import { messageQuery, messageView, previewBody, previewView, sendBody } from '../schemas/messages.ts'

const messages = byId('messages')

export const sendMessage = route({
  method: 'POST',
  path: '/messages/chat',
  scope: 'CHAT_SEND',
  summary: 'Send a message: a template, or a free-form reply',
  body: sendBody,
  response: messageView,
  success: 202,
  errors: [
    'NO_SENDER_NUMBER',
    'TEMPLATE_NOT_FOUND',
    'TEMPLATE_NOT_APPROVED',
    'TEMPLATE_VARIABLES_MISMATCH',
    'RECIPIENT_OPTED_OUT',
    'RECIPIENT_NEEDS_PHONE',
    'WINDOW_CLOSED',
    'MEDIA_NOT_FOUND',
    'MEDIA_UNSUITABLE',
    'MESSAGE_NOT_FOUND',
    'MARKETING_OPTED_OUT',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  async handle({ caller, body, services }) {
    return madeAnswer(await services.messages.send(caller, body))
  },
})

export const previewMessage = route({
  method: 'POST',
  path: '/messages/chat/preview',
  scope: 'CHAT_SEND',
  summary: 'See what a message would show; nothing is stored or sent',
  body: previewBody,
  response: previewView,
  errors: [
    'NO_SENDER_NUMBER',
    'TEMPLATE_NOT_FOUND',
    'MEDIA_NOT_FOUND',
    'MEDIA_UNSUITABLE',
    'MESSAGE_NOT_FOUND',
  ],
  handle: ({ caller, body, services }) => services.messages.preview(caller, body),
})

export const listMessages = route({
  method: 'GET',
  path: '/messages/chat',
  scope: 'MESSAGES_READ',
  summary: 'List messages, newest first by their arrival',
  query: messageQuery,
  response: changesOf(messageView),
  errors: [],
  async handle({ caller, query: { limit, cursor, ...filter }, services }) {
    const kind = filter.updatedSince ? byChange(messages) : messages
    const page = pageRequest(kind, { limit, cursor })
    return pageBody(kind, await services.messages.list(caller.workspaceId, filter, page))
  },
})

export const getMessage = route({
  method: 'GET',
  path: '/messages/chat/:id',
  scope: 'MESSAGES_READ',
  summary: 'Read one message',
  params: idParam('message'),
  response: messageView,
  errors: ['NOT_FOUND'],
  async handle({ caller, params, services }) {
    const message = await services.messages.find(caller.workspaceId, params.id)
    if (!message) throw notFound('message')
    return message
  },
})

export const markMessageRead = route({
  method: 'POST',
  path: '/messages/chat/:id/read',
  scope: 'CONVERSATIONS_WRITE',
  summary: 'Mark an inbound message, and all before it in its conversation, as read',
  params: idParam('message'),
  response: messageView,
  errors: [...bodyErrors, 'NOT_FOUND', 'INVALID_STATE', 'PROVIDER_ERROR'],
  async handle({ caller, params, services, request }) {
    await optionalBody(request, noFields)
    return services.reading.markMessageRead(caller.workspaceId, params.id)
  },
})
