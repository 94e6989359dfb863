// The files of inbound messages: which ones are still to be fetched, and where the others are stored.

import { type AccountColumns, type AccountOptions, toAccount } from '../../accounts/store/provider-account.ts'
import { isDue } from '../../platform/postgres/due.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { MediaJob, MediaState, MediaStore } from '../media.ts'

interface JobRow extends AccountColumns, Omit<MediaJob, 'account' | 'workspaceId'> {}

interface StateRow {
  readonly state: 'PENDING' | 'STORED' | 'LOST' | null
  readonly mimeType: string
  readonly fileName: string | null
  readonly sizeBytes: number
  readonly sha256: string
  readonly blobKey: string
}

export const createMediaStore = (sql: Sql, options: AccountOptions): MediaStore => ({
  async claimDue(limit) {
    const rows = await claim(
      sql,
      sql`
        select message_id from media
        where state = 'PENDING' and ${isDue(sql, 'fetch_due_at')}
        order by fetch_due_at
        limit ${limit}
        for update skip locked`,
    )
    return rows.map((row) => toJob(row, options))
  },

  async claim(id) {
    const [row] = await claim(
      sql,
      sql`
        select message_id from media
        where message_id = ${id} and state = 'PENDING' and ${isDue(sql, 'fetch_due_at')}
        for update skip locked`,
    )
    return row && toJob(row, options)
  },

  async stored(id, { sizeBytes, sha256, blobKey }) {
    const { count } = await sql`
      with stored as (
        update media
        set state = 'STORED', size_bytes = ${sizeBytes}, sha256 = ${sha256}, blob_key = ${blobKey}, fetch_due_at = null
        where message_id = ${id}
        returning message_id
      ),
      touched as (
        update messages
        set updated_at = clock_timestamp()
        where id in (select message_id from stored)
      )
      select from stored`
    return count > 0
  },

  async keep(job) {
    await sql`
      update media
      set fetch_due_at = now() + ${lease(sql)}
      where message_id = ${job.messageId} and state = 'PENDING' and fetch_attempts = ${job.attempts}`
  },

  async postpone(job, delayMs) {
    await sql`
      update media
      set fetch_due_at = now() + ${delayMs} * interval '1 millisecond'
      where message_id = ${job.messageId} and state = 'PENDING' and fetch_attempts = ${job.attempts}`
  },

  async giveUp(job) {
    await sql`
      update media
      set state = 'LOST', fetch_due_at = null
      where message_id = ${job.messageId} and state = 'PENDING' and fetch_attempts = ${job.attempts}`
  },

  async find(workspaceId, id): Promise<MediaState | undefined> {
    const [row] = await sql<StateRow[]>`
      select f.state, f.mime_type, f.file_name, f.size_bytes, f.sha256, f.blob_key
      from messages m
      left join media f on f.message_id = m.id
      where m.workspace_id = ${workspaceId} and m.id = ${id}`
    if (!row) return undefined
    const { state, ...file } = row
    return state === 'STORED' ? { state, ...file } : { state: state ?? 'NONE' }
  },
})

/** A process that does not renew its lease within this time counts as dead. */
const lease = (sql: Sql) => sql`interval '30 seconds'`

const claim = (sql: Sql, due: ReturnType<Sql>) => sql<JobRow[]>`
  with claimed as (
    update media
    set fetch_due_at = now() + ${lease(sql)}, fetch_attempts = fetch_attempts + 1
    where message_id in (${due})
    returning message_id, workspace_id, provider_media_id, sha256, created_at, fetch_attempts
  )
  select f.message_id, f.workspace_id, f.provider_media_id, f.sha256, f.created_at, f.fetch_attempts as attempts,
    n.phone_number_id, w.waba_id, w.provider_token
  from claimed f
  join messages m on m.id = f.message_id
  join numbers n on n.id = m.number_id
  join workspaces w on w.id = f.workspace_id`

const toJob = (row: JobRow, options: AccountOptions): MediaJob => ({
  messageId: row.messageId,
  workspaceId: row.workspaceId,
  providerMediaId: row.providerMediaId,
  sha256: row.sha256,
  createdAt: row.createdAt,
  attempts: row.attempts,
  account: toAccount(row, options),
})
