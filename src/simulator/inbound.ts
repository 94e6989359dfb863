import * as v from 'valibot'
import { pushBounded } from './bounded.ts'
import { newWamid, unixSeconds } from './ids.ts'
import { mediaUrl, storeMedia } from './media.ts'
import type { BusinessNumber, Handset, MediaFile } from './model.ts'
import { idFields, type Person, personOf } from './person.ts'
import { webhookError } from './provider-error.ts'
import { messageUpdate } from './webhook-payloads.ts'
import { timeOf, type World } from './world.ts'

const OUTBOX_KEPT = 200

const optionalText = v.optional(v.string())

/** A message for a handset to write. `content`: the provider's own object, for types without a shortcut. */
export const HandsetMessageBody = v.strictObject({
  to: v.string(),
  type: v.picklist([
    'text',
    'image',
    'audio',
    'video',
    'document',
    'sticker',
    'location',
    'contacts',
    'reaction',
    'button',
    'interactive',
    'order',
    'system',
    'edit',
    'revoke',
    'unsupported',
  ]),
  /** Sets the handset's profile name. */
  name: optionalText,
  text: optionalText,
  caption: optionalText,
  mediaBase64: optionalText,
  mimeType: optionalText,
  fileName: optionalText,
  voice: v.optional(v.boolean()),
  /** The wamid of the message that it quotes or reacts to. */
  replyTo: optionalText,
  forwarded: v.optional(v.boolean()),
  /** The group that it is written in. Any text is one. */
  groupId: optionalText,
  referral: v.optional(v.record(v.string(), v.unknown())),
  content: v.optional(v.union([v.record(v.string(), v.unknown()), v.array(v.unknown())])),
})
export type HandsetMessage = v.InferOutput<typeof HandsetMessageBody>

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  image: 'image/png',
  audio: 'audio/ogg; codecs=opus',
  video: 'video/mp4',
  document: 'application/pdf',
  sticker: 'image/webp',
}

// One transparent pixel.
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Types whose content names the message that they are about. */
const REFERS_BY_CONTENT: readonly string[] = ['reaction', 'edit', 'revoke']

/** Messages that are no new word of the user. */
const OPENS_NO_WINDOW = ['edit', 'revoke', 'system', 'unsupported']

type Outgoing = Readonly<{
  type: string
  content: unknown
  text: string
  replyTo?: string | undefined
  /** The wamid that a reaction, an edit or a revoke refers to. It is part of the content and not of the context. */
  reactsTo?: string | undefined
  mediaId?: string | undefined
  /** Additional fields beside `type`. */
  extra?: Readonly<Record<string, unknown>>
  /** Who it is from, when that is not the present identity of the handset. */
  sender?: Person
  scheduledNs?: bigint
}>

/** Sends one message from the handset to the business. Returns its wamid. */
export function deliverFromHandset(
  world: World,
  number: BusinessNumber,
  handset: Handset,
  message: Outgoing,
): string {
  const id = newWamid()
  const nowMs = timeOf(world)
  const person = message.sender ?? personOf(handset, number.id, nowMs)
  const isGroup = message.extra?.['group_id'] !== undefined
  if (!isGroup && !OPENS_NO_WINDOW.includes(message.type)) handset.lastWroteAt.set(number.id, nowMs)
  if (person.waId !== undefined) handset.numberKnownAt.set(number.id, nowMs)
  world.inbound.set(id, { handset, phoneNumberId: number.id, type: message.type, atMs: nowMs })
  const item = {
    ...{ id, phoneNumberId: number.id, type: message.type, text: message.text },
    at: new Date().toISOString(),
    replyTo: message.reactsTo ?? message.replyTo ?? null,
    mediaId: message.mediaId ?? null,
    readByBusiness: false,
    typingUntil: null,
  }
  pushBounded(handset.outbox, item, OUTBOX_KEPT)
  const update = messageUpdate(number, person, {
    ...message.extra,
    ...(message.replyTo === undefined ? {} : { context: { from: number.digits, id: message.replyTo } }),
    ...(person.waId === undefined ? {} : { from: person.waId }),
    ...idFields('from', person),
    id,
    timestamp: unixSeconds(nowMs),
    type: message.type,
    [message.type]: message.content,
  })
  void world.webhooks.send(
    message.scheduledNs === undefined ? update : { ...update, scheduledNs: message.scheduledNs },
  )
  return id
}

/** Builds and sends the message that the control API requested. Returns its wamid. */
export function writeFromHandset(
  world: World,
  number: BusinessNumber,
  handset: Handset,
  body: HandsetMessage,
): string {
  if (body.name !== undefined) handset.name = body.name
  changeWritten(handset, body)
  const extra = {
    ...(body.forwarded === true ? { context: { forwarded: true } } : {}),
    ...(body.groupId === undefined ? {} : { group_id: body.groupId }),
    ...(body.referral === undefined ? {} : { referral: body.referral }),
    ...(body.type === 'unsupported' ? { errors: [webhookError(131051, 'message')] } : {}),
  }
  const file = body.type in MEDIA_TYPES ? fileOf(world, body) : undefined
  return deliverFromHandset(world, number, handset, {
    type: body.type,
    content: file === undefined ? contentOf(body) : mediaContent(world, body, file),
    text: body.text ?? body.caption ?? '',
    ...(REFERS_BY_CONTENT.includes(body.type) ? { reactsTo: body.replyTo } : { replyTo: body.replyTo }),
    mediaId: file?.id,
    extra,
  })
}

/** Shows an edit or a revoke at the message that it changes. */
function changeWritten({ outbox }: Handset, { type, replyTo, text }: HandsetMessage): void {
  const item = replyTo === undefined ? undefined : outbox.find(({ id }) => id === replyTo)
  if (item === undefined) return
  if (type === 'edit') item.text = text ?? ''
  if (type === 'revoke') item.isRevoked = true
}

/** The content of the types that have a shortcut. A removed reaction has no emoji. */
const SHORTCUTS: Readonly<Record<string, (text: string, replyTo: string) => unknown>> = {
  text: (body) => ({ body }),
  reaction: (emoji, id) => ({ message_id: id, ...(emoji === '' ? {} : { emoji }) }),
  button: (text) => ({ payload: text, text }),
  edit: (body, id) => ({ original_message_id: id, message: { type: 'text', text: { body } } }),
  revoke: (_, id) => ({ original_message_id: id }),
}

const contentOf = ({ type, content, text = '', replyTo = '' }: HandsetMessage): unknown =>
  content ?? SHORTCUTS[type]?.(text, replyTo) ?? {}

function fileOf(world: World, body: HandsetMessage): MediaFile {
  const mimeType = body.mimeType ?? MEDIA_TYPES[body.type] ?? 'application/octet-stream'
  const bytes = Buffer.from(body.mediaBase64 ?? PIXEL, 'base64')
  return storeMedia(world, { mimeType, fileName: body.fileName, bytes })
}

function mediaContent(world: World, body: HandsetMessage, file: MediaFile): Record<string, unknown> {
  return {
    ...(body.caption === undefined ? {} : { caption: body.caption }),
    ...(body.type === 'document' ? { filename: body.fileName ?? 'document.pdf' } : {}),
    ...(body.type === 'audio' ? { voice: body.voice ?? false } : {}),
    ...(body.type === 'sticker' ? { animated: false } : {}),
    mime_type: file.mimeType,
    sha256: file.sha256.toString('base64'),
    id: file.id,
    url: mediaUrl(world, file.id),
  }
}
