// Parses status updates of outbound messages and calls.
import * as v from 'valibot'
import type { MessageStatusEvent } from '../../contract/events.ts'
import type { CallStatusUpdate } from '../../contract/provider-updates.ts'
import { type Element, type NumberContext, skipped } from './element.ts'
import { errorsIn, id, instant, momentOf, opaque, optional, record, unnamedError } from './fields.ts'

const Status = v.object({
  id,
  status: v.string(),
  timestamp: optional(instant),
  recipient_id: optional(v.string()),
  recipient_user_id: optional(v.string()),
  recipient_parent_user_id: optional(v.string()),
  // The name of the field before May 2026.
  parent_recipient_user_id: optional(v.string()),
  recipient_type: optional(v.string()),
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

/** `field`: the webhook field with the status. Call statuses come in `calls`, or have the type `call`. */
export function readStatus(given: unknown, context: NumberContext, field: 'messages' | 'calls'): Element {
  const parsed = v.safeParse(Status, given)
  if (!parsed.success) return skipped('malformed')
  const status = parsed.output
  return field === 'calls' || status.type === 'call'
    ? callStatus(status, context)
    : messageStatus(status, given, context)
}

const shared = (status: Status, context: NumberContext) => ({
  phoneNumberId: context.phoneNumberId,
  at: momentOf(status.timestamp, context.receivedAt),
  opaque: status.biz_opaque_callback_data,
  recipient: recipientOf(status, context),
})

/** The id of a group is nobody's number. */
const recipientOf = (status: Status, context: NumberContext) =>
  status.recipient_type === 'group'
    ? null
    : context.personOf({
        phone: status.recipient_id,
        userId: status.recipient_user_id,
        parentUserId: status.recipient_parent_user_id ?? status.parent_recipient_user_id,
      })

function messageStatus(status: Status, given: unknown, context: NumberContext): Element {
  const word = status.status.toLowerCase()
  const moved = messageStatuses.get(word)
  // `played` follows `read` on voice messages and adds nothing.
  if (moved === undefined) return skipped(word === 'played' ? 'irrelevant' : 'unknown')
  const reason = errorsIn(record(given)['errors'])[0] ?? unnamedError
  return {
    type: 'messageStatus',
    providerMessageId: status.id,
    status: moved,
    ...shared(status, context),
    error: moved === 'FAILED' ? reason : null,
  }
}

function callStatus(status: Status, context: NumberContext): Element {
  const moved = callStatuses.get(status.status.toLowerCase())
  if (moved === undefined) return skipped('unknown')
  return { type: 'callStatus', wacid: status.id, status: moved, ...shared(status, context) }
}
