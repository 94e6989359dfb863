// Why a sign-in was refused.
import type { AuditRecord } from '../../../../contract/records/console.ts'

const reasons: Readonly<Record<string, string>> = {
  PASSWORD: 'Wrong password',
  FACTOR: 'Wrong second factor',
  FACTOR_MISSING: 'Without the second factor',
  BLOCKED: 'Too many failures before',
}

export function reasonOf({ after }: Pick<AuditRecord, 'after'>): string | undefined {
  const reason = typeof after === 'object' && after !== null && 'reason' in after ? after.reason : undefined
  return typeof reason === 'string' && Object.hasOwn(reasons, reason) ? reasons[reason] : undefined
}
