// What an inbound message says, by the provider's type of it.
import * as v from 'valibot'
import type { CallPermissionDetails } from '../../contract/events.ts'
import type { InboundMedia } from '../../contract/provider-updates.ts'
import { sha256Hex } from '../../contract/provider-words.ts'
import type { MessageType } from '../../contract/records/message.ts'
import type { MediaKind, MessageDetails } from '../../contract/records/message-details.ts'
import { storable } from '../../shared/storable-text.ts'
import { id, instant, list, optional, record, text } from './fields.ts'
import { fitted } from './fit-content.ts'
import {
  type Content,
  contactCards,
  contextDetails,
  locationDetails,
  type MessageContent,
  mediaDetails,
  orderDetails,
  referenceIn,
  referralDetails,
  replyDetails,
  templateButton,
  textIn,
  unsupportedDetails,
} from './message-parts.ts'

interface Read {
  readonly messageType: MessageType
  readonly text?: string | null
  readonly media?: InboundMedia | null
  readonly details?: MessageDetails
}

/** `message`: one of the provider's messages, of any type. */
export function readContent(message: Content, kind: string): MessageContent {
  const read = readers.get(kind)
  const {
    messageType,
    text: said,
    media = null,
    details,
  } = read
    ? read(record(message[kind]), message)
    : unsupported({ providerType: kind, type: null, errors: message['errors'] })
  const all = { ...details, ...around(message, kind, messageType) }
  return fitted({ messageType, text: said ?? '', media, details: Object.keys(all).length === 0 ? null : all })
}

/** What may stand beside the content of any type. */
function around(message: Content, kind: string, messageType: MessageType): MessageDetails {
  // The message that a reaction or an edit is about stands within it.
  const context = messageType === 'REACTION' ? null : contextDetails(message['context'])
  const referral = referralDetails(message['referral'])
  const group = textIn(message, 'group_id')
  const hasErrors = messageType !== 'UNSUPPORTED' && list(message['errors']).length > 0
  return {
    ...(context && { context }),
    ...(referral && { referral }),
    ...(group !== null && { group: { id: group } }),
    ...(hasErrors && { unsupported: unsupportedDetails(kind, message['errors']) }),
  }
}

const MAX_TEXT = 40_000

const longText = (content: Content, name: string) => textIn(content, name, MAX_TEXT)

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
  (messageType: MessageType, kind: MediaKind) =>
  (content: Content): Read => ({
    messageType,
    text: longText(content, 'caption'),
    media: mediaOf(content),
    details: { media: mediaDetails(kind, content) },
  })

type Reader = (content: Content, message: Content) => Read

const readers = new Map<string, Reader>([
  ['text', (content) => ({ messageType: 'TEXT', text: longText(content, 'body') })],
  ['image', file('IMAGE', 'image')],
  ['audio', file('AUDIO', 'audio')],
  ['video', file('VIDEO', 'video')],
  ['document', file('DOCUMENT', 'document')],
  ['sticker', file('STICKER', 'sticker')],
  ['location', location],
  [
    'contacts',
    (_, message) => ({ messageType: 'CONTACTS', details: { contacts: contactCards(message['contacts']) } }),
  ],
  ['button', button],
  ['interactive', interactive],
  ['order', order],
  ['reaction', reaction],
  ['edit', edit],
  ['revoke', revoke],
  ['system', system],
  [
    'unsupported',
    (content, { errors }) =>
      unsupported({ providerType: 'unsupported', type: textIn(content, 'type', 64), errors }),
  ],
])

function location(content: Content): Read {
  const place = locationDetails(content)
  const named = [place.name, place.address].filter((part) => part !== null).join(', ')
  const isPoint = place.latitude !== null && place.longitude !== null
  const shown = named === '' && isPoint ? `${place.latitude},${place.longitude}` : named
  return { messageType: 'LOCATION', text: shown, details: { location: place } }
}

function button(content: Content): Read {
  const said = longText(content, 'text') ?? longText(content, 'payload')
  return { messageType: 'BUTTON', text: said, details: { reply: templateButton(content) } }
}

function interactive(content: Content): Read {
  const permission = content['call_permission_reply']
  if (permission !== undefined) {
    const callPermission = permissionOf(permission)
    return { messageType: 'CALL_PERMISSION_REPLY', ...(callPermission && { details: { callPermission } }) }
  }
  const reply = replyDetails(content)
  if (reply) return { messageType: 'INTERACTIVE', text: reply.title, details: { reply } }
  return {
    messageType: 'INTERACTIVE',
    details: { unsupported: unsupportedDetails(textIn(content, 'type', 64), content['errors']) },
  }
}

function order(content: Content): Read {
  const ordered = orderDetails(content)
  return { messageType: 'ORDER', text: ordered.text, details: { order: ordered } }
}

function reaction(content: Content): Read {
  const emoji = textIn(content, 'emoji', 64)
  const target = referenceIn(content, 'message_id')
  return {
    messageType: 'REACTION',
    text: emoji,
    ...(target && { details: { reaction: { ...target, emoji, removed: emoji === null } } }),
  }
}

/** Its text is the new text, or the new caption, of the message that it changes. */
function edit(content: Content): Read {
  const target = referenceIn(content, 'original_message_id')
  const inner = record(content['message'])
  const kind = textIn(inner, 'type', 64) ?? ''
  const isReadable = kind === 'text' || files.has(kind)
  return {
    messageType: 'EDIT',
    text: isReadable ? longText(record(inner[kind]), kind === 'text' ? 'body' : 'caption') : null,
    details: {
      ...(target && { edit: target }),
      ...(!isReadable && { unsupported: unsupportedDetails(kind === '' ? null : kind, undefined) }),
    },
  }
}

const files = new Set(['image', 'video', 'audio', 'document', 'sticker'])

function revoke(content: Content): Read {
  const target = referenceIn(content, 'original_message_id')
  return { messageType: 'REVOKE', ...(target && { details: { revoke: target } }) }
}

const systemKinds = new Map([
  ['user_changed_number', 'number_changed'],
  ['customer_changed_number', 'number_changed'],
  ['user_changed_user_id', 'id_changed'],
] as const)

// Its text names phone numbers in words, and is not for the people of the conversation.
function system(content: Content): Read {
  const type = textIn(content, 'type', 64)
  const known = (systemKinds as ReadonlyMap<string | null, 'number_changed' | 'id_changed'>).get(type)
  return { messageType: 'SYSTEM', details: { system: { kind: known ?? 'other', type } } }
}

interface NotShown {
  readonly providerType: string
  readonly type: string | null
  readonly errors: unknown
}

const unsupported = ({ providerType, type, errors }: NotShown): Read => ({
  messageType: 'UNSUPPORTED',
  details: {
    ...(providerType !== '' && { providerType: storable(providerType.slice(0, 64)) }),
    unsupported: unsupportedDetails(type, errors),
  },
})

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
