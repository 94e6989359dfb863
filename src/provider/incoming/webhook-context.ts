// Reads the number and the persons of a webhook change.
import type { Person } from '../../contract/person.ts'
import type { Named, NumberContext, WebhookContext } from './element.ts'
import { list, readId, readPhone, readShownNumber, readText, readUserId, record } from './fields.ts'

/** Null when the change names no number: it cannot be assigned to a workspace. */
export function numberContext(value: unknown, context: WebhookContext): NumberContext | null {
  const { metadata, contacts: given, messages, calls, statuses } = record(value)
  const { phone_number_id, display_phone_number } = record(metadata)
  const phoneNumberId = readId(phone_number_id)
  if (phoneNumberId === null) return null
  const contacts = list(given).flatMap(contactOf)
  const elements = list(messages).length + list(calls).length + list(statuses).length
  const displayDigits = readShownNumber(display_phone_number)
  const { wabaId, time, receivedAt } = context
  // Without a spread, which costs microseconds in Node 20, for each webhook.
  return {
    wabaId,
    time,
    receivedAt,
    phoneNumberId,
    displayDigits,
    personOf: (named) => personOf(named, contacts, elements === 1),
  }
}

function contactOf(given: unknown): Person[] {
  if (typeof given !== 'object' || given === null) return []
  const { wa_id, user_id, parent_user_id, profile } = record(given)
  const { name, username } = record(profile)
  return [
    {
      phone: readPhone(wa_id),
      userId: readUserId(user_id) ?? readUserId(wa_id),
      parentUserId: readUserId(parent_user_id),
      username: readText(username, 64) || null,
      name: readText(name, 256),
    },
  ]
}

/**
 * The person with what the contact entry of the same number or id adds. Where the change is about one element and one
 * person, the entry is of that person, even if the element itself names nobody. Null: nobody is named.
 */
function personOf(named: Named, contacts: readonly Person[], isOnly: boolean): Person | null {
  const own = {
    phone: readPhone(named.phone),
    userId: readUserId(named.userId) ?? readUserId(named.phone),
    parentUserId: readUserId(named.parentUserId),
  }
  const names = own.phone !== null || own.userId !== null || own.parentUserId !== null
  const [only, ...others] = contacts
  const entry =
    contacts.find((one) => isSame(one, own)) ?? (isOnly && others.length === 0 && !names ? only : undefined)
  const person: Person = {
    phone: own.phone ?? entry?.phone ?? null,
    userId: own.userId ?? entry?.userId ?? null,
    parentUserId: own.parentUserId ?? entry?.parentUserId ?? null,
    username: entry?.username ?? null,
    name: entry?.name ?? null,
  }
  return person.phone === null && person.userId === null && person.parentUserId === null ? null : person
}

/** A number may have been given to somebody else: with another user id it is another person's. */
const isSame = (
  a: Pick<Person, 'phone' | 'userId' | 'parentUserId'>,
  b: Pick<Person, 'phone' | 'userId' | 'parentUserId'>,
): boolean =>
  a.userId !== null && b.userId !== null
    ? a.userId === b.userId
    : (a.phone !== null && a.phone === b.phone) ||
      (a.parentUserId !== null && a.parentUserId === b.parentUserId)
