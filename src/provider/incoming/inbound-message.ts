// Parses one inbound message of a user.
import * as v from 'valibot'
import { type Element, type NumberContext, skipped } from './element.ts'
import { id, instant, optional, phone, record } from './fields.ts'
import { readContent } from './message-content.ts'

const Message = v.object({
  id,
  from: optional(phone),
  timestamp: optional(instant),
  // The provider's sample of a permission reply has no type.
  type: optional(v.string()),
})

export function parseMessage(given: unknown, context: NumberContext): Element {
  const parsed = v.safeParse(Message, given)
  if (!parsed.success) return skipped('malformed')
  const { id: providerMessageId, from, timestamp } = parsed.output
  const kind = parsed.output.type ?? ('interactive' in record(given) ? 'interactive' : '')
  if (from === null) return skipped('noSender')
  return {
    type: 'inboundMessage',
    phoneNumberId: context.phoneNumberId,
    providerMessageId,
    from,
    fromName: context.nameOf(from),
    at: timestamp ?? context.receivedAt,
    ...readContent(record(given), kind),
  }
}
