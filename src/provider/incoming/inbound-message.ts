// Parses one inbound message of a user.
import * as v from 'valibot'
import type { CallPermissionDetails } from '../../contract/events.ts'
import type { InboundMedia, InboundMessageUpdate } from '../../contract/provider-updates.ts'
import { sha256Hex } from '../../contract/provider-words.ts'
import type { MessageType } from '../../contract/records/message.ts'
import { type Element, type NumberContext, skipped } from './element.ts'
import { id, instant, optional, record, text } from './fields.ts'
import { readSystem } from './identity-change.ts'

const Message = v.object({
  id,
  from: optional(v.string()),
  from_user_id: optional(v.string()),
  from_parent_user_id: optional(v.string()),
  timestamp: optional(instant),
  // The provider's sample of a permission reply has no type.
  type: optional(v.string()),
  context: optional(v.object({ id: optional(id) })),
})

type Content = Readonly<Record<string, unknown>>
type Read = Pick<InboundMessageUpdate, 'messageType'> &
  Partial<Pick<InboundMessageUpdate, 'text' | 'media' | 'callPermission' | 'context'>>

export function parseMessage(given: unknown, context: NumberContext): Element {
  const parsed = v.safeParse(Message, given)
  if (!parsed.success) return skipped('malformed')
  const { id: providerMessageId, timestamp, context: replied } = parsed.output
  const { from: phone, from_user_id: userId, from_parent_user_id: parentUserId } = parsed.output
  const kind = parsed.output.type ?? ('interactive' in record(given) ? 'interactive' : '')
  const from = context.personOf({ phone, userId, parentUserId })
  // A system message comes from the provider, not from the user.
  if (kind === 'system') return readSystem(record(given)['system'], from, { ...context, at: timestamp })
  if (from === null) return skipped('noSender')
  const read = readers.get(kind) ?? unsupported
  return {
    type: 'inboundMessage',
    phoneNumberId: context.phoneNumberId,
    providerMessageId,
    from,
    at: timestamp ?? context.receivedAt,
    text: '',
    media: null,
    callPermission: null,
    context: referenceTo(replied?.id),
    ...read(record(record(given)[kind])),
  }
}

/** Ten times the provider's limit. An event still fits the body limit when every character is escaped. */
const MAX_TEXT = 40_000

/** The first of these fields with non-empty text, or ''. */
function textOf(content: Content, ...names: string[]): string {
  for (const name of names) {
    const parsed = v.safeParse(text(MAX_TEXT), content[name])
    if (parsed.success && parsed.output !== '') return parsed.output
  }
  return ''
}

function referenceTo(given: unknown): InboundMessageUpdate['context'] {
  const parsed = v.safeParse(id, given)
  return parsed.success ? { providerMessageId: parsed.output } : null
}

const Media = v.object({
  id,
  mime_type: v.fallback(text(255), 'application/octet-stream'),
  filename: optional(text(255)),
  sha256: optional(v.string()),
})

function mediaOf(content: Content): InboundMedia | null {
  const parsed = v.safeParse(Media, content)
  if (!parsed.success) return null
  const { output } = parsed
  return {
    providerMediaId: output.id,
    mimeType: output.mime_type,
    fileName: output.filename,
    sha256: output.sha256 === null ? null : sha256Hex(output.sha256),
  }
}

const file =
  (messageType: MessageType) =>
  (content: Content): Read => ({
    messageType,
    text: textOf(content, 'caption'),
    media: mediaOf(content),
  })

const unsupported = (): Read => ({ messageType: 'UNSUPPORTED' })

const readers = new Map<string, (content: Content) => Read>([
  ['text', (content) => ({ messageType: 'TEXT', text: textOf(content, 'body') })],
  ['image', file('IMAGE')],
  ['audio', file('AUDIO')],
  ['video', file('VIDEO')],
  ['document', file('DOCUMENT')],
  ['sticker', file('STICKER')],
  ['location', (content) => ({ messageType: 'LOCATION', text: placeOf(content) })],
  ['contacts', () => ({ messageType: 'CONTACTS' })],
  ['button', (content) => ({ messageType: 'BUTTON', text: textOf(content, 'text', 'payload') })],
  ['interactive', interactive],
  [
    'reaction',
    (content) => ({
      messageType: 'REACTION',
      text: textOf(content, 'emoji'),
      context: referenceTo(content['message_id']),
    }),
  ],
])

function placeOf(content: Content): string {
  const named = [textOf(content, 'name'), textOf(content, 'address')].filter((part) => part !== '').join(', ')
  const { latitude, longitude } = content
  const isPoint = typeof latitude === 'number' && typeof longitude === 'number'
  return named === '' && isPoint ? `${latitude},${longitude}` : named
}

function interactive(content: Content): Read {
  const reply = content['call_permission_reply']
  if (reply !== undefined)
    return { messageType: 'CALL_PERMISSION_REPLY', callPermission: permissionOf(reply) }
  const chosen = record(content['button_reply'] ?? content['list_reply'])
  return { messageType: 'INTERACTIVE', text: textOf(chosen, 'title') }
}

const PermissionReply = v.object({
  response: v.fallback(text(64), ''),
  is_permanent: v.fallback(v.boolean(), false),
  expiration_timestamp: optional(instant),
  response_source: v.fallback(text(64), 'user_action'),
})

function permissionOf(given: unknown): CallPermissionDetails | null {
  const parsed = v.safeParse(PermissionReply, given)
  if (!parsed.success) return null
  const { response, is_permanent: isPermanent, expiration_timestamp, response_source } = parsed.output
  return {
    response,
    granted: response === 'accept',
    isPermanent,
    expiresAt: expiration_timestamp?.toISOString() ?? null,
    source: response_source,
  }
}
