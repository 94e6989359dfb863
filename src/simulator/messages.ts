import * as v from 'valibot'
import { type MessageBehaviour, messageBehaviour } from './behaviour.ts'
import { pushBounded } from './bounded.ts'
import { isUserId } from './identity.ts'
import { newWamid } from './ids.ts'
import { runStatuses } from './message-statuses.ts'
import type { BusinessNumber, Handset } from './model.ts'
import { requestPermission } from './permission.ts'
import { ProviderError } from './provider-error.ts'
import { numberReadFrom, type Recipient, recipientOf } from './recipient.ts'
import { checkedTemplate, renderedText, TemplateSend } from './template-check.ts'
import { asksForCallPermission } from './template-record.ts'
import type { InboxItem } from './views.ts'
import { readWire } from './wire.ts'
import { timeOf, type World } from './world.ts'

const INBOX_KEPT = 200
const TYPING_MS = 25_000

const media = v.looseObject({
  id: v.optional(v.string()),
  link: v.optional(v.string()),
  caption: v.optional(v.string()),
})

const MarkRead = v.looseObject({
  messaging_product: v.literal('whatsapp'),
  status: v.literal('read'),
  message_id: v.string(),
  typing_indicator: v.optional(v.looseObject({ type: v.literal('text') })),
})

const Common = v.looseObject({
  messaging_product: v.literal('whatsapp'),
  to: v.optional(
    v.union([
      v.pipe(v.string(), v.regex(/^\+?[\d\s()-]{5,25}$/, 'must be a phone number')),
      v.pipe(v.string(), v.check(isUserId, 'must be a phone number')),
    ]),
  ),
  recipient: v.optional(v.string()),
  type: v.optional(v.string(), 'text'),
  biz_opaque_callback_data: v.optional(v.pipe(v.string(), v.maxLength(512))),
})

/** One schema for each content type. A type without a schema is refused as unknown. */
const CONTENT = {
  template: TemplateSend,
  text: v.looseObject({ body: v.pipe(v.string(), v.minLength(1), v.maxLength(4096)) }),
  image: media,
  audio: media,
  video: media,
  document: media,
  sticker: media,
  location: v.looseObject({ latitude: v.number(), longitude: v.number() }),
  contacts: v.array(v.looseObject({})),
  reaction: v.looseObject({ message_id: v.string(), emoji: v.optional(v.string()) }),
  interactive: v.looseObject({
    type: v.string(),
    body: v.optional(v.looseObject({ text: v.pipe(v.string(), v.maxLength(1024)) })),
    action: v.looseObject({ name: v.optional(v.string()) }),
  }),
} as const
type ContentType = keyof typeof CONTENT

const isContentType = (type: string): type is ContentType => Object.hasOwn(CONTENT, type)

type Content = Readonly<{
  type: ContentType
  content: unknown
  text: string
  category: string
  /** The message asks the user to allow calls. */
  asksPermission: boolean
}>

/** `POST /<number>/messages`: sends a message, or marks an inbound message as read. */
export function postMessage(world: World, number: BusinessNumber, body: unknown): unknown {
  if (typeof body === 'object' && body !== null && 'status' in body) return markRead(world, number, body)
  const common = readWire(Common, body)
  const content = contentOf(world, common)
  if (common.to !== undefined && isUserId(common.to)) return lost(common.to, content)
  const recipient = recipientOf(world, number, common)
  const { handset } = recipient
  if (recipient.by === 'id' && content.category === 'authentication') throw new ProviderError(131062)
  const behaviour = messageBehaviour(handset.waId)
  refuse(handset, behaviour)
  if (content.asksPermission) requestPermission(handset, number.id, timeOf(world))
  const item = receive(number, recipient, content, common.biz_opaque_callback_data)
  runStatuses(world, { number, handset, item, behaviour, asksPermission: content.asksPermission })
  const held = behaviour.held === true ? 'held_for_quality_assessment' : 'accepted'
  return accepted(contactOf(common, recipient), item, held)
}

