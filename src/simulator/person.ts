// What webhooks say about a user: the number may be absent, and the ids stand beside it.
import type { Handset } from './model.ts'

const KNOWN_FOR_MS = 30 * 24 * 3600 * 1000

/** A user as one business number sees it. What it does not see is absent, not empty. */
export type Person = Readonly<{
  waId?: string
  userId?: string
  parentUserId?: string
  name: string
  username?: string
}>

export function personOf(handset: Handset, phoneNumberId: string, nowMs: number): Person {
  const { waId, userId, parentUserId, name, username } = handset
  return {
    ...(showsNumber(handset, phoneNumberId, nowMs) ? { waId } : {}),
    ...(userId === undefined ? {} : { userId }),
    ...(parentUserId === undefined ? {} : { parentUserId }),
    name,
    ...(username === undefined ? {} : { username }),
  }
}

function showsNumber(handset: Handset, phoneNumberId: string, nowMs: number): boolean {
  if (handset.showsNumber !== 'known') return handset.showsNumber === 'always'
  if (handset.username === undefined) return true
  return nowMs - (handset.numberKnownAt.get(phoneNumberId) ?? Number.NEGATIVE_INFINITY) < KNOWN_FOR_MS
}

type Prefix = 'from' | 'to' | 'recipient'

/** `from_user_id` and `from_parent_user_id`, or those of another role. */
export const idFields = (prefix: Prefix, { userId, parentUserId }: Person): Record<string, string> => ({
  ...(userId === undefined ? {} : { [`${prefix}_user_id`]: userId }),
  ...(parentUserId === undefined ? {} : { [`${prefix}_parent_user_id`]: parentUserId }),
})

/** `wa_id`, `user_id` and `parent_user_id`, as `contacts` and `user_preferences` have them. */
export const ownIds = ({ waId, userId, parentUserId }: Person): Record<string, string> => ({
  ...(waId === undefined ? {} : { wa_id: waId }),
  ...(userId === undefined ? {} : { user_id: userId }),
  ...(parentUserId === undefined ? {} : { parent_user_id: parentUserId }),
})

/** The entry of `contacts` with those parts of the profile that this kind of webhook has. */
export function contactEntry(person: Person, ...shown: ('name' | 'username')[]): Record<string, unknown> {
  const profile = Object.fromEntries(
    shown.flatMap((part) => (person[part] === undefined ? [] : [[part, person[part]]])),
  )
  return { ...(Object.keys(profile).length === 0 ? {} : { profile }), ...ownIds(person) }
}
