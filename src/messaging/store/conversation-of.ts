// The conversation of a contact and a number, which is made with the first that is said.
import type { Sql } from '../../platform/postgres/sql.ts'
import type { ConversationId, Uuid } from '../../shared/ids.ts'
import type { NumberIdentity } from './contacts.store.ts'

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
export const conversationOf = (
  sql: Sql,
  { workspaceId, numberId }: NumberIdentity,
  groupId: string | null,
) =>
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
