// The members of a workspace with their roles, and the status of the workspace.

import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { encodeId, type OperatorId, type WorkspaceId } from '../../shared/ids.ts'
import type { MemberAuthor, MemberChange, Members } from '../operator.ts'
import type { Role } from '../roles.ts'
import { writeAudit } from './audit.store.ts'
import { requireRole } from './author-role.ts'

interface Row {
  readonly operatorId: OperatorId
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly disabledAt: Date | null
  readonly verified: boolean
  readonly secondFactor: boolean
  readonly createdAt: Date
}

export const createMemberStore = (pool: Pool): Members => ({
  async list(workspaceId) {
    const rows = await pool<Row[]>`
      select m.operator_id, o.email, o.name, m.role, o.disabled_at, m.created_at, o.verified_at is not null as verified,
        o.totp_seed is not null as second_factor
      from memberships m
      join operators o on o.id = m.operator_id
      where m.workspace_id = ${workspaceId}
      order by lower(o.email)
      limit 1000`
    return rows.map((row) => ({
      operatorId: encodeId('operator', row.operatorId),
      email: row.email,
      name: row.name,
      role: row.role,
      disabledAt: row.disabledAt?.toISOString() ?? null,
      verified: row.verified,
      secondFactor: row.secondFactor,
      createdAt: row.createdAt.toISOString(),
    }))
  },

  grant(author, email, role) {
    return pool.begin(async (sql) => {
      await lockMembers(sql, author.workspaceId)
      const [operator] = await sql<{ id: OperatorId }[]>`
        select id from operators where lower(email) = lower(${email})`
      return operator === undefined ? { type: 'notFound' } : setRole(sql, author, operator.id, role)
    })
  },

  change(author, operatorId, role) {
    return pool.begin(async (sql) => {
      await lockMembers(sql, author.workspaceId)
      await requireRole(sql, author, 'OWNER')
      const before = await roleOf(sql, author.workspaceId, operatorId)
      return before === undefined ? { type: 'notFound' } : setRole(sql, author, operatorId, role)
    })
  },

  remove(author, operatorId) {
    return pool.begin(async (sql) => {
      await lockMembers(sql, author.workspaceId)
      await requireRole(sql, author, 'OWNER')
      const before = await roleOf(sql, author.workspaceId, operatorId)
      if (before === undefined) return { type: 'notFound' }
      if (before === 'OWNER' && !(await hasOtherOwner(sql, author, operatorId))) return { type: 'lastOwner' }
      await sql`
        delete from memberships
        where workspace_id = ${author.workspaceId} and operator_id = ${operatorId}`
      await audited(sql, author, { operatorId, before, after: null })
      if (before === 'OWNER') await revokeInvitationsOf(sql, author, operatorId)
      return { type: 'changed', operatorId }
    })
  },

  setStatus(author, status) {
    return pool.begin(async (sql) => {
      const [before] = await sql<{ status: string }[]>`
        select status from workspaces where id = ${author.workspaceId} for no key update`
      if (before === undefined) return false
      await sql`
        update workspaces
        set status = ${status}, updated_at = now()
        where id = ${author.workspaceId}`
      await writeAudit(sql, author, {
        action: status === 'SUSPENDED' ? 'workspace.suspended' : 'workspace.resumed',
        subjectKind: 'workspace',
        subjectId: author.workspaceId,
        before: { status: before.status },
        after: { status },
      })
      return true
    })
  },
})

async function setRole(
  sql: Sql,
  author: MemberAuthor,
  operatorId: OperatorId,
  role: Role,
): Promise<MemberChange> {
  const before = await roleOf(sql, author.workspaceId, operatorId)
  const isDemoted = before === 'OWNER' && role !== 'OWNER'
  if (isDemoted && !(await hasOtherOwner(sql, author, operatorId))) return { type: 'lastOwner' }
  await sql`
    insert into memberships (workspace_id, operator_id, role)
    values (${author.workspaceId}, ${operatorId}, ${role})
    on conflict (operator_id, workspace_id) do update set role = excluded.role`
  await audited(sql, author, { operatorId, before: before ?? null, after: role })
  if (isDemoted) await revokeInvitationsOf(sql, author, operatorId)
  return { type: 'changed', operatorId }
}

/** A former owner must not come back through an invitation link of their own. */
const revokeInvitationsOf = (sql: Sql, author: MemberAuthor, operatorId: OperatorId): Promise<unknown> => sql`
  with gone as (
    delete from invitations
    where workspace_id = ${author.workspaceId} and invited_by = ${operatorId}
    returning id, email, role, expires_at
  )
  insert into audit (id, workspace_id, operator_id, action, subject_kind, subject_id, before, ip,
    user_agent)
  select new_uuid(), ${author.workspaceId}, ${author.operatorId}, 'invitation.revoked', 'invitation', id,
    jsonb_build_object('email', email, 'role', role, 'expiresAt',
      to_char(expires_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), ${author.ip},
    ${author.userAgent ?? null}
  from gone`

/** Serialises changes: two owners who remove each other at once must not both find another owner. */
export const lockMembers = (sql: Sql, workspaceId: WorkspaceId) =>
  sql`select from workspaces where id = ${workspaceId} for no key update`

export async function roleOf(
  sql: Sql,
  workspaceId: WorkspaceId,
  operatorId: OperatorId,
): Promise<Role | undefined> {
  const [row] = await sql<{ role: Role }[]>`
    select role
    from memberships
    where workspace_id = ${workspaceId} and operator_id = ${operatorId}`
  return row?.role
}

/** One who can sign in. Locked, so that the other one is not disabled meanwhile. */
async function hasOtherOwner(sql: Sql, author: MemberAuthor, operatorId: OperatorId): Promise<boolean> {
  const rows = await sql`
    select
    from memberships m
    join operators o on o.id = m.operator_id and o.disabled_at is null
    where m.workspace_id = ${author.workspaceId} and m.role = 'OWNER' and m.operator_id <> ${operatorId}
    limit 1
    for share of o`
  return rows.count > 0
}

const audited = (
  sql: Sql,
  author: MemberAuthor,
  change: { operatorId: OperatorId; before: Role | null; after: Role | null },
): Promise<unknown> =>
  writeAudit(sql, author, {
    action: change.after === null ? 'member.removed' : 'member.granted',
    subjectKind: 'operator',
    subjectId: change.operatorId,
    before: { role: change.before },
    after: { role: change.after },
  })
