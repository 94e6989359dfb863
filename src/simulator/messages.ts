import * as v from 'valibot'
import { type MessageBehaviour, messageBehaviour } from './behaviour.ts'
import { pushBounded } from './bounded.ts'
import { interactiveChoices, templateChoices } from './choices.ts'
import { isUserId } from './identity.ts'
import { newWamid } from './ids.ts'
import { checkFiles, filesIn, freeFormOf } from './message-content.ts'
import { runStatuses, windowIsOpen } from './message-statuses.ts'
import type { BusinessNumber, Handset } from './model.ts'
import { requestPermission } from './permission.ts'
import { ProviderError, wrongParameter } from './provider-error.ts'
import { numberReadFrom, type Recipient, recipientOf } from './recipient.ts'
import { checkedTemplate, renderedText, TemplateSend } from './template-check.ts'
import { asksForCallPermission } from './template-record.ts'
import type { Choice, InboxItem } from './views.ts'
import { readWire } from './wire.ts'
import { timeOf, type World } from './world.ts'

const INBOX_KEPT = 200
const TYPING_MS = 25_000
const REACTION_MS = 30 * 24 * 3600 * 1000

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
  recipient_type: v.optional(v.literal('individual'), 'individual'),
  type: v.optional(v.string(), 'text'),
  context: v.optional(v.looseObject({ message_id: v.string() })),
  biz_opaque_callback_data: v.optional(v.pipe(v.string(), v.maxLength(512))),
})

type Content = Readonly<{
  type: string
  content: unknown
  text: string
  category: string
  /** The message asks the user to allow calls. */
  asksPermission: boolean
  choices: readonly Choice[]
  /** The code with which the message fails after it was accepted. */
  failsWith: number | undefined
}>

/** `POST /<number>/messages`: sends a message, or marks an inbound message as read. */
export function postMessage(world: World, number: BusinessNumber, body: unknown): unknown {
  if (typeof body === 'object' && body !== null && 'status' in body) return markRead(world, number, body)
  const common = readWire(Common, body)
  const content = contentOf(world, common)
  if (common.to !== undefined && isUserId(common.to)) return lost(common.to, content)
  const recipient = recipientOf(world, number, common)
  const { handset } = recipient
  checkChat(world, number, recipient, { common, content })
  const behaviour = messageBehaviour(handset.waId)
  refuse(handset, behaviour)
  if (content.asksPermission) requestPermission(handset, number.id, timeOf(world))
  const item = receive(number, recipient, content, common)
  world.sent.set(item.id, { handset, phoneNumberId: number.id, type: item.type, atMs: timeOf(world) })
  runStatuses(world, { number, handset, item, behaviour, ...fateOf(world, number, recipient, content) })
  const held = behaviour.held === true ? 'held_for_quality_assessment' : 'accepted'
  return accepted(contactOf(common, recipient), item, held)
}

function contentOf(world: World, common: v.InferOutput<typeof Common>): Content {
  const { type } = common
  if (type === 'template') return templateContent(world, common['template'])
  const content = freeFormOf(type, common[type])
  const failsWith = checkFiles(world, filesIn(type, type, content.content))
  const asksPermission = Reflect.get(content.content, 'type') === 'call_permission_request'
  const choices = type === 'interactive' ? interactiveChoices(content.content) : []
  return { ...content, category: 'service', asksPermission, choices, failsWith }
}

function templateContent(world: World, raw: unknown): Content {
  if (raw === undefined) throw new ProviderError(131008, 'The parameter template is required.')
  const send = readWire(TemplateSend, raw, { inside: 'template' })
  const template = checkedTemplate(world, send)
  return {
    type: 'template',
    content: send,
    text: renderedText(template, send),
    category: template.category.toLowerCase(),
    asksPermission: asksForCallPermission(template),
    choices: templateChoices(template, send),
    failsWith: checkFiles(world, filesIn('template', 'template', send)),
  }
}

type Fate = Readonly<{ asksPermission: boolean; failsWith: number | undefined }>

function fateOf(world: World, number: BusinessNumber, recipient: Recipient, content: Content): Fate {
  const { type, asksPermission, failsWith } = content
  if (content.category === 'marketing' && recipient.handset.stoppedMarketing) {
    return { asksPermission, failsWith: 131050 }
  }
  const misses = type === 'reaction' && reactsToNothing(world, number, recipient, content.content)
  return { asksPermission, failsWith: misses ? 131009 : failsWith }
}

type Asked = Readonly<{ common: v.InferOutput<typeof Common>; content: Content }>

/** What the message must have to do with the chat that it goes to. */
function checkChat(
  world: World,
  number: BusinessNumber,
  recipient: Recipient,
  { common: { context }, content }: Asked,
): void {
  if (recipient.by === 'id' && content.category === 'authentication') throw new ProviderError(131062)
  if (context !== undefined && content.type === 'reaction') {
    throw wrongParameter(100, 'Param context is not supported for reactions.')
  }
  if (context !== undefined) checkQuote(world, number, recipient, context.message_id)
  const isClosed = content.type !== 'template' && !windowIsOpen(world, recipient.handset, number.id)
  if (isClosed && world.config.closedWindow === 'refusal') throw new ProviderError(131047)
}

/** The quoted message must be one of this chat. */
function checkQuote(world: World, number: BusinessNumber, { handset }: Recipient, quoted: string): void {
  const known = world.sent.get(quoted) ?? world.inbound.get(quoted)
  if (known?.handset !== handset || known.phoneNumberId !== number.id) {
    throw new ProviderError(131009, `Param context['message_id'] is not a message of this chat: ${quoted}`)
  }
}

/** A reaction to what is no message of the chat, is a reaction itself, or is older than 30 days. */
function reactsToNothing(
  world: World,
  number: BusinessNumber,
  { handset }: Recipient,
  content: unknown,
): boolean {
  const id = String(Reflect.get(Object(content), 'message_id'))
  const target = world.sent.get(id) ?? world.inbound.get(id)
  if (target?.handset !== handset || target.phoneNumberId !== number.id) return true
  return target.type === 'reaction' || timeOf(world) - target.atMs > REACTION_MS
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
  { type, text, content, category, asksPermission, choices }: Content,
  { context, biz_opaque_callback_data: callbackData }: v.InferOutput<typeof Common>,
): InboxItem {
  const item: InboxItem = {
    id: newWamid(),
    phoneNumberId: number.id,
    type,
    text,
    content,
    category,
    callbackData,
    replyTo: context?.message_id ?? null,
    sentTo: by,
    choices,
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
