// Finds number, contact and conversation of an update or a send. Creates the latter two if needed.
import { addressesOf, type Person } from '../../contract/person.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { spellingsOf } from '../../shared/address.ts'
import { Batcher } from '../../shared/batcher.ts'
import type { ConversationId, Uuid, WorkspaceId } from '../../shared/ids.ts'
import { Lru } from '../../shared/lru.ts'
import { type Claim, claimedAddresses, type Holder, identify, isAnotherNumber } from '../identity.ts'
import type { FingerprintKey } from '../opt-out-fingerprint.ts'
import { applyIdentity } from './contact-identity.ts'
import { aliasesAmong, contactsAt, isAnyKnown, locked } from './contacts-at.ts'
import type { ReadOptOutKey } from './kept-opt-outs.ts'
import {
  insertContact,
  type Known,
  type NumberIdentity,
  openConversation,
  type Wanted,
} from './new-contact.ts'

export interface Parties extends NumberIdentity {
  readonly contactId: Uuid
  readonly conversationId: ConversationId
  /** Under which the person is written to: digits, or a user id where no number is known. */
  readonly address: string
  readonly userId: string | null
  readonly username: string | null
}

export interface ContactsStore {
  /** Undefined where the number is not ours. Creates the contact and the conversation if needed. */
  resolveParties(from: {
    readonly phoneNumberId: string
    readonly person: Person
    /** The provider's time of the update: an older name does not replace a newer one. Default: now. */
    readonly at?: Date | undefined
    /** The provider's id of the group in which it was said: the conversation is then that of the group. */
    readonly groupId?: string | null | undefined
    readonly isFresh?: boolean | undefined
  }): Promise<Parties | undefined>
  /**
   * The same where the workspace's number is known already, as for an outbound message. `isFresh` asks the database:
   * the ids that are remembered may be those of a contact that was erased or merged since.
   */
  partiesOf(number: NumberIdentity, who: Omit<Who, 'isShown'>): Promise<Parties>
  findNumber(phoneNumberId: string): Promise<NumberIdentity | undefined>
  /** Learns that addresses are of one person, where one of them is known. */
  learn(workspaceId: WorkspaceId, claim: Claim): Promise<void>
}

interface Who {
  readonly person: Person
  readonly at?: Date | undefined
  readonly groupId?: string | null | undefined
  readonly isFresh?: boolean | undefined
  readonly isShown?: boolean | undefined
}

export interface ContactsOptions {
  readonly optOutKey: ReadOptOutKey
  /** Shared by stores on different pools. */
  readonly memory?: ContactMemory
}

export type ContactMemory = ReturnType<typeof createContactMemory>

/**
 * Ids, which an erasure or a merge gives up: what writes with them sees that, and asks again with `isFresh`. The names
 * only detect new ones.
 */
export const createContactMemory = (size = 20_000) => ({
  numbers: new Lru<NumberIdentity>(size),
  learnt: new Lru<true>(size),
  conversations: new Lru<Known>(size),
})

