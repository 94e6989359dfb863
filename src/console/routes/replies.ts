// Replies in a conversation, and the files for them. Each writes an audit entry, without what was said.
import * as v from 'valibot'
import { contentOf, freeEntries, oneContent } from '../../api/schemas/free-form.ts'
import { AppError, notFound } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { ConversationRecord } from '../../contract/records/conversation.ts'
import { largestUpload, uploadTypes } from '../../messaging/media-kinds.ts'
import { maxCharacters } from '../../platform/http/fields.ts'
import { Answer } from '../../platform/http/route.ts'
import { type ConversationId, decodeId, type NumberId, type WorkspaceId } from '../../shared/ids.ts'
import { noteSent } from '../note-sent.ts'
import type { ConsoleReads } from '../reads.ts'
import { workspaceRoute } from '../route.ts'
import { idParams } from '../schema.ts'

const keyMessage = `must be 1 to ${limits.idempotencyKeyLength} characters long`

async function answerable(reads: ConsoleReads, workspaceId: WorkspaceId, id: ConversationId) {
  const conversation = await reads.conversations.find(workspaceId, id)
  if (!conversation) throw notFound('conversation')
  if (conversation.group) throw new AppError('INVALID_STATE', 'a conversation in a group takes no replies')
  return conversation
}

const numberOf = ({ numberId }: ConversationRecord) => ({
  numberId: decodeId('number', numberId) as NumberId,
})

const sendReply = workspaceRoute({
  method: 'POST',
  path: '/conversations/:id/reply',
  summary:
    'Answer within 24 hours of a message or a call; repeated with its idempotencyKey it sends nothing again',
  role: 'AGENT',
  reachesCustomers: true,
  params: idParams('conversation'),
  // The key is required: without it a second click would send a second message.
  body: v.pipe(
    v.strictObject({
      ...freeEntries,
      idempotencyKey: v.pipe(
        v.string(),
        v.minLength(1, keyMessage),
        maxCharacters(limits.idempotencyKeyLength, keyMessage),
      ),
    }),
    oneContent(),
    v.transform(({ idempotencyKey, ...content }) => ({ idempotencyKey, ...contentOf<never>(content) })),
  ),
  success: 202,
  errors: [
    'NOT_FOUND',
    'INVALID_STATE',
    'NO_SENDER_NUMBER',
    'RECIPIENT_OPTED_OUT',
    'WINDOW_CLOSED',
    'MEDIA_NOT_FOUND',
    'MEDIA_UNSUITABLE',
    'MESSAGE_NOT_FOUND',
    'IDEMPOTENCY_KEY_REUSED',
    'TENANT_SUSPENDED',
  ],
  async handle({ services, author, params, body }) {
    const conversation = await answerable(services.reads, author.workspaceId, params.id)
    const sender = { workspaceId: author.workspaceId, keyId: null, keyName: null }
    const { record, replayed } = await services.acting.send(sender, {
      ...body,
      to: conversation.contact.waId || (conversation.contact.userId ?? ''),
      from: numberOf(conversation),
      metadata: {},
    })
    await noteSent(services, author, record, { type: record.type, numberId: record.numberId })
    return replayed ? new Answer(record, { status: 200, headers: { 'idempotent-replayed': 'true' } }) : record
  },
})

const uploadFile = workspaceRoute({
  method: 'POST',
  path: '/conversations/:id/files',
  summary: 'Upload a file for a reply; its id is what media.id of the reply takes',
  role: 'AGENT',
  reachesCustomers: true,
  params: idParams('conversation'),
  query: v.strictObject({
    fileName: v.optional(
      v.pipe(v.string(), v.minLength(1), maxCharacters(240, 'must be at most 240 characters long')),
      'file',
    ),
  }),
  success: 201,
  errors: [
    'NOT_FOUND',
    'INVALID_STATE',
    'NO_SENDER_NUMBER',
    'UNSUPPORTED_MEDIA_TYPE',
    'PAYLOAD_TOO_LARGE',
    'PROVIDER_ERROR',
    'OVERLOADED',
    'RATE_LIMITED',
    'TENANT_SUSPENDED',
  ],
  handle() {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `send the file itself, as ${uploadTypes.join(' or ')}`)
  },
  upload: {
    types: uploadTypes,
    limitBytes: largestUpload,
    async handle({ services, author, params, query: { fileName }, upload: { type, pieces } }) {
      const conversation = await answerable(services.reads, author.workspaceId, params.id)
      const file = { mimeType: type, fileName, pieces }
      const upload = await services.acting.storeUpload(author.workspaceId, numberOf(conversation), () => file)
      await services.audit.note(author, {
        action: 'media.uploaded',
        subjectKind: 'conversation',
        subjectId: params.id,
        after: { mimeType: type, sizeBytes: upload.sizeBytes },
      })
      return upload
    },
  },
})

export const replyRoutes = [sendReply, uploadFile]
