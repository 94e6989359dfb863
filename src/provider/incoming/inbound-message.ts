// Parses one inbound message of a user.
import * as v from 'valibot'
import type { Person } from '../../contract/person.ts'
import type { MessageDetails } from '../../contract/records/message-details.ts'
import { phoneOf } from '../../shared/address.ts'
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
  const content = readContent(record(given), kind)
  const from = change?.person ?? (named && withOwnNumber(named, content.details))
  if (from === null) return skipped('noSender')
  return {
    type: 'inboundMessage',
    phoneNumberId: context.phoneNumberId,
    providerMessageId,
    from,
    ...(change && { formerly: change.before }),
    at,
    ...content,
  }
}

/** Who hides the number, and shares it when asked, is known by both. A card that somebody shares unasked proves nothing. */
function withOwnNumber(person: Person, details: MessageDetails | null): Person {
  const [card, ...others] = details?.contacts ?? []
  if (person.phone !== null || card?.origin !== 'contact_request' || others.length > 0) return person
  const [own, ...more] = card.phones
  return more.length > 0 ? person : { ...person, phone: phoneOf(own?.waId ?? '') }
}
