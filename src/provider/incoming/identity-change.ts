// Parses what the provider says about a person's new number or user id.
import * as v from 'valibot'
import { addressesOf, type Person } from '../../contract/person.ts'
import type { IdentityChangeUpdate } from '../../contract/provider-updates.ts'
import { type Element, type NumberContext, skipped } from './element.ts'
import { instant, list, optional, phone, record, userId } from './fields.ts'

const System = v.object({
  type: optional(v.string()),
  wa_id: optional(phone),
  // Earlier versions of the provider's API.
  new_wa_id: optional(phone),
  user_id: optional(userId),
  parent_user_id: optional(userId),
  previous_user_id: optional(userId),
  previous_parent_user_id: optional(userId),
})

const changes = ['user_changed_number', 'user_changed_user_id', 'customer_changed_number', 'user_id_update']

/** `from`: as the person is named around it, which is by the number or id until now. Null: it tells no change. */
export function readSystem(
  given: unknown,
  from: Person | null,
): Pick<IdentityChangeUpdate, 'person' | 'before'> | null {
  const parsed = v.safeParse(System, given)
  if (!parsed.success) return null
  const system = parsed.output
  if (system.type !== null && !changes.includes(system.type)) return null
  const person: Person = {
    phone: system.wa_id ?? system.new_wa_id,
    userId: system.user_id,
    parentUserId: system.parent_user_id,
    username: null,
    name: null,
  }
  const before = [system.previous_user_id, system.previous_parent_user_id, ...(from ? addressesOf(from) : [])]
  const known = before.filter((address) => address !== null)
  if (addressesOf(person).length === 0 || known.length === 0) return null
  return { person, before: [...new Set(known)] }
}

const Update = v.object({
  timestamp: optional(instant),
  wa_id: optional(phone),
  user_id: v.object({ previous: userId, current: userId }),
  parent_user_id: optional(v.object({ previous: userId, current: userId })),
})

/** Changes of ids that some gateways of the provider tell beside the messages. */
export const readIdUpdates = (value: unknown, context: NumberContext): Element[] =>
  list(record(value)['user_id_update']).map((given) => readIdUpdate(given, context))

function readIdUpdate(given: unknown, context: NumberContext): Element {
  const parsed = v.safeParse(Update, given)
  if (!parsed.success) return skipped('malformed')
  const { wa_id, user_id, parent_user_id, timestamp } = parsed.output
  const person = {
    phone: wa_id,
    userId: user_id.current,
    parentUserId: parent_user_id?.current ?? null,
    username: null,
    name: null,
  }
  const before = [user_id.previous, ...(parent_user_id ? [parent_user_id.previous] : [])]
  return {
    type: 'identityChange',
    phoneNumberId: context.phoneNumberId,
    person,
    before,
    at: timestamp ?? context.receivedAt,
  }
}
