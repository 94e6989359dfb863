// Records sign-ins and confirmed passwords that were refused, in the audit of accounts. Whoever has no account
// can cause such entries, so their number is bounded: what is beyond is counted in the next entry.
import type { OperatorDirectory, SignedIn } from '../accounts/operator.ts'
import type { AccountAuthor, AuditLog } from '../contract/administration.ts'
import type { Clock } from '../shared/clock.ts'
import type { OperatorId } from '../shared/ids.ts'
import { Lru } from '../shared/lru.ts'

/** Why a sign-in or a confirmation was refused. */
export type RefusalReason = 'PASSWORD' | 'FACTOR' | 'FACTOR_MISSING' | 'BLOCKED'

export interface Refusal {
  readonly reason: RefusalReason
  /** The e-mail as it was sent; it is looked up and never stored. Ignored for a signed-in operator. */
  readonly email: string | undefined
  readonly operator: Pick<SignedIn, 'operatorId'> | undefined
  readonly from: Pick<AccountAuthor, 'ip' | 'userAgent'>
}

export interface SignInRefusals {
  note(refusal: Refusal): Promise<void>
}

/** Entries of refused sign-ins that a process writes in a minute. */
const PER_MINUTE = 120
const minuteMs = 60_000
/** A program that goes on while it is blocked leaves one entry a minute for each account and address. */
const blockedKept = 10_000

export function createSignInRefusals(options: {
  readonly audit: Pick<AuditLog, 'noteAccount'>
  readonly operators: Pick<OperatorDirectory, 'findByEmail'>
  readonly clock: Clock
}): SignInRefusals {
  const { audit, operators, clock } = options
  const blocked = new Lru<number>(blockedKept)
  let minute = { sinceMs: clock.mono(), written: 0, omitted: 0 }

  const isRepeated = ({ reason, email, operator, from }: Refusal): boolean => {
    if (reason !== 'BLOCKED') return false
    const key = `${operator?.operatorId ?? email?.trim().toLowerCase() ?? ''} ${from.ip}`
    const lastMs = blocked.get(key)
    if (lastMs !== undefined && clock.mono() - lastMs < minuteMs) return true
    blocked.set(key, clock.mono())
    return false
  }

  /** How many refusals are not in the audit since the entry before; undefined: this one is not either. */
  const take = (): number | undefined => {
    if (clock.mono() - minute.sinceMs >= minuteMs)
      minute = { sinceMs: clock.mono(), written: 0, omitted: minute.omitted }
    if (minute.written >= PER_MINUTE) {
      minute.omitted += 1
      return undefined
    }
    const { omitted } = minute
    minute = { ...minute, written: minute.written + 1, omitted: 0 }
    return omitted
  }

  return {
    async note(refusal) {
      if (isRepeated(refusal)) return
      const omitted = take()
      if (omitted === undefined) return
      const { reason, email, operator, from } = refusal
      const named = operator || !email ? undefined : await operators.findByEmail(email)
      const subjectId = operator?.operatorId ?? named?.id ?? null
      await audit.noteAccount(
        { ...from, operatorId: operator?.operatorId ?? null },
        {
          action: operator ? 'session.confirmation_refused' : 'session.refused',
          subjectKind: 'operator',
          subjectId: subjectId as OperatorId | null,
          after: { reason, ...(omitted > 0 && { notRecordedBefore: omitted }) },
        },
      )
    },
  }
}
