import { grantsWhenAsked, type MessageBehaviour, type StatusStep } from './behaviour.ts'
import { newDigits, unixSeconds } from './ids.ts'
import { deliverFromHandset } from './inbound.ts'
import type { BusinessNumber, Handset } from './model.ts'
import { replyToPermission } from './permission.ts'
import { contactEntry, idFields, type Person, personOf } from './person.ts'
import { webhookError } from './provider-error.ts'
import type { InboxItem } from './views.ts'
import { statusUpdate } from './webhook-payloads.ts'
import { permissionOf, timeOf, type World } from './world.ts'

const DAY_MS = 24 * 3600 * 1000
const failing = (code: number): readonly StatusStep[] => [{ afterMs: 50, status: 'failed', code }]
const GRANT_AFTER_MS = 300
const WAITING_LIMIT = 1000

const RANK = { accepted: 0, sent: 1, delivered: 2, read: 3, failed: 4 } as const

type Sent = Readonly<{
  number: BusinessNumber
  handset: Handset
  item: InboxItem
  behaviour: MessageBehaviour
  asksPermission: boolean
  /** The code with which it fails although it was accepted. */
  failsWith: number | undefined
}>

/** Plays the statuses of an accepted message and the handset's reaction. */
export function runStatuses(world: World, sent: Sent): void {
  const { handset, item, behaviour } = sent
  const open = item.type === 'template' || windowIsOpen(world, handset, item.phoneNumberId)
  const code = open ? sent.failsWith : 131047
  const steps = code === undefined ? stepsOf(item, behaviour) : failing(code)
  for (const step of steps) {
    world.timers.later(step.afterMs, () => {
      const reaches = step.status !== 'sent' && step.status !== 'failed'
      if (reaches) onceOnline(handset, () => report(world, sent, step))
      else report(world, sent, step)
    })
  }
  if (code === undefined) react(world, sent)
}

/** Nothing is said about a reaction after it was sent. */
const stepsOf = (item: InboxItem, { statuses }: MessageBehaviour): readonly StatusStep[] =>
  item.type === 'reaction'
    ? statuses.filter(({ status }) => status === 'sent' || status === 'failed')
    : statuses

/** Whether free-form messages of this business number reach the handset. */
export const windowIsOpen = (world: World, handset: Handset, phoneNumberId: string): boolean =>
  timeOf(world) - (handset.lastWroteAt.get(phoneNumberId) ?? 0) < DAY_MS

function react(world: World, { number, handset, item, behaviour, asksPermission }: Sent): void {
  const { reply } = behaviour
  if (reply !== undefined) {
    const { text } = reply
    const write = () =>
      deliverFromHandset(world, number, handset, { type: 'text', content: { body: text }, text })
    world.timers.later(reply.afterMs, () => onceOnline(handset, write))
  }
  if (!asksPermission || !grantsWhenAsked(handset.waId)) return
  if (permissionOf(handset, number.id, timeOf(world)).status !== 'no_permission') return
  const grant = () =>
    replyToPermission(world, number, handset, {
      response: 'accept',
      isPermanent: false,
      source: 'user_action',
      contextId: item.id,
    })
  world.timers.later(GRANT_AFTER_MS, () => onceOnline(handset, grant))
}

/** Runs the action once the handset is online: an offline handset receives, reads and writes nothing. */
function onceOnline(handset: Handset, action: () => void): void {
  if (handset.online) action()
  else if (handset.whenOnline.length < WAITING_LIMIT) handset.whenOnline.push(action)
}

/** Reports one status of a message to the business. */
export function report(
  world: World,
  sent: Pick<Sent, 'number' | 'handset' | 'item'>,
  step: Pick<StatusStep, 'status' | 'code'>,
): void {
  const { number, handset, item } = sent
  if (RANK[step.status] > RANK[item.status]) item.status = step.status
  if (step.code !== undefined) item.errorCode = step.code
  const nowMs = timeOf(world)
  const person = personOf(handset, number.id, nowMs)
  const priced = step.status === 'sent' || step.status === 'delivered'
  void world.webhooks.send(
    statusUpdate(number, contactOf(person, step.status), {
      id: item.id,
      status: step.status,
      timestamp: unixSeconds(nowMs),
      ...recipientOf(sent, person, step.status),
      ...(item.callbackData === undefined ? {} : { biz_opaque_callback_data: item.callbackData }),
      ...(step.status === 'sent' ? { conversation: conversation(item, nowMs) } : {}),
      ...(priced ? { pricing: pricing(item) } : {}),
      ...(step.code === undefined ? {} : { errors: [webhookError(step.code, 'message')] }),
    }),
  )
}

/** A failed status names nobody. The username comes once the message has arrived. */
function contactOf(person: Person, status: StatusStep['status']): Record<string, unknown> | undefined {
  if (status === 'failed') return undefined
  return status === 'sent' ? contactEntry(person, 'name') : contactEntry(person, 'name', 'username')
}

/** The number only if the message was sent to it; a failed send to a number has no user id. */
function recipientOf(
  { handset, item }: Pick<Sent, 'handset' | 'item'>,
  person: Person,
  status: StatusStep['status'],
): Record<string, string> {
  const toPhone = item.sentTo === 'phone'
  return {
    ...(toPhone ? { recipient_id: handset.waId } : {}),
    ...(toPhone && status === 'failed' ? {} : idFields('recipient', person)),
  }
}

const conversation = (item: InboxItem, nowMs: number) => ({
  id: newDigits(),
  expiration_timestamp: unixSeconds(nowMs + DAY_MS),
  origin: { type: item.category },
})

const pricing = (item: InboxItem) => ({
  billable: item.category !== 'service',
  pricing_model: 'PMP',
  type: item.category === 'service' ? 'free_customer_service' : 'regular',
  category: item.category,
})
