// Finds number, contact and conversation of an update or a send. Creates the latter two if needed.

import type { Sql } from '../../platform/postgres/sql.ts'
import type { ConversationId, NumberId, Uuid, WorkspaceId } from '../../shared/ids.ts'
import { Lru } from '../../shared/lru.ts'
import type { FingerprintKey } from '../opt-out-fingerprint.ts'
import { isKeptOptOut, keptOptOutTime, type ReadOptOutKey } from './kept-opt-outs.ts'

export interface NumberIdentity {
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  /** E.164 with a plus. */
  readonly number: string
  /** The number's id at the provider. */
  readonly phoneNumberId: string
}

export interface Parties extends NumberIdentity {
  readonly contactId: Uuid
  readonly conversationId: ConversationId
  /** The customer's number as digits. */
  readonly waId: string
}

export interface Named {
  readonly name: string
  readonly at: Date
}

export interface ContactsStore {
  /** Undefined where the number is not ours. Creates the contact and the conversation if needed. */
  resolveParties(from: {
    readonly phoneNumberId: string
    readonly waId: string
    /** Profile name, where the update carries one. */
    readonly name: string | null
    /** The provider's time of the update: an older name does not replace a newer one. Default: now. */
    readonly at?: Date
    /** The provider's id of the group in which it was said: the conversation is then that of the group. */
    readonly groupId?: string | null
    readonly isFresh?: boolean
  }): Promise<Parties | undefined>
  /**
   * The same where the workspace's number is known already, as for an outbound message. `isFresh` asks the database:
   * the ids that are remembered may be those of a contact that was erased since.
   */
  partiesOf(
    number: NumberIdentity,
    who: {
      readonly waId: string
      readonly named: Named | null
      readonly groupId?: string | null
      readonly isFresh?: boolean
    },
  ): Promise<Parties>
  findNumber(phoneNumberId: string): Promise<NumberIdentity | undefined>
}

interface Known {
  readonly contactId: Uuid
  readonly conversationId: ConversationId
  readonly name: string | null
  /** The provider's time of the name, in milliseconds; 0 where it is not known. */
  readonly nameAtMs: number
}

export interface ContactsOptions {
  readonly optOutKey: ReadOptOutKey
  readonly cacheSize?: number
}

/**
 * Caches only ids. They never change, but an erasure gives them up: what writes with them sees that, and asks again
 * with `isFresh`. The cached name only detects a new name.
 */
export function createContactsStore(sql: Sql, options: ContactsOptions): ContactsStore {
  const size = options.cacheSize ?? 20_000
  const numbers = new Lru<NumberIdentity>(size)
  const conversations = new Lru<Known>(size)

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

  const partiesOf: ContactsStore['partiesOf'] = async (
    number,
    { waId, named, groupId = null, isFresh = false },
  ) => {
    const key = `${number.numberId}:${waId}:${groupId ?? ''}`
    let known = isFresh ? undefined : conversations.get(key)
    if (!known) {
      known = await upsert(sql, number, { waId, named, groupId, optOutKey: await options.optOutKey() })
      conversations.set(key, known)
    } else if (named !== null && named.name !== known.name && named.at.getTime() >= known.nameAtMs) {
      rename(known, key, named)
    }
    const { contactId, conversationId } = known
    return { ...number, contactId, conversationId, waId }
  }

  // Not awaited, since nothing depends on it. If the write fails, the next update with that name tries again.
  function rename(known: Known, key: string, { name, at }: Named): void {
    conversations.set(key, { ...known, name, nameAtMs: at.getTime() })
    sql`
      update contacts set name = ${name}, name_at = ${at}, updated_at = now()
      where id = ${known.contactId} and name is distinct from ${name} and erased_at is null
        and coalesce(name_at, '-infinity') <= ${at}`.catch(() => conversations.set(key, known))
  }

  return {
    findNumber,
    partiesOf,
    async resolveParties({ phoneNumberId, waId, name, at = new Date(), groupId = null, isFresh = false }) {
      const number = await findNumber(phoneNumberId)
      const named = name === null ? null : { name, at }
      return number && partiesOf(number, { waId, named, groupId, isFresh })
    },
  }
}

interface Wanted {
  readonly waId: string
  readonly named: Named | null
  readonly groupId: string | null
  readonly optOutKey: FingerprintKey | undefined
}

/** A contact who was erased and comes back is as opted out as before. */
async function upsert(sql: Sql, number: NumberIdentity, wanted: Wanted): Promise<Known> {
  const { waId, named, optOutKey } = wanted
  const person = { workspaceId: number.workspaceId, waId: sql`${waId}::text` }
  const isNewer = sql`
    excluded.name is not null and coalesce(contacts.name_at, '-infinity') <= excluded.name_at`
  // `do update` without a change, because `do nothing` would not return a row that exists already.
  const [known] = await sql<(Omit<Known, 'nameAtMs'> & { nameAt: Date | null })[]>`
    with contact as (
      insert into contacts (id, workspace_id, wa_id, name, name_at, opt_state, opt_changed_at)
      values (new_uuid(), ${number.workspaceId}, ${waId}, ${named?.name ?? null}, ${named?.at ?? null},
        case when ${isKeptOptOut(sql, optOutKey, person)} then 'opted-out' end,
        ${keptOptOutTime(sql, optOutKey, person)})
      on conflict (workspace_id, wa_id) do update
        set name = case when ${isNewer} then excluded.name else contacts.name end,
          name_at = case when ${isNewer} then excluded.name_at else contacts.name_at end,
          updated_at = case
            when ${isNewer} and excluded.name is distinct from contacts.name then now()
            else contacts.updated_at
          end
      returning id, name, name_at
    )
    ${conversationOf(sql, number, wanted)}
    returning id as conversation_id, (select id from contact) as contact_id, (select name from contact) as name,
      (select name_at from contact) as name_at`
  if (!known) throw new Error('an upsert returned no row')
  const { nameAt, ...ids } = known
  return { ...ids, nameAtMs: nameAt?.getTime() ?? 0 }
}

/** `do update` without a change, because `do nothing` would not return a row that exists already. */
const conversationOf = (sql: Sql, { workspaceId, numberId }: NumberIdentity, { groupId }: Wanted) =>
  groupId === null
    ? sql`
      insert into conversations (id, workspace_id, number_id, contact_id)
      select new_uuid(), ${workspaceId}::uuid, ${numberId}::uuid, contact.id
      from contact
      on conflict (number_id, contact_id) do update set contact_id = excluded.contact_id`
    : sql`
      insert into conversations (id, workspace_id, number_id, group_id)
      select new_uuid(), ${workspaceId}::uuid, ${numberId}::uuid, ${groupId}::text
      from contact
      on conflict (number_id, group_id) where group_id is not null do update set group_id = excluded.group_id`
