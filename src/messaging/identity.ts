// Which contact a person is. Two addresses are of one person only where one element of the provider names both, or
// where a message of the provider says so. Pure; contacts.store.ts applies the plan.
import { addressesOf, type Person } from '../contract/person.ts'
import { isParentId, isUserId, phoneOf, spellingsOf } from '../shared/address.ts'
import type { Uuid } from '../shared/ids.ts'

/** A contact that has at least one of the addresses in question. */
export interface Holder {
  readonly id: Uuid
  /** Under which it is written to. */
  readonly address: string
  /** When the provider showed that this address is the contact's. Null: not known. */
  readonly addressAt: Date | null
  /** Those of the addresses in question that it has besides. */
  readonly aliases: readonly string[]
  readonly userId: string | null
  readonly parentUserId: string | null
}

export interface Claim {
  readonly person: Pick<Person, 'phone' | 'userId' | 'parentUserId'>
  /** Further addresses of the same person. */
  readonly also: readonly string[]
  /**
   * - `element`: one element names all of them. A number that is known with another user id may belong to somebody
   *   else by now.
   * - `answer`: the provider's answer or status shows another address than the one that was written to.
   * - `statement`: the provider says that the person has changed number or id.
   */
  readonly proof: 'element' | 'answer' | 'statement'
  /** The provider's time. */
  readonly at: Date
}

export interface IdentityPlan {
  /** The contact that goes on; null: a new one. */
  readonly target: Uuid | null
  /** They become part of the target. */
  readonly merged: readonly Uuid[]
  /** The contact whose number, in every spelling, is the target's now, and the address that it has left. */
  readonly recycled: { readonly id: Uuid; readonly address: string } | null
  readonly address: string
  /** When the provider showed it. Null: not known. */
  readonly addressAt: Date | null
  /** The target's other addresses, as far as they are in question. */
  readonly aliases: readonly string[]
  readonly userId: string | null
  readonly parentUserId: string | null
}

/** Null where there is nothing to change, or where an answer names the addresses of two persons. */
export function identify(given: Claim, found: readonly Holder[]): IdentityPlan | null {
  const { claim, holders } = withoutNextOwners(given, found)
  const addresses = claimedAddresses(claim)
  const [only, ...others] = holders
  const isKnown = only && others.length === 0 && addresses.every((address) => has(only, address))
  if (isKnown && !isBack(claim, only)) return null
  const stranger = strangerOf(claim, holders)
  if (!stranger) return planOf(claim, holders)
  if (claim.proof === 'answer' || stranger.userId === null) return null
  const same = holders.filter((one) => one !== stranger)
  // What is told late does not take a number back.
  if (stranger.addressAt !== null && claim.at < stranger.addressAt) {
    const person = { ...claim.person, phone: null }
    // Where nothing but the number was told, there is nothing left to tell.
    return addressesOf(person).length === 0 ? null : identify({ ...claim, person, also: idsOf(claim) }, same)
  }
  const { phone } = claim.person
  const isLost = phone !== null && [phone, ...spellingsOf(phone)].includes(stranger.address)
  return {
    ...planOf(claim, same),
    recycled: { id: stranger.id, address: isLost ? stranger.userId : stranger.address },
  }
}

/** Somebody is seen under a number that they had left: it is theirs again, and the other one may be somebody else's. */
const isBack = ({ person: { phone }, proof, at }: Claim, { address, addressAt }: Holder): boolean =>
  proof !== 'answer' && addressAt !== null && at > addressAt && isAnotherNumber(phone, address)

/** Not where the address is another spelling of it. */
export const isAnotherNumber = (phone: string | null, address: string): boolean =>
  phone !== null && phone !== address && !spellingsOf(phone).includes(address)

/**
 * A statement names the number that the person has left, too. By the time it is told, or told again, that number may be
 * of somebody else, who is known by another id: then it says nothing about who the person is now.
 */
function withoutNextOwners(claim: Claim, holders: readonly Holder[]) {
  const { person, also, proof } = claim
  if (proof !== 'statement' || !also.some(isOwnId)) return { claim, holders }
  const ids = idsOf(claim)
  const others = holders.filter(
    (one) => one.userId !== null && isOwnId(one.userId) && !ids.some((userId) => has(one, userId)),
  )
  const isOthers = (address: string): boolean => others.some((one) => has(one, address))
  return {
    claim: { ...claim, also: also.filter((address) => !isOthers(address)) },
    // Who has the new number is needed still: it is taken from them.
    holders: holders.filter(
      (one) => !others.includes(one) || (person.phone !== null && has(one, person.phone)),
    ),
  }
}

