// Who a job is about: whoever has the address, with all addresses, and the empty rows of those that became part of them.
import { contactsAt } from '../../messaging/store/contacts-at.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { spellingsOf } from '../../shared/address.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { ClaimedJob } from '../ports.ts'

export interface JobPerson {
  /**
   * Mostly one, that with the address of the job first; two where each has one spelling of a number; none where nobody of
   * this address ever wrote or was written to: then it can only be on lists of campaigns.
   */
  readonly contacts: readonly { readonly id: Uuid; readonly waId: string }[]
  /** Those that were merged into them. */
  readonly mergedIds: readonly Uuid[]
  /** Of both. */
  readonly contactIds: readonly Uuid[]
  /** Every number, in every spelling, and every user id; that of the job included. */
  readonly addresses: readonly string[]
}

export async function personOf(
  sql: Sql,
  { workspaceId, address }: Pick<ClaimedJob, 'workspaceId' | 'address'>,
): Promise<JobPerson> {
  const { contacts, addresses } = await contactsOf(sql, { workspaceId, address })
  const ids = contacts.map(({ id }) => id)
  const merged = await sql<{ id: Uuid }[]>`
    select id from contacts where merged_into = any(${ids}::uuid[]) and workspace_id = ${workspaceId}`
  const mergedIds = merged.map(({ id }) => id)
  return { contacts, mergedIds, contactIds: [...ids, ...mergedIds], addresses }
}

interface Found {
  readonly id: Uuid
  readonly waId: string
  readonly aliases: string[]
}

/** A contact that has another spelling of an address is the same person, as it is for a send, and its addresses are too. */
async function contactsOf(
  sql: Sql,
  { workspaceId, address }: Pick<ClaimedJob, 'workspaceId' | 'address'>,
): Promise<{ readonly contacts: readonly Found[]; readonly addresses: readonly string[] }> {
  for (let addresses = inEverySpelling([address]); ; ) {
    const contacts = await sql<Found[]>`
      select c.id, c.wa_id,
        array(select address from contact_aliases where contact_id = c.id and workspace_id = ${workspaceId}) as aliases
      from ${contactsAt(sql, workspaceId, addresses)}
      cross join lateral (select id, wa_id from contacts where id = contacts_at.id offset 0) c
      order by c.id`
    const found = inEverySpelling([address, ...contacts.flatMap(({ waId, aliases }) => [waId, ...aliases])])
    if (found.every((one) => addresses.includes(one))) {
      const isAsked = ({ waId, aliases }: Found) => waId === address || aliases.includes(address)
      return { contacts: contacts.toSorted((a, b) => Number(isAsked(b)) - Number(isAsked(a))), addresses }
    }
    addresses = found
  }
}

const inEverySpelling = (addresses: readonly string[]): string[] => [
  ...new Set(addresses.flatMap((address) => [address, ...spellingsOf(address)])),
]
