// Files that are to be deleted from the blob store.
import { isDue } from '../../platform/postgres/due.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { FileDeletions } from '../delete-files.ts'

export const createFileDeletionStore = (sql: Sql): FileDeletions => ({
  async claimDue(limit) {
    const rows = await sql<{ key: string }[]>`
      update blob_deletions
      set due_at = now() + interval '1 minute'
      where key in (
        select key from blob_deletions where ${isDue(sql, 'due_at')} order by due_at limit ${limit} for update skip locked)
      returning key`
    return rows.map(({ key }) => key)
  },

  async deleted(key) {
    await sql`
      with later as (
        update blob_deletions set due_at = again_at where key = ${key} and again_at > now()
      )
      delete from blob_deletions where key = ${key} and coalesce(again_at, '-infinity') <= now()`
  },
})
