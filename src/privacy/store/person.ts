// Who a job is about: a contact with all its addresses, and the empty rows of those that became part of it.
import type { Sql } from '../../platform/postgres/sql.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { ClaimedJob } from '../ports.ts'

export interface JobPerson {
  /** Null where nobody of this address ever wrote or was written to: then it can only be on lists of campaigns. */
  readonly contactId: Uuid | null
  /** The contact, and those that were merged into it. */
  readonly contactIds: readonly Uuid[]
  /** Every number and user id, that of the job included. */
  readonly addresses: readonly string[]
}

export async function personOf(
  sql: Sql,
  { workspaceId, address }: Pick<ClaimedJob, 'workspaceId' | 'address'>,
): Promise<JobPerson> {
  const [row] = await sql<{ contactId: Uuid | null; merged: Uuid[] | null; addresses: string[] | null }[]>`
    with person as (
      select coalesce(
        (select id from contacts where workspace_id = ${workspaceId} and wa_id = ${address}),
        (select contact_id from contact_aliases where workspace_id = ${workspaceId} and address = ${address})
      ) as id
    )
    select person.id as contact_id,
      array(select c.id from contacts c where c.merged_into = person.id and c.workspace_id = ${workspaceId}) as merged,
      array(
        select c.wa_id from contacts c where c.id = person.id and c.workspace_id = ${workspaceId}
        union
        select a.address from contact_aliases a where a.contact_id = person.id and a.workspace_id = ${workspaceId}
        union
        -- In another spelling on the list of a campaign.
        select r.wa_id from recipients r where r.contact_id = person.id and r.workspace_id = ${workspaceId}
      ) as addresses
    from person`
  const contactId = row?.contactId ?? null
  return {
    contactId,
    contactIds: contactId === null ? [] : [contactId, ...(row?.merged ?? [])],
    addresses: [...new Set([address, ...(row?.addresses ?? [])])],
  }
}
