// The second factor of operators and its recovery codes. Codes are stored as hashes, the seed is sealed.

import type { AuditNote } from '../../contract/administration.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import type { OperatorId } from '../../shared/ids.ts'
import type { CredentialChange, OperatorDirectory } from '../operator.ts'
import { writeAudit } from './audit.store.ts'
import { isStillProven } from './proven.ts'
import { endOtherSessions } from './sessions.store.ts'

type SecondFactors = Pick<
  OperatorDirectory,
  'removeTotp' | 'enrolTotp' | 'advanceTotp' | 'setRecoveryCodes' | 'useRecoveryCode'
>

export const createSecondFactorStore = (pool: Pool): SecondFactors => ({
  removeTotp(change, proven) {
    return pool.begin(async (sql) => {
      if (proven && !(await isStillProven(sql, proven))) return false
      await setTotp(sql, change, { seed: null, recoveryHashes: [] })
      return true
    })
  },

  enrolTotp(change, seed, { recoveryHashes, sessionId, offer }) {
    return pool.begin(async (sql) => {
      // Before the session, as a sign-in and a new password do: so none of them waits for another forever.
      await lockTotp(sql, change.operatorId)
      const taken = await sql`
        update sessions set totp_offer = null where id = ${sessionId} and totp_offer = ${offer}`
      if (taken.count === 0) return false
      await setTotp(sql, change, { seed, recoveryHashes })
      await endOtherSessions(sql, change, sessionId)
      return true
    })
  },

  setRecoveryCodes(change, hashes, proven) {
    return pool.begin(async (sql) => {
      if (!(await isStillProven(sql, proven))) return false
      const replaced = await replaceCodes(sql, change.operatorId, hashes)
      await auditOperator(sql, change, {
        action: 'operator.recovery_codes_replaced',
        before: { left: replaced },
        after: { left: hashes.length },
      })
      return true
    })
  },

  useRecoveryCode(change, hash) {
    return pool.begin(async (sql) => {
      const used = await sql`
        delete from recovery_codes where operator_id = ${change.operatorId} and code_hash = ${hash}`
      if (used.count === 0) return undefined
      const [{ left } = { left: 0 }] = await sql<{ left: number }[]>`
        select count(*)::integer as left from recovery_codes where operator_id = ${change.operatorId}`
      await auditOperator(sql, change, {
        action: 'operator.recovery_code_used',
        before: { left: left + 1 },
        after: { left },
      })
      return left
    })
  },

  async advanceTotp(id, from, to) {
    const rows = await pool`update operators set totp_seed = ${to} where id = ${id} and totp_seed = ${from}`
    return rows.count === 1
  },
})

async function setTotp(
  sql: Sql,
  change: CredentialChange,
  { seed, recoveryHashes }: { readonly seed: Buffer | null; readonly recoveryHashes: readonly Buffer[] },
): Promise<void> {
  const hadTotp = await lockTotp(sql, change.operatorId)
  await sql`update operators set totp_seed = ${seed}, updated_at = now() where id = ${change.operatorId}`
  await replaceCodes(sql, change.operatorId, recoveryHashes)
  await auditOperator(sql, change, {
    action: seed === null ? 'operator.totp_removed' : 'operator.totp_added',
    before: { totp: hadTotp },
    after: { totp: seed !== null },
  })
}

/** Whether the operator has a second factor; the lock keeps it unchanged until this transaction ends. */
async function lockTotp(sql: Sql, id: OperatorId): Promise<boolean> {
  const [row] = await sql<{ hasTotp: boolean }[]>`
    select totp_seed is not null as has_totp from operators where id = ${id} for no key update`
  return row?.hasTotp ?? false
}

/** Returns how many codes there were before. */
async function replaceCodes(sql: Sql, id: OperatorId, hashes: readonly Buffer[]): Promise<number> {
  const gone = await sql`delete from recovery_codes where operator_id = ${id}`
  if (hashes.length > 0)
    await sql`
      insert into recovery_codes (operator_id, code_hash)
      select ${id}, decode(hex, 'hex') from unnest(${hashes.map((hash) => hash.toString('hex'))}::text[]) as code (hex)`
  return gone.count
}

/** Audits a change of an operator or of the operator's credentials. */
export const auditOperator = (
  sql: Sql,
  change: CredentialChange,
  entry: Pick<AuditNote, 'action' | 'before' | 'after'>,
): Promise<unknown> =>
  writeAudit(
    sql,
    { workspaceId: null, operatorId: change.by, ip: change.ip, userAgent: change.userAgent },
    { ...entry, subjectKind: 'operator', subjectId: change.operatorId },
  )
