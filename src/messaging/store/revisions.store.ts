// Changes the record of a message that its sender has edited or taken back.
import type { Sql } from '../../platform/postgres/sql.ts'
import type { MessageId, WorkspaceId } from '../../shared/ids.ts'
import { type Revisable, type Revising, revisedBy } from '../revision.ts'
import { deleteFiles } from './delete-files.ts'

/** The provider's id of the message that a message of type EDIT or REVOKE changes, as in the index. */
export const revisedId = (sql: Sql, row: string) => sql`
  coalesce(${sql(row)}.details -> 'edit', ${sql(row)}.details -> 'revoke') ->> 'providerMessageId'`

interface Target {
  readonly workspaceId: WorkspaceId
  readonly providerMessageId: string
}

interface Original extends Revisable {
  readonly id: MessageId
  readonly version: string
  /** Its content is older than the workspace keeps it. */
  readonly isEmptied: boolean
}

/**
 * Of an inbound message that is known, with all edits that are. Repeating it changes nothing. Another process may revise
 * or mark the message meanwhile: then it is read again.
 */
export async function revise(sql: Sql, target: Target): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) if (await reviseOnce(sql, target)) return
  throw new Error('a message changed again and again while it was revised')
}

async function reviseOnce(sql: Sql, { workspaceId, providerMessageId }: Target): Promise<boolean> {
  const [original] = await sql<Original[]>`
    select id, text, details, xmin::text as version,
      coalesce(id <= (select content_removed_to from workspaces where id = ${workspaceId}), false) as is_emptied
    from messages
    where provider_message_id = ${providerMessageId} and workspace_id = ${workspaceId} and direction = 'INBOUND'`
  if (!original) return true
  const changes = await sql<(Revising & { id: MessageId })[]>`
    select id, type, text, details, created_at as at
    from messages e
    where e.type in ('EDIT', 'REVOKE') and e.workspace_id = ${workspaceId}
      and ${revisedId(sql, 'e')} = ${providerMessageId}
    order by created_at, id`
  // An edit that comes late must not bring the content back for good.
  const taken = original.isEmptied ? changes.filter(({ type }) => type === 'REVOKE') : changes
  const revised = revisedBy(original, taken)
  if (revised) {
    // Of the columns that the trigger of updated_at looks at none changes.
    const { count } = await sql`
      update messages
      set text = ${revised.text}, details = ${sql.json(revised.details as never)}, updated_at = clock_timestamp()
      where id = ${original.id} and workspace_id = ${workspaceId} and xmin::text = ${original.version}`
    if (count === 0) return false
  }
  const isRevoked = revised?.details?.revoked ?? original.details?.revoked
  if (isRevoked) await hide(sql, workspaceId, { id: original.id, edits: changes.map(({ id }) => id) })
  return true
}

/** The file, and what edits repeat. */
async function hide(
  sql: Sql,
  workspaceId: WorkspaceId,
  { id, edits }: { readonly id: MessageId; readonly edits: readonly MessageId[] },
): Promise<void> {
  await deleteFiles(sql, workspaceId, { ids: [id], jobId: null })
  await sql`
    update messages
    set text = '', updated_at = clock_timestamp()
    where id = any(${edits as MessageId[]}::uuid[]) and workspace_id = ${workspaceId} and text <> ''`
}
