// The settings of a workspace, as its members see and change them.
import type { WorkspaceAdministration, WorkspacePatch } from '../../contract/administration.ts'
import type { WorkspaceRecord } from '../../contract/records/console.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { encodeId, type WorkspaceId } from '../../shared/ids.ts'
import { writeAudit } from './audit.store.ts'

interface Row {
  readonly id: WorkspaceId
  readonly name: string
  readonly status: WorkspaceRecord['status']
  readonly wabaId: string | null
  readonly hasOwnToken: boolean
  readonly contentDays: number | null
  readonly createdAt: Date
}

export const createWorkspaceAdminStore = (pool: Pool): WorkspaceAdministration => ({
  async find(id) {
    const row = await find(pool, id)
    return row && toRecord(row)
  },

  edit(author, patch) {
    return pool.begin(async (sql) => {
      const before = await find(sql, author.workspaceId, sql`for no key update`)
      if (before === undefined) return undefined
      const { name = before.name, contentDays = before.contentDays } = patch
      await sql`
        update workspaces
        set name = ${name}, content_days = ${contentDays}, updated_at = now()
        where id = ${before.id}`
      await writeAudit(sql, author, {
        action: 'workspace.edited',
        subjectKind: 'workspace',
        subjectId: before.id,
        before: shown(before, patch),
        after: shown({ name, contentDays }, patch),
      })
      return toRecord({ ...before, name, contentDays })
    })
  },
})

/** What the patch names. */
const shown = ({ name, contentDays }: Pick<Row, 'name' | 'contentDays'>, patch: WorkspacePatch) => ({
  ...(patch.name !== undefined && { name }),
  ...(patch.contentDays !== undefined && { contentDays }),
})

async function find(sql: Sql, id: WorkspaceId, lock = sql``): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`
    select id, name, status, waba_id, provider_token is not null as has_own_token, content_days, created_at
    from workspaces
    where id = ${id} ${lock}`
  return row
}

const toRecord = ({ id, createdAt, ...row }: Row): WorkspaceRecord => ({
  ...row,
  id: encodeId('workspace', id),
  createdAt: createdAt.toISOString(),
})
