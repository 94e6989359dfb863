// Parses one inbound message of a user.
import type { Person } from '../../contract/person.ts'
import type { MessageDetails } from '../../contract/records/message-details.ts'
import { phoneOf } from '../../shared/address.ts'
import { type Element, type NumberContext, skipped } from './element.ts'
import { readId, readInstant, readString, record } from './fields.ts'
import { readSystem } from './identity-change.ts'
import { readContent } from './message-content.ts'

export function parseMessage(given: unknown, context: NumberContext): Element {
  const message = record(given)
  const providerMessageId = readId(message['id'])
  if (providerMessageId === null) return skipped('malformed')
  const { from: phone, from_user_id: userId, from_parent_user_id: parentUserId } = message
  const at = readInstant(message['timestamp']) ?? context.receivedAt
  // The provider's sample of a permission reply has no type.
  const kind = readString(message['type']) ?? ('interactive' in message ? 'interactive' : '')
  const named = context.personOf({ phone, userId, parentUserId })
  const change = kind === 'system' ? readSystem(message['system'], named) : null
  const content = readContent(message, kind)
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
