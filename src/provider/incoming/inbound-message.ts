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
  const at = timestamp ?? context.receivedAt
  const kind = parsed.output.type ?? ('interactive' in record(given) ? 'interactive' : '')
  const named = context.personOf({ phone, userId, parentUserId })
  const change = kind === 'system' ? readSystem(record(given)['system'], named) : null
  const from = change?.person ?? named
  if (from === null) return skipped('noSender')
  return {
    type: 'inboundMessage',
    phoneNumberId: context.phoneNumberId,
    providerMessageId,
    from,
    ...(change && { formerly: change.before }),
    at,
    ...readContent(record(given), kind),
  }
}
