// Takes the files of messages away. The files themselves are left to the sweep of deleted files.
import type { Sql } from '../../platform/postgres/sql.ts'
import type { Uuid, WorkspaceId } from '../../shared/ids.ts'

/** Longer than all waits of a download together: one that has begun ends within this time, and may write the file after it was deleted. */
export const downloadTime = '15 minutes'

/** Returns how many there were. The file of an upload goes with the last message that has it. */
export async function deleteFiles(
  sql: Sql,
  workspaceId: WorkspaceId,
  { ids, jobId }: { readonly ids: readonly Uuid[]; readonly jobId: Uuid | null },
): Promise<number> {
  // Two that delete the last messages with one file wait for each other, so that one of them finds it unused.
  await sql`
    select from uploads
    where workspace_id = ${workspaceId} and id in (
      select upload_id from media where message_id = any(${ids as Uuid[]}::uuid[]) and upload_id is not null)
    order by id
    for update`
  const deleted = await sql`
    with deleted as (
      delete from media
      where message_id = any(${ids as Uuid[]}::uuid[]) and workspace_id = ${workspaceId}
      returning message_id, workspace_id, blob_key, state, upload_id
    ),
    unused as (
      delete from uploads u
      where id in (select upload_id from deleted) and workspace_id = ${workspaceId} and not exists (
        select from media other where other.upload_id = u.id and other.message_id <> all(${ids as Uuid[]}::uuid[]))
      returning blob_key
    ),
    gone as (
      insert into blob_deletions (key, job_id, again_at)
      select coalesce(blob_key, workspace_id || '/' || message_id), ${jobId}::uuid,
        case when state = 'PENDING' then now() + ${downloadTime}::interval end
      from deleted
      where upload_id is null
      union all
      select blob_key, ${jobId}::uuid, null from unused
      on conflict (key) do nothing
    )
    select from deleted`
  return deleted.count
}
