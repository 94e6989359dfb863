// Deletes messages with their files. The files themselves are left to the sweep of deleted files.
import { deleteFiles } from '../../messaging/store/delete-files.ts'
import { eraseElementsOf } from '../../platform/postgres/inbound-elements.store.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { ClaimedJob } from '../ports.ts'
import { deleteExportFiles } from './export.store.ts'

const messagesAtOnce = 200

/** A message that may be on its way to the provider is waited for: at most a minute, then its outcome is unknown. */
export async function eraseMessages(task: {
  readonly sql: Sql
  readonly job: Pick<ClaimedJob, 'id' | 'workspaceId'>
  readonly contactId: Uuid
}) {
  const { sql, job, contactId } = task
  const { workspaceId } = job
  const found = await sql<{ id: Uuid }[]>`
    select id
    from messages
    where workspace_id = ${workspaceId} and contact_id = ${contactId} and send_state is distinct from 'SENDING'
    order by id desc
    limit ${messagesAtOnce}
    for update skip locked`
  if (found.length === 0) {
    const left = await sql`
      select from messages where workspace_id = ${workspaceId} and contact_id = ${contactId} limit 1`
    return { result: left.count > 0 ? 'wait' : 'next' } as const
  }
  const ids = found.map(({ id }) => id)
  const files = await deleteFiles(sql, workspaceId, { ids, jobId: job.id })
  await eraseElementsOf(sql, workspaceId, ids)
  await sql`delete from messages where id = any(${ids}::uuid[]) and workspace_id = ${workspaceId}`
  return { result: 'again', counts: { messages: ids.length, files } } as const
}

/** An export of somebody who is erased is gone too. Returns how many files that were. */
export async function expireExports(
  sql: Sql,
  { workspaceId }: Pick<ClaimedJob, 'workspaceId'>,
  addresses: readonly string[],
): Promise<number> {
  const expired = await sql`
    with expired as (
      update contact_jobs
      set status = 'EXPIRED', address = null, completed_at = coalesce(completed_at, now()), claim = claim + 1
      where workspace_id = ${workspaceId} and kind = 'EXPORT' and address = any(${addresses as string[]}::text[])
      returning id, workspace_id, claim
    ),
    files as (
      ${deleteExportFiles(sql, { ended: 'expired' })}
    )
    select from expired`
  return expired.count
}
