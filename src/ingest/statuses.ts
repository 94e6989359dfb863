// What became of messages and calls that we sent or placed.
import * as v from 'valibot'
import type { MessageStatusEvent } from '../contract/events.ts'
import type { CallStatusUpdate } from '../contract/provider-updates.ts'
import { type Element, type NumberSurroundings, skipped } from './element.ts'
import { errorsIn, id, instant, opaque, optional, phone, record, unnamedError } from './fields.ts'

const Status = v.object({
  id,
  status: v.string(),
  timestamp: optional(instant),
  recipient_id: optional(phone),
  biz_opaque_callback_data: optional(opaque),
  type: optional(v.string()),
})
type Status = v.InferOutput<typeof Status>

const messageStatuses = new Map<string, MessageStatusEvent>([
  ['sent', 'SENT'],
  ['delivered', 'DELIVERED'],
  ['read', 'READ'],
  ['failed', 'FAILED'],
])

const callStatuses = new Map<string, CallStatusUpdate['status']>([
  ['ringing', 'RINGING'],
  ['accepted', 'ACCEPTED'],
  ['rejected', 'REJECTED'],
])

/** `field` is where the status was found; calls have their own, and mark their statuses besides. */
export function readStatus(given: unknown, around: NumberSurroundings, field: 'messages' | 'calls'): Element {
  const parsed = v.safeParse(Status, given)
  if (!parsed.success) return skipped('malformed')
  const status = parsed.output
  return field === 'calls' || status.type === 'call'
    ? callStatus(status, around)
    : messageStatus(status, given, around)
}

const shared = (status: Status, around: NumberSurroundings) => ({
  phoneNumberId: around.phoneNumberId,
  at: status.timestamp ?? around.receivedAt,
  opaque: status.biz_opaque_callback_data,
  recipientWaId: status.recipient_id,
})

function messageStatus(status: Status, given: unknown, around: NumberSurroundings): Element {
  const word = status.status.toLowerCase()
  const moved = messageStatuses.get(word)
  // A voice message was listened to: it has been read before.
  if (moved === undefined) return skipped(word === 'played' ? 'irrelevant' : 'unknown')
  const reason = errorsIn(record(given)['errors'])[0] ?? unnamedError
  return {
    type: 'messageStatus',
    providerMessageId: status.id,
    status: moved,
    ...shared(status, around),
    error: moved === 'FAILED' ? reason : null,
  }
}

function callStatus(status: Status, around: NumberSurroundings): Element {
  const moved = callStatuses.get(status.status.toLowerCase())
  if (moved === undefined) return skipped('unknown')
  return { type: 'callStatus', wacid: status.id, status: moved, ...shared(status, around) }
}
