// Open invitations to workspaces. Acceptance or revocation deletes the row; the audit keeps the outcome.

import type { Author } from '../../contract/administration.ts'
import type { InvitationRecord } from '../../contract/records/console.ts'
import type { Piece } from '../../platform/postgres/keyset.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { encodeId, type InvitationId, type OperatorId, type WorkspaceId } from '../../shared/ids.ts'
import {
  type Acceptance,
  type Invitations,
  type Invited,
  type Invitee,
  invitationLimits,
  type OpenInvitation,
} from '../invitation.ts'
import type { Whence } from '../operator.ts'
import type { Role } from '../roles.ts'
import { writeAudit } from './audit.store.ts'
import { requireRole } from './author-role.ts'
import { lockMembers, roleOf } from './members.store.ts'
import { insertOperator, type NewOperator } from './operators.store.ts'
import { isStillProven } from './proven.ts'

interface Row {
  readonly id: InvitationId
  readonly workspaceId: WorkspaceId
  readonly email: string
  readonly role: Role
  readonly invitedBy: OperatorId
  readonly inviterName: string
  readonly inviterEmail: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

interface Used {
  readonly id: InvitationId
  readonly workspaceId: WorkspaceId
  readonly email: string
  readonly role: Role
  readonly invitedBy: OperatorId
}

/** Rolls back the transaction in which it is thrown. */
class AddressTaken extends Error {}

export const createInvitationStore = (pool: Pool): Invitations => ({
  async list(workspaceId) {
    const rows = await shown(pool, pool`i.workspace_id = ${workspaceId}`)
    return rows.map(toRecord)
  },

  invite(author, { id, email, role, tokenHash }) {
    return pool.begin(async (sql): Promise<Invited> => {
      const { workspaceId, operatorId } = author
      await lockMembers(sql, workspaceId)
      const refusal = await refusalOf(sql, author, email)
      if (refusal) return { type: refusal }
      const same = sql`i.workspace_id = ${workspaceId} and lower(i.email) = lower(${email})`
      const [before] = await shown(sql, same)
      await sql`delete from invitations i where ${same}`
      await sql`
        insert into invitations (id, workspace_id, email, role, token_hash, invited_by, expires_at)
        values (${id}, ${workspaceId}, ${email}, ${role}, ${tokenHash}, ${operatorId},
          now() + ${`${invitationLimits.lifetimeDays} days`}::interval)`
      const [row] = await shown(sql, sql`i.id = ${id}`)
      if (row === undefined) throw new Error('an inserted invitation was not found')
      await writeAudit(sql, author, {
        action: 'invitation.created',
        subjectKind: 'invitation',
        subjectId: id,
        before: before && audited(before),
        after: audited(row),
      })
      return { type: 'invited', invitation: toRecord(row) }
    })
  },

  revoke(author, id) {
    return pool.begin(async (sql) => {
      await requireRole(sql, author, 'OWNER')
      const [before] = await shown(sql, sql`i.id = ${id} and i.workspace_id = ${author.workspaceId}`)
      const gone = await sql`
        delete from invitations
        where id = ${id} and workspace_id = ${author.workspaceId}`
      if (before === undefined || gone.count === 0) return false
      await writeAudit(sql, author, {
        action: 'invitation.revoked',
        subjectKind: 'invitation',
        subjectId: id,
        before: audited(before),
      })
      return true
    })
  },

  async find(tokenHash) {
    const [row] = await pool<OpenInvitation[]>`
      select i.workspace_id, w.name as workspace, i.email, i.role, o.name as invited_by, i.expires_at
      from invitations i
      join workspaces w on w.id = i.workspace_id
      join operators o on o.id = i.invited_by
      where i.token_hash = ${tokenHash} and i.expires_at > now()`
    return row
  },

  async accept(tokenHash, invitee, from) {
    try {
      return await pool.begin((sql) => accept(sql, tokenHash, invitee, from))
    } catch (error) {
      if (!(error instanceof AddressTaken)) throw error
      await auditRefusal(pool, tokenHash, from)
      return { type: 'taken' }
    }
  },
})

/** An inviter who opens the link to find out whether an address has an account is seen by the other owners. */
async function auditRefusal(pool: Pool, tokenHash: Buffer, from: Whence): Promise<void> {
  await pool.begin(async (sql) => {
    const [open] = await shown(sql, sql`i.token_hash = ${tokenHash}`)
    if (open === undefined) return
    await writeAudit(
      sql,
      { workspaceId: open.workspaceId, operatorId: null, ...from },
      { action: 'invitation.refused', subjectKind: 'invitation', subjectId: open.id, before: audited(open) },
    )
  })
}

async function accept(sql: Sql, tokenHash: Buffer, invitee: Invitee, from: Whence): Promise<Acceptance> {
  if ('operatorId' in invitee && !(await isStillProven(sql, invitee))) return { type: 'changed' }
  const [used] = await sql<Used[]>`
    delete from invitations
    where token_hash = ${tokenHash} and expires_at > now()
    returning id, workspace_id, email, role, invited_by`
  if (used === undefined) return { type: 'notFound' }
  const { id, workspaceId, email, role } = used
  const invited = { by: used.invitedBy, to: workspaceId }
  const operatorId =
    'operatorId' in invitee ? invitee.operatorId : await create(sql, { ...invitee, email, invited }, from)
  // Someone who became a member meanwhile keeps the current role: an old link must not take a role away.
  const before = await roleOf(sql, workspaceId, operatorId)
  await sql`
    insert into memberships (workspace_id, operator_id, role)
    values (${workspaceId}, ${operatorId}, ${role})
    on conflict do nothing`
  await writeAudit(
    sql,
    { workspaceId, operatorId, ...from },
    {
      action: 'invitation.accepted',
      subjectKind: 'invitation',
      subjectId: id,
      before: { email, role: before ?? null },
      after: { email, role: before ?? role },
    },
  )
  return { type: 'accepted', operatorId, workspaceId }
}

async function create(
  sql: Sql,
  operator: Omit<NewOperator, 'platformOwner'>,
  from: Whence,
): Promise<OperatorId> {
  const id = await insertOperator(sql, { ...operator, platformOwner: false }, from)
  if (id === undefined) throw new AddressTaken()
  return id
}

/** Why the invitation is refused; undefined where it is allowed. */
async function refusalOf(
  sql: Sql,
  { workspaceId, operatorId }: Author,
  email: string,
): Promise<Exclude<Invited['type'], 'invited'> | undefined> {
  const [found] = await sql<{ isOwner: boolean; isMember: boolean; others: number }[]>`
    select
      exists (
        select from memberships
        where workspace_id = ${workspaceId} and operator_id = ${operatorId} and role = 'OWNER'
      ) as is_owner,
      exists (
        select from memberships m
        join operators o on o.id = m.operator_id
        where m.workspace_id = ${workspaceId} and lower(o.email) = lower(${email})
      ) as is_member,
      (
        select count(*)::integer from invitations
        where workspace_id = ${workspaceId} and lower(email) <> lower(${email})
      ) as others`
  if (!found?.isOwner) return 'notOwner'
  if (found.isMember) return 'isMember'
  return found.others >= invitationLimits.perWorkspace ? 'full' : undefined
}

const shown = (sql: Sql, which: Piece) => sql<Row[]>`
  select i.id, i.workspace_id, i.email, i.role, i.invited_by, o.name as inviter_name, o.email as inviter_email, i.created_at,
    i.expires_at
  from invitations i
  join operators o on o.id = i.invited_by
  where ${which}
  order by i.id desc
  limit ${invitationLimits.perWorkspace}`

const toRecord = (row: Row): InvitationRecord => ({
  id: encodeId('invitation', row.id),
  email: row.email,
  role: row.role,
  invitedBy: { id: encodeId('operator', row.invitedBy), name: row.inviterName, email: row.inviterEmail },
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
})

const audited = ({ email, role, expiresAt }: Row) => ({ email, role, expiresAt: expiresAt.toISOString() })
