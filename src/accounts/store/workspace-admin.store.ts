// The settings of a workspace, as its members see and change them.
import type { WorkspaceAdministration, WorkspacePatch } from '../../contract/administration.ts'
import type { WorkspaceRecord } from '../../contract/records/console.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { encodeId, type WorkspaceId } from '../../shared/ids.ts'
import { writeAudit } from './audit.store.ts'
import { requireRole } from './author-role.ts'

interface Row {
  readonly id: WorkspaceId
  readonly name: string
  readonly status: WorkspaceRecord['status']
  readonly wabaId: string | null
  readonly hasOwnToken: boolean
  readonly contentDays: number | null
  readonly secondFactorFrom: Date | null
  readonly sessionMinutes: number | null
  readonly idleMinutes: number | null
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
      await requireRole(sql, author, 'OWNER')
      const { name = before.name, contentDays = before.contentDays } = patch
      const { sessionMinutes = before.sessionMinutes, idleMinutes = before.idleMinutes } = patch
      const [after] = await sql<Row[]>`
        update workspaces
        set name = ${name}, content_days = ${contentDays}, session_minutes = ${sessionMinutes},
          idle_minutes = ${idleMinutes}, second_factor_from = ${secondFactorFrom(sql, patch)}, updated_at = now()
        where id = ${before.id}
        returning ${columns(sql)}`
      if (after === undefined) throw new Error('an updated workspace was not returned')
      await writeAudit(sql, author, {
        action: 'workspace.edited',
        subjectKind: 'workspace',
        subjectId: before.id,
        before: shown(before, patch),
        after: shown(after, patch),
      })
      return toRecord(after)
    })
  },
})

function secondFactorFrom(sql: Sql, { secondFactor }: WorkspacePatch) {
  if (secondFactor === undefined) return sql`second_factor_from`
  return secondFactor.required ? sql`now() + ${secondFactor.graceDays} * interval '1 day'` : sql`null`
}

/** What the patch names. */
const shown = (row: Row, patch: WorkspacePatch) => ({
  ...(patch.name !== undefined && { name: row.name }),
  ...(patch.contentDays !== undefined && { contentDays: row.contentDays }),
  ...(patch.secondFactor && { secondFactorFrom: row.secondFactorFrom?.toISOString() ?? null }),
  ...(patch.sessionMinutes !== undefined && { sessionMinutes: row.sessionMinutes }),
  ...(patch.idleMinutes !== undefined && { idleMinutes: row.idleMinutes }),
})

const columns = (sql: Sql) => sql`
  id, name, status, waba_id, provider_token is not null as has_own_token, content_days, second_factor_from,
  session_minutes, idle_minutes, created_at`

async function find(sql: Sql, id: WorkspaceId, lock = sql``): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`select ${columns(sql)} from workspaces where id = ${id} ${lock}`
  return row
}

const toRecord = ({ id, createdAt, secondFactorFrom: from, ...row }: Row): WorkspaceRecord => ({
  ...row,
  id: encodeId('workspace', id),
  secondFactorFrom: from?.toISOString() ?? null,
  createdAt: createdAt.toISOString(),
})
