// The settings of a workspace, as its members see and change them.
import type { WorkspaceAdministration } from '../../contract/administration.ts'
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
  readonly createdAt: Date
}

export const createWorkspaceAdminStore = (pool: Pool): WorkspaceAdministration => ({
  async find(id) {
    const row = await find(pool, id)
    return row && toRecord(row)
  },

  rename(author, name) {
    return pool.begin(async (sql) => {
      const before = await find(sql, author.workspaceId, sql`for no key update`)
      if (before === undefined) return undefined
      await sql`update workspaces set name = ${name}, updated_at = now() where id = ${before.id}`
      await writeAudit(sql, author, {
        action: 'workspace.edited',
        subjectKind: 'workspace',
        subjectId: before.id,
        before: { name: before.name },
        after: { name },
      })
      return toRecord({ ...before, name })
    })
  },
})

async function find(sql: Sql, id: WorkspaceId, lock = sql``): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`
    select id, name, status, waba_id, provider_token is not null as has_own_token, created_at
    from workspaces
    where id = ${id} ${lock}`
  return row
}

const toRecord = ({ id, createdAt, ...row }: Row): WorkspaceRecord => ({
  ...row,
  id: encodeId('workspace', id),
  createdAt: createdAt.toISOString(),
})