export function createContactsStore(sql: Pool, options: ContactsOptions): ContactsStore {
  const { numbers, learnt, conversations } = options.memory ?? createContactMemory()
  // Statuses of a campaign tell thousands at once, and later ones tell the same again: sends must not wait for them.
  const answers = new Batcher<Learning, boolean>({
    maxItems: 1,
    maxWaiting: 10_000,
    concurrency: 2,
    flush: (all) => Promise.all(all.map((one) => learnNow(sql, one, options.optOutKey))),
  })

  async function findNumber(phoneNumberId: string): Promise<NumberIdentity | undefined> {
    const cached = numbers.get(phoneNumberId)
    if (cached) return cached
    const [found] = await sql<NumberIdentity[]>`
      select workspace_id, id as number_id, number, phone_number_id
      from numbers
      where phone_number_id = ${phoneNumberId}`
    if (found) numbers.set(phoneNumberId, found)
    return found
  }

  async function partiesOf(
    number: NumberIdentity,
    { person, at = new Date(), groupId = null, isFresh = false, isShown = false }: Who,
  ): Promise<Parties> {
    const key = [number.numberId, groupId, ...addressesOf(person)].join(' ')
    const remembered = isFresh ? undefined : conversations.get(key)
    const isElsewhere = isShown && remembered && isAnotherNumber(person.phone, remembered.address)
    const cached = isElsewhere ? undefined : remembered
    const known =
      cached ??
      (await know(sql, number, { person, at, groupId, isShown, optOutKey: await options.optOutKey() }))
    if (!cached) conversations.set(key, known)
    const renamed = isRenamed(known, person, at) ? rename(known, key, { person, at }) : undefined
    if (!cached) await renamed
    return partiesIn(number, known, person)
  }

  // If the write fails, the next update with that name tries again.
  async function rename(
    known: Known,
    key: string,
    { person, at }: { readonly person: Person; readonly at: Date },
  ) {
    const name = person.name ?? known.name
    const username = person.username ?? known.username
    conversations.set(key, { ...known, name, username, nameAtMs: at.getTime() })
    try {
      await sql`
        update contacts set name = ${name}, username = ${username}, name_at = ${at}, updated_at = now()
        where id = ${known.contactId} and erased_at is null and coalesce(name_at, '-infinity') <= ${at}
          and (name is distinct from ${name} or username is distinct from ${username})`
    } catch {
      conversations.set(key, known)
    }
  }

  return {
    findNumber,
    partiesOf,
    // By name: every text passes here, and a rest and a spread cost microseconds in Node 20.
    async resolveParties({ phoneNumberId, person, at, groupId, isFresh }) {
      const number = await findNumber(phoneNumberId)
      return number && partiesOf(number, { person, at, groupId, isFresh, isShown: true })
    },
    async learn(workspaceId, claim) {
      if (claim.proof === 'statement') {
        await learnNow(sql, { workspaceId, claim }, options.optOutKey)
        return
      }
      const key = [workspaceId, ...claimedAddresses(claim)].join(' ')
      if (learnt.get(key)) return
      learnt.set(key, true)
      let isLearnt = false
      try {
        isLearnt = await answers.add({ workspaceId, claim })
      } finally {
        if (!isLearnt) learnt.delete(key)
      }
    },
  }
}

interface Learning {
  readonly workspaceId: WorkspaceId
  readonly claim: Claim
}

/** False where an answer names no address that is known. */
async function learnNow(
  sql: Pool,
  { workspaceId, claim }: Learning,
  readOptOutKey: ReadOptOutKey,
): Promise<boolean> {
  const asked = claimedAddresses(claim)
  // A statement may come before all that it is about, and nothing says it again.
  if (claim.proof !== 'statement' && !(await isAnyKnown(sql, workspaceId, asked))) return false
  const optOutKey = await readOptOutKey()
  for (let tries = 0; tries < 5; tries += 1) if (await settle(sql, workspaceId, claim, optOutKey)) return true
  throw new Error('the contacts of a statement changed again and again')
}

// Named one by one: to spread a row and the rest of another took more memory than all else about a message.
const partiesIn = (number: NumberIdentity, known: Known, person: Person): Parties => ({
  workspaceId: number.workspaceId,
  numberId: number.numberId,
  number: number.number,
  phoneNumberId: number.phoneNumberId,
  contactId: known.contactId,
  conversationId: known.conversationId,
  address: known.address,
  userId: person.userId ?? known.userId,
  username: person.username ?? known.username,
})

const isRenamed = (known: Known, { name, username }: Person, at: Date): boolean =>
  ((name !== null && name !== known.name) || (username !== null && username !== known.username)) &&
  at.getTime() >= known.nameAtMs

/** One statement for a person whose addresses are all known to be of one contact. */
async function know(sql: Pool, number: NumberIdentity, wanted: Wanted): Promise<Known> {
  for (let tries = 0; tries < 5; tries += 1) {
    const { holders, likely } = await holdersOf(sql, number, wanted)
    const element: Claim = { person: wanted.person, also: [], at: wanted.at, proof: 'element' }
    const holder = ownOf(wanted.person, holders)
    const isKnown = holder && (!wanted.isShown || identify(element, holders) === null)
    const known = isKnown
      ? await withConversation(sql, number, { holder, groupId: wanted.groupId })
      : await learnWho(sql, number, { wanted, element, likely, isNew: !holder })
    if (known) return known
  }
  throw new Error('the contact of an update changed again and again')
}

interface Unknown {
  readonly wanted: Wanted
  readonly element: Claim
  readonly likely: Found | undefined
  readonly isNew: boolean
}

