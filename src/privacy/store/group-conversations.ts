// Groups belong to nobody: their conversations stay when somebody who wrote there is erased.
import type { Sql } from '../../platform/postgres/sql.ts'
import type { Uuid, WorkspaceId } from '../../shared/ids.ts'

/** Where the last message is gone, the one before it that is shown becomes the last. */
export async function showWhatIsLeft(sql: Sql, workspaceId: WorkspaceId): Promise<void> {
  const isGone = sql`
    c.last_message_id is not null and not exists (select from messages where id = c.last_message_id)`
  const groups = await sql<{ id: Uuid }[]>`
    select c.id
    from conversations c
    join numbers n on n.id = c.number_id
    where n.workspace_id = ${workspaceId} and c.group_id is not null and ${isGone}
    order by c.id
    for update of c`
  if (groups.length === 0) return
  // A statement of its own, after the locks: what was written before them is seen.
  await sql`
    update conversations c
    set (last_message_id, last_message_at) = (
      select m.id, m.created_at
      from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = c.id
        and m.type not in ('EDIT', 'REVOKE', 'SYSTEM')
        and (m.type <> 'REACTION' or m.details -> 'reaction' ->> 'removed' = 'false')
      order by m.id desc
      limit 1)
    where c.id = any(${groups.map(({ id }) => id)}::uuid[]) and c.workspace_id = ${workspaceId} and ${isGone}`
}
