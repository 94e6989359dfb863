// Operators and their credentials. Sessions are in sessions.store.ts, roles in members.store.ts.

import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { newId, type OperatorId, type WorkspaceId } from '../../shared/ids.ts'
import type {
  CredentialChange,
  OperatorCredentials,
  OperatorDirectory,
  OperatorOrigin,
  Whence,
} from '../operator.ts'
import { isStillProven } from './proven.ts'
import { auditOperator, createSecondFactorStore } from './second-factor.store.ts'
import { endAllSessions } from './sessions.store.ts'

export interface NewOperator {
  readonly email: string
  readonly name: string
  readonly passwordHash: string
  readonly platformOwner: boolean
  /** Absent: whoever runs the installation creates the account, and answers for its address. */
  readonly invited?: { readonly by: OperatorId; readonly to: WorkspaceId }
}

export interface ListedOperator {
  readonly id: OperatorId
  readonly email: string
  readonly name: string
  readonly platformOwner: boolean
  readonly hasTotp: boolean
  readonly isDisabled: boolean
  readonly verified: boolean
  readonly memberships: { workspaceId: WorkspaceId; workspace: string; role: string }[]
}

/** The operator directory, with the methods that only the command line uses. */
export interface OperatorAccounts extends OperatorDirectory {
  /** Undefined where the e-mail is taken. */
  create(operator: NewOperator): Promise<OperatorId | undefined>
  list(): Promise<ListedOperator[]>
  originOf(email: string): Promise<OperatorOrigin | undefined>
  /** Records that the address belongs to the person who uses the account. False where that was known. */
  verify(change: CredentialChange): Promise<boolean>
}

export const createOperatorStore = (pool: Pool): OperatorAccounts => ({
  async findByEmail(email) {
    const [row] = await pool<OperatorCredentials[]>`
      select ${credentials(pool)}
      from operators
      where lower(email) = lower(${email})`
    return row
  },

  async find(id) {
    const [row] = await pool<OperatorCredentials[]>`
      select ${credentials(pool)}
      from operators
      where id = ${id}`
    return row
  },

  create(operator) {
    return pool.begin((sql) => insertOperator(sql, operator, null))
  },

  setPassword(change, passwordHash, proven) {
    return pool.begin(async (sql) => {
      if (proven && !(await isStillProven(sql, proven))) return false
      await sql`
        update operators
        set password_hash = ${passwordHash}, updated_at = now()
        where id = ${change.operatorId}`
      const after = await endAllSessions(sql, change)
      await auditOperator(sql, change, { action: 'operator.password_changed', after })
      return true
    })
  },

  setDisabled(change, isDisabled) {
    return pool.begin(async (sql) => {
      const changed = await sql`
        update operators
        set disabled_at = ${isDisabled ? sql`now()` : null}, updated_at = now()
        where id = ${change.operatorId} and (disabled_at is null) = ${isDisabled}`
      if (changed.count === 0) return false
      const after = isDisabled ? await endAllSessions(sql, change) : undefined
      await auditOperator(sql, change, {
        action: isDisabled ? 'operator.disabled' : 'operator.enabled',
        after,
      })
      return true
    })
  },

  ...createSecondFactorStore(pool),

  async originOf(email) {
    const [row] = await pool<OriginRow[]>`
      select o.id, o.created_at, o.verified_at, o.invited_to, w.name as workspace, i.name as inviter_name,
        i.email as inviter_email
      from operators o
      left join workspaces w on w.id = o.invited_to
      left join operators i on i.id = o.invited_by
      where lower(o.email) = lower(${email})`
    return row && toOrigin(row)
  },

  verify(change) {
    return pool.begin(async (sql) => {
      const verified = await sql`
        update operators
        set verified_at = now(), updated_at = now()
        where id = ${change.operatorId} and verified_at is null`
      if (verified.count === 0) return false
      await auditOperator(sql, change, {
        action: 'operator.verified',
        before: { verified: false },
        after: { verified: true },
      })
      return true
    })
  },

  list() {
    return pool<ListedOperator[]>`
      select o.id, o.email, o.name, o.platform_owner, o.totp_seed is not null as has_totp,
        o.disabled_at is not null as is_disabled,
        o.verified_at is not null as verified,
        coalesce(
          json_agg(json_build_object('workspaceId', m.workspace_id, 'workspace', w.name, 'role', m.role))
            filter (where m.role is not null),
          '[]') as memberships
      from operators o
      left join memberships m on m.operator_id = o.id
      left join workspaces w on w.id = m.workspace_id
      group by o.id
      order by o.email`
  },
})

/**
 * `from` is null on the command line. Elsewhere the new operator is also the author of the audit entry.
 * Undefined where the e-mail is taken.
 */
export async function insertOperator(
  sql: Sql,
  { email, name, passwordHash, platformOwner, invited }: NewOperator,
  from: Whence | null,
): Promise<OperatorId | undefined> {
  const id = newId('operator')
  const made = await sql`
    insert into operators (id, email, name, password_hash, platform_owner, verified_at, invited_by, invited_to)
    values (${id}, ${email}, ${name}, ${passwordHash}, ${platformOwner}, ${invited ? null : sql`now()`},
      ${invited?.by ?? null}, ${invited?.to ?? null})
    on conflict (lower(email)) do nothing`
  if (made.count === 0) return undefined
  await auditOperator(
    sql,
    from === null ? { operatorId: id, by: null, ip: null } : { operatorId: id, by: id, ...from },
    { action: 'operator.created', after: { email, name, platformOwner } },
  )
  return id
}

interface OriginRow extends Pick<OperatorOrigin, 'id' | 'createdAt' | 'verifiedAt'> {
  readonly invitedTo: WorkspaceId | null
  readonly workspace: string | null
  readonly inviterName: string | null
  readonly inviterEmail: string | null
}

const toOrigin = ({ id, createdAt, verifiedAt, ...row }: OriginRow): OperatorOrigin => ({
  ...{ id, createdAt, verifiedAt },
  invitedTo: row.invitedTo && { id: row.invitedTo, name: row.workspace ?? '' },
  invitedBy: row.inviterEmail === null ? null : { name: row.inviterName ?? '', email: row.inviterEmail },
})

const credentials = (sql: Sql) => sql`
  id, email, name, password_hash, totp_seed, totp_generation, disabled_at is not null as is_disabled`
