// One conversation, its messages and their files.
import * as v from 'valibot'
import { notFound } from '../../contract/errors.ts'
import type { PageRequest } from '../../contract/page.ts'
import type { ConversationDetails } from '../../contract/records/console.ts'
import { attachmentAnswer } from '../../platform/http/attachment-answer.ts'
import { inPlace } from '../../platform/http/in-place.ts'
import { byId, pageBody, pageQuery, pageRequest } from '../../platform/http/paging.ts'
import {
  type ConversationId,
  decodeId,
  encodeId,
  type MessageId,
  type WorkspaceId,
} from '../../shared/ids.ts'
import type { ConsoleReads } from '../reads.ts'
import { workspaceRoute } from '../route.ts'
import { idOf, idParams } from '../schema.ts'
import { campaignsIn, mergeThread, withCampaigns } from '../thread.ts'

const thread = byId('console-conversation-messages')

const getConversation = workspaceRoute({
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
  summary: 'The messages of a conversation, newest first; with `around` those before and behind one of them',
  role: 'VIEWER',
  params: idParams('conversation'),
  query: v.strictObject({ ...pageQuery, around: v.optional(idOf('message')) }),
  errors: ['NOT_FOUND'],
  async handle({ services, author: { workspaceId }, params, query }) {
    const { reads } = services
    const conversationId = await presentId(reads, workspaceId, params.id)
    const request = await pageOf(reads, workspaceId, conversationId, query)
    if (!request) throw notFound('message')
    return pageBody(thread, await reads.messages.list(workspaceId, { conversationId }, request))
  },
})

/** One that became part of another is found by its old id too. */
async function presentId(
  { conversations }: ConsoleReads,
  workspaceId: WorkspaceId,
  id: ConversationId,
): Promise<ConversationId> {
  const conversation = await conversations.find(workspaceId, id)
  if (!conversation) throw notFound('conversation')
  return decodeId('conversation', conversation.id) ?? id
}

/** With a cursor, `around` is ignored: the cursor continues from the page around that message. */
async function pageOf(
  reads: ConsoleReads,
  workspaceId: WorkspaceId,
  conversationId: ConversationId,
  query: {
    readonly limit: number
    readonly cursor?: string | undefined
    readonly around?: MessageId | undefined
  },
): Promise<PageRequest | undefined> {
  const { around, limit } = query
  if (around === undefined || query.cursor !== undefined) return pageRequest(thread, query)
  const newer = Math.floor((limit - 1) / 2)
  const begin = await reads.messages.beginAround(workspaceId, { conversationId, id: around, newer })
  return begin && { ...begin, limit }
}

const entries = byId('console-thread')

const listThread = workspaceRoute({
  method: 'GET',
  path: '/conversations/:id/thread',
  summary:
    'The messages and calls of a conversation, newest first; with `around` those before and behind one of them',
  role: 'VIEWER',
  params: idParams('conversation'),
  query: v.strictObject({ ...pageQuery, around: v.optional(v.union([idOf('message'), idOf('call')])) }),
  errors: ['NOT_FOUND'],
  async handle({ services, author: { workspaceId }, params, query }) {
    const { reads, threads } = services
    const conversationId = await presentId(reads, workspaceId, params.id)
    const { around: id, limit } = query
    // With a cursor, `around` is ignored: the cursor continues from the page around that entry.
    const newer = Math.floor((limit - 1) / 2)
    const begin =
      id === undefined || query.cursor !== undefined
        ? pageRequest(entries, query)
        : await threads.beginAround(workspaceId, { conversationId, id, newer })
    if (!begin) throw notFound('message')
    const request = { ...begin, limit }
    const [messages, calls] = await Promise.all([
      reads.messages.list(workspaceId, { conversationId }, request),
      reads.calls.list(workspaceId, { conversationId }, request),
    ])
    const page = mergeThread(messages, calls, limit)
    const names = await threads.campaignNames(workspaceId, campaignsIn(page.data))
    return pageBody(entries, { ...page, data: withCampaigns(page.data, names) })
  },
})

const latestCalls = 5
const otherConversations = 5

const getConversationDetails = workspaceRoute({
  method: 'GET',
  path: '/conversations/:id/details',
  summary: 'The latest calls and campaigns of a conversation, and other conversations of its contact',
  role: 'VIEWER',
  params: idParams('conversation'),
  errors: ['NOT_FOUND'],
  async handle({ services, author: { workspaceId }, params }): Promise<ConversationDetails> {
    const { reads, threads } = services
    const conversation = await reads.conversations.find(workspaceId, params.id)
    if (!conversation) throw notFound('conversation')
    const conversationId = decodeId('conversation', conversation.id) ?? params.id
    const contact = conversation.contact.waId || conversation.contact.userId
    const [calls, campaigns, known] = await Promise.all([
      reads.calls.list(workspaceId, { conversationId }, { limit: latestCalls }),
      threads.campaignsOf(workspaceId, conversationId),
      contact && !conversation.group
        ? reads.conversations.list(workspaceId, { contact }, { limit: otherConversations + 1 })
        : undefined,
    ])
    const others = known?.data.filter(({ id, group }) => id !== conversation.id && !group) ?? []
    return { calls: [...calls.data], campaigns, others: others.slice(0, otherConversations) }
  },
})

const getMedia = workspaceRoute({
  method: 'GET',
  path: '/messages/:id/media',
  summary: 'The file of a message, whole or a byte range of it',
  role: 'VIEWER',
  params: idParams('message'),
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE', 'RATE_LIMITED', 'OVERLOADED'],
  handle: ({ services, author, params, request }) =>
    inPlace(
      request,
      () => services.acting.enterDownload(author.workspaceId),
      async () => {
        const found = await services.acting.media(author.workspaceId, params.id, request.signal)
        // A player asks for many ranges of one file.
        await services.audit.noteHourly(author, {
          action: 'media.downloaded',
          subjectKind: 'message',
          subjectId: params.id,
          after: { mimeType: found.mimeType, sizeBytes: found.sizeBytes },
        })
        return attachmentAnswer(request, found, encodeId('message', params.id))
      },
    ),
})

export const conversationRoutes = [
  getConversation,
  listConversationMessages,
  listThread,
  getConversationDetails,
  getMedia,
]
