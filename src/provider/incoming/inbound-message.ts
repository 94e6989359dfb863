// Parses one inbound message of a user.
import * as v from 'valibot'
import { type Element, type NumberContext, skipped } from './element.ts'
import { id, instant, optional, record } from './fields.ts'
import { readSystem } from './identity-change.ts'
import { readContent } from './message-content.ts'

const Message = v.object({
  id,
  from: optional(v.string()),
  from_user_id: optional(v.string()),
  from_parent_user_id: optional(v.string()),
  timestamp: optional(instant),
  // The provider's sample of a permission reply has no type.
  type: optional(v.string()),
})

export function parseMessage(given: unknown, context: NumberContext): Element {
  const parsed = v.safeParse(Message, given)
  if (!parsed.success) return skipped('malformed')
  const { id: providerMessageId, timestamp } = parsed.output
  const { from: phone, from_user_id: userId, from_parent_user_id: parentUserId } = parsed.output
  const kind = parsed.output.type ?? ('interactive' in record(given) ? 'interactive' : '')
  const from = context.personOf({ phone, userId, parentUserId })
  if (kind === 'system') {
    // A new number or user id is no message: it changes who the person is.
    const change = readSystem(record(given)['system'], from, { ...context, at: timestamp })
    if (change.type !== 'skipped') return change
  }
  if (from === null) return skipped('noSender')
  return {
    type: 'inboundMessage',
    phoneNumberId: context.phoneNumberId,
    providerMessageId,
    from,
    at: timestamp ?? context.receivedAt,
    ...readContent(record(given), kind),
  }
}
