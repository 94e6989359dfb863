// The second factor of operators and its recovery codes. Codes are kept as hashes, the seed sealed.
import type { CredentialChange, OperatorDirectory } from '../auth/operator.ts'
import type { AuditNote } from '../contract/administration.ts'
import type { OperatorId } from '../shared/ids.ts'
import { writeAudit } from './audit.store.ts'
import type { Pool, Sql } from './sql.ts'

type SecondFactors = Pick<
  OperatorDirectory,
  'setTotp' | 'advanceTotp' | 'setRecoveryCodes' | 'useRecoveryCode'
>

export const secondFactorStore = (pool: Pool): SecondFactors => ({
  setTotp(change, seed, recoveryHashes = []) {
    return pool.begin(async (sql) => {
      const hadTotp = await lockTotp(sql, change.operatorId)
      await sql`update operators set totp_seed = ${seed}, updated_at = now() where id = ${change.operatorId}`
      await replaceCodes(sql, change.operatorId, recoveryHashes)
      await auditOperator(sql, change, {
        action: seed === null ? 'operator.totp_removed' : 'operator.totp_added',
        before: { totp: hadTotp },
        after: { totp: seed !== null },
      })
    })
  },

  setRecoveryCodes(change, hashes) {
    return pool.begin(async (sql) => {
      if (!(await lockTotp(sql, change.operatorId))) return false
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

/** Whether there is one; nobody else adds or takes it away before this transaction ends. */
async function lockTotp(sql: Sql, id: OperatorId): Promise<boolean> {
  const [row] = await sql<{ hasTotp: boolean }[]>`
    select totp_seed is not null as has_totp from operators where id = ${id} for no key update`
  return row?.hasTotp ?? false
}

/** Answers with how many there were. */
async function replaceCodes(sql: Sql, id: OperatorId, hashes: readonly Buffer[]): Promise<number> {
  const gone = await sql`delete from recovery_codes where operator_id = ${id}`
  if (hashes.length > 0)
    await sql`
      insert into recovery_codes (operator_id, code_hash)
      select ${id}, decode(hex, 'hex') from unnest(${hashes.map((hash) => hash.toString('hex'))}::text[]) as code (hex)`
  return gone.count
}

/** Of a change of what proves an operator, or of himself. */
export const auditOperator = (
  sql: Sql,
  change: CredentialChange,
  entry: Pick<AuditNote, 'action' | 'before' | 'after'>,
): Promise<unknown> =>
  writeAudit(
    sql,
    { workspaceId: null, operatorId: change.by, ip: change.ip },
    { ...entry, subjectKind: 'operator', subjectId: change.operatorId },
  )