/** Undefined where it is to be asked again: then another process has learnt whose address this is, perhaps. */
async function learnWho(
  sql: Pool,
  number: NumberIdentity,
  { wanted, element, likely, isNew }: Unknown,
): Promise<Known | undefined> {
  const guess: Claim | undefined = likely && { ...element, also: [likely.address], proof: 'answer' }
  const claim = guess && likely && identify(guess, [likely]) !== null ? guess : element
  if (isNew && claim === element && claimedAddresses(element).length === 1)
    return insertContact(sql, number, wanted)
  await settle(sql, number.workspaceId, claim, wanted.optOutKey)
  return undefined
}

/** Of two, one has the number by now that the person had when this was said: the user id tells which is the person. */
const ownOf = ({ userId }: Person, holders: readonly Found[]): Found | undefined =>
  holders.find(
    ({ address, aliases }) => userId !== null && (address === userId || aliases.includes(userId)),
  ) ?? holders[0]

type Found = Holder &
  Omit<Known, 'nameAtMs' | 'conversationId' | 'contactId'> & {
    readonly nameAt: Date | null
    readonly conversationId: ConversationId | null
  }

/** `likely`: the only contact with another spelling of the number, where nobody has the number itself. */
async function holdersOf(
  sql: Sql,
  number: NumberIdentity,
  { person, groupId }: Wanted,
): Promise<{ readonly holders: readonly Found[]; readonly likely: Found | undefined }> {
  const addresses = addressesOf(person)
  const asked = [...addresses, ...addresses.flatMap(spellingsOf)]
  // By the key of each row: a join that is planned while the tables are small reads all conversations of the number.
  const rows = await sql<Found[]>`
    select c.id, c.wa_id as address, c.address_at, c.user_id, c.parent_user_id, c.username, c.name, c.name_at,
      (
        select id from conversations v
        where v.number_id = ${number.numberId} and ${groupId === null ? sql`v.contact_id = c.id` : sql`v.group_id = ${groupId}`}
      ) as conversation_id,
      ${aliasesAmong(sql, number.workspaceId, asked)} as aliases
    from ${contactsAt(sql, number.workspaceId, asked)}
    cross join lateral (
      select * from contacts where id = contacts_at.id and erased_at is null offset 0
    ) c`
  const isExact = (one: Found) =>
    addresses.some((address) => one.address === address || one.aliases.includes(address))
  const holders = rows.filter(isExact)
  return { holders, likely: holders.length === 0 && rows.length === 1 ? rows[0] : undefined }
}

/** Undefined where the contact is gone meanwhile. */
async function withConversation(
  sql: Sql,
  number: NumberIdentity,
  { holder, groupId }: { readonly holder: Found; readonly groupId: string | null },
): Promise<Known | undefined> {
  const { id: contactId, address, userId, username, name, nameAt } = holder
  const conversationId =
    holder.conversationId ?? (await openConversation(sql, number, { contactId, groupId }))
  if (conversationId === undefined) return undefined
  return { contactId, conversationId, address, userId, username, name, nameAtMs: nameAt?.getTime() ?? 0 }
}

/**
 * Under locks on all addresses, so that two processes that learn of one person at the same time make one contact. False:
 * try again.
 */
async function settle(
  sql: Pool,
  workspaceId: WorkspaceId,
  claim: Claim,
  optOutKey: FingerprintKey | undefined,
): Promise<boolean> {
  const asked = claimedAddresses(claim)
  const settled = sql.begin(async (begun) => {
    const tx = begun as unknown as Sql
    await locked(tx, workspaceId, asked)
    const holders = await tx<Holder[]>`
      select c.id, c.wa_id as address, c.address_at, c.user_id, c.parent_user_id,
        ${aliasesAmong(tx, workspaceId, asked)} as aliases
      from contacts c
      where c.id in (select id from ${contactsAt(tx, workspaceId, asked)}) and c.erased_at is null
      order by c.id
      for update`
    const plan = identify(claim, holders)
    if (plan) await applyIdentity(tx, workspaceId, { plan, optOutKey })
    return true
  })
  // A contact with one of the addresses was made meanwhile, and is found the next time.
  return settled.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === '23505') return false
    throw error
  }) as Promise<boolean>
}
