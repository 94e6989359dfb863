import * as v from 'valibot'
import { type MessageBehaviour, messageBehaviour } from './behaviour.ts'
import { pushBounded } from './bounded.ts'
import { digitsOf, newWamid } from './ids.ts'
import { runStatuses } from './message-statuses.ts'
import type { BusinessNumber, Handset } from './model.ts'
import { requestPermission } from './permission.ts'
import { ProviderError } from './provider-error.ts'
import { checkedTemplate, renderedText, TemplateSend } from './template-check.ts'
import { asksForCallPermission } from './template-record.ts'
import type { InboxItem } from './views.ts'
import { readWire } from './wire.ts'
import { handsetOf, type World } from './world.ts'

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
  to: v.pipe(v.string(), v.regex(/^\+?[\d\s()-]{5,25}$/, 'must be a phone number')),
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
  const waId = digitsOf(common.to)
  if (waId === number.digits) throw new ProviderError(131021)
  const content = contentOf(world, common)
  const handset = handsetOf(world, waId)
  const behaviour = messageBehaviour(waId)
  refuse(handset, behaviour)
  if (content.asksPermission) requestPermission(handset, number.id, Date.now())
  const item = receive(number, handset, content, common.biz_opaque_callback_data)
  runStatuses(world, { number, handset, item, behaviour, asksPermission: content.asksPermission })
  return accepted(common.to, waId, item, behaviour)
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
  handset: Handset,
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
    asksPermission,
    at: new Date().toISOString(),
    status: 'accepted',
  }
  pushBounded(handset.inbox, item, INBOX_KEPT)
  return item
}

function accepted(input: string, waId: string, item: InboxItem, behaviour: MessageBehaviour): unknown {
  const status = behaviour.held === true ? 'held_for_quality_assessment' : 'accepted'
  return {
    messaging_product: 'whatsapp',
    contacts: [{ input, wa_id: waId }],
    messages: [{ id: item.id, ...(item.type === 'template' ? { message_status: status } : {}) }],
  }
}

/** Marks the message and all earlier ones in the thread as read. */
function markRead(world: World, number: BusinessNumber, body: unknown): unknown {
  const mark = readWire(MarkRead, body)
  const inbound = world.inbound.get(mark.message_id)
  if (inbound === undefined || inbound.phoneNumberId !== number.id) {
    throw new ProviderError(131009, `message_id ${mark.message_id} is not a message to this number`)
  }
  const thread = handsetOf(world, inbound.waId).outbox.filter((item) => item.phoneNumberId === number.id)
  const last = thread.findIndex((item) => item.id === mark.message_id)
  for (const item of thread.slice(0, last + 1)) item.readByBusiness = true
  const marked = thread[last]
  if (marked !== undefined && mark.typing_indicator !== undefined) {
    marked.typingUntil = new Date(Date.now() + TYPING_MS).toISOString()
  }
  return { success: true }
}
