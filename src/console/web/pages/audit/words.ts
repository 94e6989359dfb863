// Words of the audit that only its page has.
import type { AuditRecord } from '../../../../contract/records/console.ts'
import { phone } from '../../core/format.ts'

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

/** A subject without another name is a number. */
export const shownName = (name: string): string => (/^\+\d+$/.test(name) ? phone(name) : name)

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
