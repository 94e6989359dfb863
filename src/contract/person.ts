// A person of the channel, as one element of the provider names them.
import { phoneOf, userIdOf } from '../shared/address.ts'

export interface Person {
  /** Digits. Null where the person hides the number. */
  readonly phone: string | null
  /** The id under which this business knows the person: it changes with the person's number. */
  readonly userId: string | null
  /** The same for a group of businesses. */
  readonly parentUserId: string | null
  /** For display only: a person may change it. */
  readonly username: string | null
  /** The profile name. */
  readonly name: string | null
}

/** All that names the person, the phone number first. What stands in one element is one person. */
export const addressesOf = ({
  phone,
  userId,
  parentUserId,
}: Pick<Person, 'phone' | 'userId' | 'parentUserId'>): string[] =>
  [...new Set([phone, userId, parentUserId])].filter((address) => address !== null)

/** A person of whom only the address is known, and perhaps the profile name. */
export const personAt = (address: string, name: string | null = null): Person => ({
  phone: phoneOf(address),
  userId: userIdOf(address),
  parentUserId: null,
  username: null,
  name,
})
