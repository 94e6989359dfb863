// Reads the number and the persons of a webhook change.
import * as v from 'valibot'
import type { Person } from '../../contract/person.ts'
import type { Named, NumberContext, WebhookContext } from './element.ts'
import { id, list, optional, phone, record, shownNumber, text, userId } from './fields.ts'

const Metadata = v.object({ phone_number_id: id, display_phone_number: optional(shownNumber) })

const Contact = v.object({
  wa_id: optional(v.string()),
  user_id: optional(userId),
  parent_user_id: optional(userId),
  profile: optional(v.object({ name: optional(text(256)), username: optional(text(64)) })),
})

/** Null when the change names no number: it cannot be assigned to a workspace. */
export function numberContext(value: unknown, context: WebhookContext): NumberContext | null {
  const metadata = v.safeParse(Metadata, record(value)['metadata'])
  if (!metadata.success) return null
  const { contacts: given, messages, calls, statuses } = record(value)
  const contacts = list(given).flatMap(contactOf)
  const elements = [messages, calls, statuses].reduce<number>((sum, some) => sum + list(some).length, 0)
  return {
    ...context,
    phoneNumberId: metadata.output.phone_number_id,
    displayDigits: metadata.output.display_phone_number,
    personOf: (named) => personOf(named, contacts, elements === 1),
  }
}

function contactOf(given: unknown): Person[] {
  const parsed = v.safeParse(Contact, given)
  if (!parsed.success) return []
  const { wa_id, user_id, parent_user_id, profile } = parsed.output
  return [
    {
      phone: as(phone, wa_id),
      userId: user_id ?? as(userId, wa_id),
      parentUserId: parent_user_id,
      username: profile?.username || null,
      name: profile?.name ?? null,
    },
  ]
}

/**
 * The person with what the contact entry of the same number or id adds. Where the change is about one element and one
 * person, the entry is of that person, even if the element itself names nobody. Null: nobody is named.
 */
function personOf(named: Named, contacts: readonly Person[], isOnly: boolean): Person | null {
  const own = {
    phone: as(phone, named.phone),
    userId: as(userId, named.userId) ?? as(userId, named.phone),
    parentUserId: as(userId, named.parentUserId),
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

function as(schema: typeof phone | typeof userId, given: unknown): string | null {
  const parsed = v.safeParse(schema, given)
  return parsed.success ? parsed.output : null
}