function contentOf(world: World, common: v.InferOutput<typeof Common>): Content {
  const { type } = common
  if (!isContentType(type)) {
    throw new ProviderError(
      100,
      `Param type must be one of {${Object.keys(CONTENT).join(', ').toUpperCase()}}`,
    )
  }
  const raw = common[type]
  if (raw === undefined) throw new ProviderError(131008, `The parameter ${type} is required.`)
  if (type === 'template') return templateContent(world, readWire(TemplateSend, raw))
  const content = readWire(CONTENT[type], raw)
  const asksPermission = type === 'interactive' && Reflect.get(content, 'type') === 'call_permission_request'
  return { type, content, text: textOf(content), category: 'service', asksPermission }
}

function templateContent(world: World, send: TemplateSend): Content {
  const template = checkedTemplate(world, send)
  return {
    type: 'template',
    content: send,
    text: renderedText(template, send),
    category: template.category.toLowerCase(),
    asksPermission: asksForCallPermission(template),
  }
}

function textOf(content: object): string {
  const body: unknown = Reflect.get(content, 'body')
  const text = typeof body === 'object' && body !== null ? Reflect.get(body, 'text') : body
  const shown: unknown = text ?? Reflect.get(content, 'caption') ?? Reflect.get(content, 'emoji')
  return typeof shown === 'string' ? shown : ''
}

/** Refuses the configured number of messages in a row, accepts the next one, and starts again. */
function refuse(handset: Handset, { refusal }: MessageBehaviour): void {
  if (refusal === undefined) return
  if (handset.refusals >= refusal.times) {
    handset.refusals = 0
    return
  }
  handset.refusals += 1
  throw new ProviderError(refusal.code)
}

function receive(
  number: BusinessNumber,
  { handset, by }: Recipient,
  { type, text, content, category, asksPermission }: Content,
  callbackData: string | undefined,
): InboxItem {
  const item: InboxItem = {
    id: newWamid(),
    phoneNumberId: number.id,
    type,
    text,
    content,
    category,
    callbackData,
    sentTo: by,
    asksPermission,
    at: new Date().toISOString(),
    status: 'accepted',
  }
  pushBounded(handset.inbox, item, INBOX_KEPT)
  return item
}

/** The answer has the identifier that was used, and never the other one. */
const contactOf = (
  given: Pick<v.InferOutput<typeof Common>, 'to' | 'recipient'>,
  { handset, by }: Recipient,
) =>
  by === 'phone'
    ? { input: given.to ?? '', wa_id: handset.waId }
    : { input: given.recipient ?? '', user_id: given.recipient ?? '' }

const accepted = (contact: unknown, { id, type }: Pick<InboxItem, 'id' | 'type'>, status: string) => ({
  messaging_product: 'whatsapp',
  contacts: [contact],
  messages: [{ id, ...(type === 'template' ? { message_status: status } : {}) }],
})

/** A user id in `to` is read as a number: the message is accepted, and nothing is ever heard of it again. */
const lost = (to: string, { type }: Content): unknown =>
  accepted({ input: to, wa_id: numberReadFrom(to) }, { id: newWamid(), type }, 'accepted')

/** Marks the message and all earlier ones in the thread as read. */
function markRead(world: World, number: BusinessNumber, body: unknown): unknown {
  const mark = readWire(MarkRead, body)
  const inbound = world.inbound.get(mark.message_id)
  if (inbound === undefined || inbound.phoneNumberId !== number.id) {
    throw new ProviderError(131009, `message_id ${mark.message_id} is not a message to this number`)
  }
  const thread = inbound.handset.outbox.filter((item) => item.phoneNumberId === number.id)
  const last = thread.findIndex((item) => item.id === mark.message_id)
  for (const item of thread.slice(0, last + 1)) item.readByBusiness = true
  const marked = thread[last]
  if (marked !== undefined && mark.typing_indicator !== undefined) {
    marked.typingUntil = new Date(Date.now() + TYPING_MS).toISOString()
  }
  return { success: true }
}
