// Files that are uploaded for messages to come. A file whose upload breaks off is left to the sweep of deleted files.

import { type AccountColumns, type AccountOptions, toAccount } from '../../accounts/store/provider-account.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { NumberId } from '../../shared/ids.ts'
import type { UploadStore } from '../store-upload.ts'

export const createUploadStore = (sql: Sql, options: AccountOptions): UploadStore => ({
  async sender(workspaceId, from) {
    const numberId = from && 'numberId' in from ? from.numberId : null
    const number = from && 'number' in from ? from.number : null
    const [row] = await sql<(AccountColumns & { numberId: NumberId })[]>`
      select w.id as workspace_id, n.id as number_id, n.phone_number_id, w.waba_id, w.provider_token
      from numbers n
      join workspaces w on w.id = n.workspace_id
      where n.workspace_id = ${workspaceId} and case
        when ${numberId}::uuid is not null then n.id = ${numberId}::uuid
        when ${number}::text is not null then n.number = ${number}::text
        else n.is_default
      end`
    return row && { numberId: row.numberId, account: toAccount(row, options) }
  },

  async begin(blobKey) {
    await sql`insert into blob_deletions (key, due_at) values (${blobKey}, now() + interval '1 day')`
  },

  async abandon(blobKey) {
    await sql`update blob_deletions set due_at = now() where key = ${blobKey}`
  },

  async keep(upload, workspaceId) {
    const [kept] = await sql<{ expiresAt: Date }[]>`
      with spared as (
        delete from blob_deletions where key = ${upload.blobKey} returning key
      )
      insert into uploads (id, workspace_id, number_id, provider_media_id, mime_type, file_name, size_bytes, sha256,
        blob_key, created_at, expires_at)
      select ${upload.id}::uuid, w.id, ${upload.numberId}::uuid, ${upload.providerMediaId}, ${upload.mimeType},
        ${upload.fileName}, ${upload.sizeBytes}::bigint, ${upload.sha256}, spared.key, ${upload.createdAt}::timestamptz,
        ${upload.createdAt}::timestamptz + least(w.content_days, 30) * interval '1 day'
      from workspaces w
      cross join spared
      where w.id = ${workspaceId}
      returning expires_at`
    if (!kept) throw new Error('an upload took so long that its file was deleted')
    return kept.expiresAt
  },
})
