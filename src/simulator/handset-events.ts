// What happens at a handset beside messages: marketing preferences, and what the business's own app sends it.
import * as v from 'valibot'
import { pushBounded } from './bounded.ts'
import { readBody } from './control-error.ts'
import { newWamid, unixSeconds } from './ids.ts'
import type { BusinessNumber, Handset } from './model.ts'
import { contactEntry, idFields, ownIds, personOf } from './person.ts'
import type { InboxItem } from './views.ts'
import { metadata } from './webhook-payloads.ts'
import { timeOf, type World } from './world.ts'

const INBOX_KEPT = 200

/** The user stops or resumes marketing messages of the business. The time is a number here. */
export function setPreference(
  world: World,
  number: BusinessNumber,
  handset: Handset,
  value: 'stop' | 'resume',
): void {
  const nowMs = timeOf(world)
  const person = personOf(handset, number.id, nowMs)
  handset.stoppedMarketing = value === 'stop'
  const preference = {
    ...ownIds(person),
    category: 'marketing_messages',
    value,
    detail: `User requested to ${value} marketing messages`,
    timestamp: Number(unixSeconds(nowMs)),
  }
  void world.webhooks.send({
    kind: `preference.${value}`,
    ref: handset.waId,
    field: 'user_preferences',
    value: { ...metadata(number), contacts: [contactEntry(person)], user_preferences: [preference] },
  })
}

export const EchoBody = v.strictObject({
  from: v.string(),
  type: v.optional(v.string(), 'text'),
  text: v.optional(v.string(), ''),
  /** The provider's own object, for other types than text. */
  content: v.optional(v.record(v.string(), v.unknown())),
})

/** The business writes to the handset with its own app: the gateway is told by an echo. Returns the wamid. */
export function echo(world: World, number: BusinessNumber, handset: Handset, body: unknown): string {
  const { type, text, content } = readBody(EchoBody, body)
  const id = newWamid()
  const nowMs = timeOf(world)
  const person = personOf(handset, number.id, nowMs)
  const shown = content ?? (type === 'text' ? { body: text } : {})
  const item: InboxItem = {
    ...{ id, phoneNumberId: number.id, type, text, content: shown, category: 'service' },
    ...{ callbackData: undefined, replyTo: null, choices: [], asksPermission: false },
    sentTo: 'phone',
    at: new Date().toISOString(),
    status: 'delivered',
  }
  pushBounded(handset.inbox, item, INBOX_KEPT)
  world.sent.set(id, { handset, phoneNumberId: number.id, type, atMs: nowMs })
  const message = {
    from: number.digits,
    ...(person.waId === undefined ? {} : { to: person.waId }),
    ...idFields('to', person),
    ...{ id, timestamp: unixSeconds(nowMs), type, [type]: shown },
  }
  void world.webhooks.send({
    kind: 'echo',
    ref: id,
    field: 'smb_message_echoes',
    value: { ...metadata(number), contacts: [contactEntry(person, 'name')], message_echoes: [message] },
  })
  return id
}
