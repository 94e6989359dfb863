// Actions of agents. They use the services of the public API, and each change writes an audit entry.
import * as v from 'valibot'
import { notFound } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { maxCharacters, recipient } from '../../platform/http/fields.ts'
import { bodyErrors, optionalBody } from '../../platform/http/optional-body.ts'
import { Answer } from '../../platform/http/route.ts'
import { noteSent } from '../note-sent.ts'
import { workspaceRoute } from '../route.ts'
import { idOf, idParams, variableMap } from '../schema.ts'

const template = v.strictObject({
  name: v.pipe(
    v.string(),
    v.minLength(1, 'must not be empty'),
    maxCharacters(512, 'must be at most 512 characters long'),
  ),
  language: v.pipe(v.string(), v.regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'must look like en or en_US')),
  variables: variableMap,
})

const message = { to: recipient, template, numberId: v.optional(idOf('number')) }
const noFields = v.strictObject({})
const keyMessage = `must be 1 to ${limits.idempotencyKeyLength} characters long`

const sendMessage = workspaceRoute({
  method: 'POST',
  path: '/messages',
  summary: 'Send a template message; repeated with its idempotencyKey it sends nothing again',
  role: 'AGENT',
  reachesCustomers: true,
  // The key is required: without it a second click would send a second message.
  body: v.strictObject({
    ...message,
    idempotencyKey: v.pipe(
      v.string(),
      v.minLength(1, keyMessage),
      maxCharacters(limits.idempotencyKeyLength, keyMessage),
    ),
  }),
  success: 202,
  errors: [
    'NO_SENDER_NUMBER',
    'TEMPLATE_NOT_FOUND',
    'TEMPLATE_NOT_APPROVED',
    'TEMPLATE_VARIABLES_MISMATCH',
    'RECIPIENT_OPTED_OUT',
    'MARKETING_OPTED_OUT',
    'IDEMPOTENCY_KEY_REUSED',
    'TENANT_SUSPENDED',
  ],
  async handle({ services, author, body: { numberId, ...input } }) {
    const sender = { workspaceId: author.workspaceId, keyId: null, keyName: null }
    const from = numberId === undefined ? null : { numberId }
    const { record, replayed } = await services.acting.send(sender, { ...input, from, metadata: {} })
    const { name, language } = input.template
    await noteSent(services, author, record, { template: { name, language }, numberId: record.numberId })
    return replayed ? new Answer(record, { status: 200, headers: { 'idempotent-replayed': 'true' } }) : record
  },
})

const previewMessage = workspaceRoute({
  method: 'POST',
  path: '/messages/preview',
  summary: 'What a template message would say; nothing is stored or sent',
  role: 'AGENT',
  body: v.strictObject(message),
  errors: ['NO_SENDER_NUMBER', 'TEMPLATE_NOT_FOUND'],
  handle: ({ services, author, body: { numberId, ...input } }) =>
    services.acting.preview(author, { ...input, from: numberId === undefined ? null : { numberId } }),
})

const markMessageRead = workspaceRoute({
  method: 'POST',
  path: '/messages/:id/read',
  summary: 'Mark an inbound message, and all before it in its conversation, as read',
  role: 'AGENT',
  reachesCustomers: true,
  params: idParams('message'),
  errors: [...bodyErrors, 'NOT_FOUND', 'INVALID_STATE', 'PROVIDER_ERROR', 'TENANT_SUSPENDED'],
  async handle({ services, author, params, request }) {
    await optionalBody(request, noFields)
    const before = await services.reads.messages.find(author.workspaceId, params.id)
    const record = await services.acting.reading.markMessageRead(author.workspaceId, params.id)
    if (before && before.status !== record.status)
      await services.audit.note(author, {
        action: 'message.marked_read',
        subjectKind: 'message',
        subjectId: params.id,
        before: { status: before.status },
        after: { status: record.status },
      })
    return record
  },
})

const markConversationRead = workspaceRoute({
  method: 'POST',
  path: '/conversations/:id/read',
  summary: 'Mark every inbound message of a conversation as read',
  role: 'AGENT',
  reachesCustomers: true,
  params: idParams('conversation'),
  errors: [...bodyErrors, 'NOT_FOUND', 'PROVIDER_ERROR', 'TENANT_SUSPENDED'],
  async handle({ services, author, params, request }) {
    await optionalBody(request, noFields)
    const marked = await services.acting.reading.markConversationRead(author.workspaceId, params.id)
    if (marked.markedRead > 0)
      await services.audit.note(author, {
        action: 'conversation.marked_read',
        subjectKind: 'conversation',
        subjectId: params.id,
        before: { unread: marked.markedRead },
        after: { unread: 0 },
      })
    return marked
  },
})

const actions = { DECLINE: 'call.declined', HANG_UP: 'call.hung_up' } as const

const actOnCall = workspaceRoute({
  method: 'POST',
  path: '/calls/:id/action',
  summary: 'Decline a ringing call, or hang up',
  role: 'AGENT',
  // Allowed for a suspended workspace: it may still end a live call, because the customer is on the line.
  params: idParams('call'),
  body: v.strictObject({ action: v.picklist(['DECLINE', 'HANG_UP']) }),
  errors: [
    'NOT_FOUND',
    'INVALID_STATE',
    'CALL_NOT_RINGING',
    'CALL_ALREADY_ANSWERED',
    'CALL_ENDED',
    'PROVIDER_ERROR',
  ],
  async handle({ services, author, params, body: { action } }) {
    const before = await services.reads.calls.find(author.workspaceId, params.id)
    if (!before) throw notFound('call')
    const call = await services.acting.act(author.workspaceId, params.id, { action })
    await services.audit.note(author, {
      action: actions[action],
      subjectKind: 'call',
      subjectId: params.id,
      before: { status: before.status },
      after: { status: call.status },
    })
    return call
  },
})

export const actingRoutes = [sendMessage, previewMessage, markMessageRead, markConversationRead, actOnCall]
