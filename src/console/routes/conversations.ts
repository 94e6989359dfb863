// One conversation with what was said in it.
import * as v from 'valibot'
import { notFound } from '../../contract/errors.ts'
import { attachmentAnswer } from '../../http/attachment-answer.ts'
import { byId, pageBody, pageQuery, pageRequest } from '../../http/paging.ts'
import { encodeId } from '../../shared/ids.ts'
import { workspaceRoute } from '../route.ts'
import { idParams } from '../schema.ts'

const thread = byId('console-conversation-messages')

const readConversation = workspaceRoute({
  method: 'GET',
  path: '/conversations/:id',
  summary: 'One conversation',
  role: 'VIEWER',
  params: idParams('conversation'),
  errors: ['NOT_FOUND'],
  async handle({ services, author, params }) {
    const conversation = await services.reads.conversations.find(author.workspaceId, params.id)
    if (!conversation) throw notFound('conversation')
    return conversation
  },
})

const listConversationMessages = workspaceRoute({
  method: 'GET',
  path: '/conversations/:id/messages',
  summary: 'The messages of a conversation, newest first',
  role: 'VIEWER',
  params: idParams('conversation'),
  query: v.strictObject(pageQuery),
  errors: ['NOT_FOUND'],
  async handle({ services, author: { workspaceId }, params, query }) {
    const { reads } = services
    const [conversation, page] = await Promise.all([
      reads.conversations.find(workspaceId, params.id),
      reads.messages.list(workspaceId, { conversationId: params.id }, pageRequest(thread, query)),
    ])
    if (!conversation) throw notFound('conversation')
    return pageBody(thread, page)
  },
})

const readMessage = workspaceRoute({
  method: 'GET',
  path: '/messages/:id',
  summary: 'One message',
  role: 'VIEWER',
  params: idParams('message'),
  errors: ['NOT_FOUND'],
  async handle({ services, author, params }) {
    const message = await services.reads.messages.find(author.workspaceId, params.id)
    if (!message) throw notFound('message')
    return message
  },
})

const readMedia = workspaceRoute({
  method: 'GET',
  path: '/messages/:id/media',
  summary: 'The file that a customer sent, whole or a byte range of it',
  role: 'VIEWER',
  params: idParams('message'),
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  async handle({ services, author, params, request }) {
    const found = await services.acting.media(author.workspaceId, params.id, request.signal)
    return attachmentAnswer(request, found, encodeId('message', params.id))
  },
})

export const conversationRoutes = [readConversation, listConversationMessages, readMessage, readMedia]
