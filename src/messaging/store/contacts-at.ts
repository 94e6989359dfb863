// The contacts of addresses.
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import type { WorkspaceId } from '../../shared/ids.ts'

/**
 * A table of `id`: the contacts that are, or were, known by one of these numbers or user ids. Asked for one by one: a
 * plan for any number of addresses reads all contacts, if it was made while they were few.
 */
export const contactsAt = (
  sql: Sql,
  workspaceId: WorkspaceId,
  addresses: readonly string[],
): Fragment => sql`(
  select found.id
  from unnest(${addresses as string[]}::text[]) as asked (address)
  cross join lateral (
    select id from contacts where workspace_id = ${workspaceId} and wa_id = asked.address
    union all
    select contact_id from contact_aliases where workspace_id = ${workspaceId} and address = asked.address
    offset 0
  ) found
  group by found.id
) contacts_at`

/** Whoever gives these addresses to a contact waits for the end of the transaction. */
export const locked = (sql: Sql, workspaceId: WorkspaceId, addresses: readonly string[]) => sql`
  select pg_advisory_xact_lock(key)
  from (
    select distinct hashtextextended(${workspaceId}::text || ' ' || address, 0) as key
    from unnest(${addresses as string[]}::text[]) as address
    order by key
  ) keys`

/** An array: those of these addresses that the contact `c` has besides the one under which it is written to. */
export const aliasesAmong = (
  sql: Sql,
  workspaceId: WorkspaceId,
  addresses: readonly string[],
): Fragment => sql`
  array(
    select address from contact_aliases
    where workspace_id = ${workspaceId} and address = any(${addresses as string[]}::text[]) and contact_id = c.id
  )`

export async function isAnyKnown(
  sql: Sql,
  workspaceId: WorkspaceId,
  addresses: readonly string[],
): Promise<boolean> {
  const found = await sql`select from ${contactsAt(sql, workspaceId, addresses)} limit 1`
  return found.count > 0
}
