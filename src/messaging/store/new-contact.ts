// Creates a contact with its conversation.
import { addressesOf, type Person } from '../../contract/person.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { spellingsOf } from '../../shared/address.ts'
import type { ConversationId, NumberId, Uuid, WorkspaceId } from '../../shared/ids.ts'
import type { FingerprintKey } from '../opt-out-fingerprint.ts'
import { locked } from './contacts-at.ts'
import { isKeptOptOut, keptMarketing, keptOptOutTime } from './kept-opt-outs.ts'

export interface NumberIdentity {
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  /** E.164 with a plus. */
  readonly number: string
  /** The number's id at the provider. */
  readonly phoneNumberId: string
}

export interface Known {
  readonly contactId: Uuid
  readonly conversationId: ConversationId
  readonly address: string
  readonly userId: string | null
  readonly username: string | null
  readonly name: string | null
  /** The provider's time of the name, in milliseconds; 0 where it is not known. */
  readonly nameAtMs: number
}

export interface Wanted {
  readonly person: Person
  readonly at: Date
  readonly groupId: string | null
  /** The provider has shown the person so; false: somebody is written to there, which proves nothing. */
  readonly isShown: boolean
  readonly optOutKey: FingerprintKey | undefined
}

/**
 * A contact who was erased and comes back is as opted out as before. Undefined where the address is by now another
 * contact's alias.
 */
export async function insertContact(
  sql: Pool,
  number: NumberIdentity,
  { person, at, groupId, optOutKey }: Wanted,
): Promise<Known | undefined> {
  const [address] = addressesOf(person)
  if (address === undefined) throw new Error('a person without any address')
  const { workspaceId } = number
  const erased = { workspaceId, addresses: sql`${[address, ...spellingsOf(address)]}::text[]` }
  // The lock is of its own, so that the address cannot become an alias of another contact unseen.
  const insert = (tx: Sql) => tx<Inserted[]>`
    with contact as (
      insert into contacts (id, workspace_id, wa_id, user_id, parent_user_id, username, name, name_at, opt_state,
        opt_changed_at, marketing_opt_out_at, marketing_changed_at)
      select new_uuid(), ${workspaceId}::uuid, ${address}::text, ${person.userId}::text, ${person.parentUserId}::text,
        ${person.username}::text, ${person.name}::text,
        ${person.name === null && person.username === null ? null : at}::timestamptz,
        case when ${isKeptOptOut(sql, optOutKey, erased)} then 'opted-out' end,
        ${keptOptOutTime(sql, optOutKey, erased)}, ${keptOptOutTime(sql, optOutKey, erased, keptMarketing)},
        ${keptOptOutTime(sql, optOutKey, erased, keptMarketing)}
      on conflict (workspace_id, wa_id) do update set updated_at = contacts.updated_at
      returning id, wa_id, user_id, username, name, name_at
    ),
    conversation as (
      ${conversationOf(sql, number, groupId)}
      returning id
    )
    select contact.id as contact_id, conversation.id as conversation_id, contact.wa_id as address, contact.user_id,
      contact.username, contact.name, contact.name_at
    from contact
    cross join conversation`
  // After it, so that it sees what others have committed while that one waited.
  const aliases = (tx: Sql) => tx`
    select from contact_aliases where workspace_id = ${workspaceId} and address = ${address}`
  const [, [row], { count: others }] = await sql.begin((begun) => {
    const tx = begun as unknown as Sql
    return [locked(tx, workspaceId, [address]), insert(tx), aliases(tx)] as const
  })
  if (!row || others > 0) return undefined
  const { nameAt, ...known } = row
  return { ...known, nameAtMs: nameAt?.getTime() ?? 0 }
}

type Inserted = Omit<Known, 'nameAtMs'> & { readonly nameAt: Date | null }

/**
 * Undefined where the contact is gone. Locks the contact first, as a merge does: one that comes in between would wait
 * for the other's key.
 */
export async function openConversation(
  sql: Sql,
  number: NumberIdentity,
  { contactId, groupId }: { readonly contactId: Uuid; readonly groupId: string | null },
): Promise<ConversationId | undefined> {
  const [row] = await sql<{ id: ConversationId }[]>`
    with contact as (
      select id from contacts
      where id = ${contactId} and workspace_id = ${number.workspaceId} and erased_at is null
      for key share
    )
    ${conversationOf(sql, number, groupId)}
    returning id`
  return row?.id
}

/**
 * `do update` without a change, because `do nothing` would not return a row that exists already. Of no column of a key:
 * that would lock out the foreign keys of others.
 */
const conversationOf = (sql: Sql, { workspaceId, numberId }: NumberIdentity, groupId: string | null) =>
  groupId === null
    ? sql`
      insert into conversations (id, workspace_id, number_id, contact_id)
      select new_uuid(), ${workspaceId}::uuid, ${numberId}::uuid, contact.id
      from contact
      on conflict (number_id, contact_id) do update set updated_at = conversations.updated_at`
    : sql`
      insert into conversations (id, workspace_id, number_id, group_id)
      select new_uuid(), ${workspaceId}::uuid, ${numberId}::uuid, ${groupId}::text
      from contact
      on conflict (number_id, group_id) where group_id is not null
      do update set updated_at = conversations.updated_at`