/** Every address that the claim names, each once. */
export const claimedAddresses = ({ person, also }: Pick<Claim, 'person' | 'also'>): string[] => [
  ...new Set([...addressesOf(person), ...also]),
]
const idsOf = (claim: Claim): string[] => claimedAddresses(claim).filter(isUserId)
/** Not one that a group of businesses shares: a contact may be known by such a one alone. */
const isOwnId = (address: string): boolean => isUserId(address) && !isParentId(address)

const has = ({ address, aliases }: Holder, asked: string): boolean =>
  address === asked || aliases.includes(asked)

/** A contact that has the number, and is known with none of these user ids but with another one. */
function strangerOf(claim: Claim, holders: readonly Holder[]): Holder | undefined {
  const ids = idsOf(claim)
  const known = holders.filter(({ userId }) => userId !== null)
  // The number that was written to may be another person's by the time of the answer.
  if (claim.proof === 'answer' && ownIdsOf(known).size > 1) return known[0]
  if (ids.length === 0) return new Set(known.map(({ userId }) => userId)).size > 1 ? known[0] : undefined
  // A statement names the old number of the person too: only the new one can be somebody else's.
  const phones = claim.proof === 'statement' ? [claim.person.phone] : claimedAddresses(claim).map(phoneOf)
  return known.find(
    (one) =>
      phones.some((phone) => phone !== null && has(one, phone)) && !ids.some((userId) => has(one, userId)),
  )
}

const ownIdsOf = (holders: readonly Holder[]): ReadonlySet<string | null> =>
  new Set(holders.map(({ userId }) => userId).filter((id) => id !== null && isOwnId(id)))

function planOf(claim: Claim, holders: readonly Holder[]): IdentityPlan {
  const { person } = claim
  const inOrder = [...holders].sort(byAge)
  // The history of a phone number continues. Of several, the oldest.
  const target = inOrder.find(({ address }) => phoneOf(address) !== null) ?? inOrder[0]
  const { late, address, addressAt } = addressIn(claim, holders, target)
  const aliases = new Set([...claimedAddresses(claim), ...holders.map((one) => one.address)])
  aliases.delete(address)
  const first = (of: (one: Holder) => string | null) => inOrder.map(of).find((id) => id !== null) ?? null
  return {
    target: target?.id ?? null,
    merged: inOrder.filter((one) => one !== target).map(({ id }) => id),
    recycled: null,
    address,
    addressAt,
    aliases: [...aliases],
    userId: late?.userId ?? person.userId ?? first(({ userId }) => userId),
    parentUserId: late?.parentUserId ?? person.parentUserId ?? first(({ parentUserId }) => parentUserId),
  }
}

/** `late`: the holder whose address stays, because what is told late does not bring back one that the person has left. */
function addressIn(claim: Claim, holders: readonly Holder[], target: Holder | undefined) {
  const { person, proof, at } = claim
  const latest = latestOf(holders)
  if (latest?.addressAt && at < latest.addressAt)
    return { late: latest, address: latest.address, addressAt: latest.addressAt }
  // Somebody who has a new id and hides the number has a new number, which is not known.
  if (target && person.phone === null && proof !== 'statement')
    return { late: undefined, address: target.address, addressAt: target.addressAt }
  const [address] = addressesOf(person)
  if (address === undefined) throw new Error('a person without any address')
  const isShown = phoneOf(address) !== null || proof === 'statement'
  return { late: undefined, address, addressAt: isShown ? at : null }
}

/** The holder whose address was shown last. */
const latestOf = (holders: readonly Holder[]): Holder | undefined =>
  holders.reduce<Holder | undefined>(
    (latest, one) => (timeOf(one) > timeOf(latest) ? one : latest),
    undefined,
  )

const timeOf = (holder: Holder | undefined): number =>
  holder?.addressAt?.getTime() ?? Number.NEGATIVE_INFINITY

/** Ids are made in the order of time. */
const byAge = (a: Holder, b: Holder): number => (a.id < b.id ? -1 : 1)
