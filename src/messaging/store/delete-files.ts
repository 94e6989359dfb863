// Takes the files of messages away. The files themselves are left to the sweep of deleted files.
import type { Sql } from '../../platform/postgres/sql.ts'
import type { Uuid, WorkspaceId } from '../../shared/ids.ts'

/** A download that has begun ends within this time, and may write the file after it was deleted. */
export const downloadTime = '10 minutes'

/** Returns how many there were. */
export async function deleteFiles(
  sql: Sql,
  workspaceId: WorkspaceId,
  { ids, jobId }: { readonly ids: readonly Uuid[]; readonly jobId: Uuid | null },
): Promise<number> {
  const deleted = await sql`
    with deleted as (
      delete from media
      where message_id = any(${ids as Uuid[]}::uuid[]) and workspace_id = ${workspaceId}
      returning message_id, workspace_id, blob_key, state
    )
    insert into blob_deletions (key, job_id, again_at)
    select coalesce(blob_key, workspace_id || '/' || message_id), ${jobId}::uuid,
      case when state = 'PENDING' then now() + ${downloadTime}::interval end
    from deleted
    on conflict (key) do nothing`
  return deleted.count
}
