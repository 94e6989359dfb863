import { isForeignId, isUserId } from './identity.ts'
import { digitsOf } from './ids.ts'
import type { BusinessNumber, Handset } from './model.ts'
import { ProviderError, wrongParameter } from './provider-error.ts'
import { handsetOf, handsetOfId, timeOf, type World } from './world.ts'

type Address = Readonly<{ to?: string | undefined; recipient?: string | undefined }>

export type Recipient = Readonly<{ handset: Handset; by: 'phone' | 'id' }>

/**
 * The user whom a request names by phone number (`to`) or by user id (`recipient`); `to` wins. A business that
 * uses the number sees it in the webhooks of the next 30 days. Throws the provider's error for nobody.
 */
export function recipientOf(world: World, number: BusinessNumber, { to, recipient }: Address): Recipient {
  if (to !== undefined) {
    if (digitsOf(to) === number.digits) throw new ProviderError(131021)
    const handset = handsetOf(world, to)
    handset.numberKnownAt.set(number.id, timeOf(world))
    return { handset, by: 'phone' }
  }
  if (recipient === undefined) throw wrongParameter(100, 'The parameter to is required.')
  return { handset: handsetWithId(world, recipient), by: 'id' }
}

/** The user with this id. The ids of another portfolio, and what is no id, are refused. */
export function handsetWithId(world: World, recipient: string): Handset {
  if (!isUserId(recipient) || isForeignId(recipient)) {
    throw new ProviderError(131009, `Param recipient is not a valid user id: ${recipient}`)
  }
  return handsetOfId(world, recipient)
}

/** What the provider makes of a user id in `to`: a number, of the digits after the country. */
export const numberReadFrom = (userId: string): string => digitsOf(userId.slice(userId.indexOf('.') + 1))
