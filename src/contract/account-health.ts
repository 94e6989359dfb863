// A report of the provider about an account, and what it stops. src/provider/incoming makes them of webhooks.
import type { AccountStateRecord } from './records/account.ts'

/** What a state stops while it is in force. UTILITY_CAMPAIGNS: those whose template is of that category. */
export type AccountStop = 'CAMPAIGNS' | 'UTILITY_CAMPAIGNS' | 'PLACING_CALLS'

export interface AccountChange
  extends Pick<
    AccountStateRecord,
    'topic' | 'status' | 'severity' | 'number' | 'template' | 'message' | 'advice' | 'details'
  > {
  /** Tells states of one topic apart: a restriction's type, a number, a template. */
  readonly key: string
  readonly until: Date | null
  readonly stops: readonly AccountStop[]
}

/** A state that is in force, as a refusal tells it. */
export interface Stopped {
  readonly message: string
  readonly advice: string | null
  readonly until: string | null
}

export const stoppedText = ({ message, advice, until }: Stopped): string =>
  [message, until && `It ends at ${new Date(until).toISOString()}.`, advice].filter(Boolean).join(' ')

export interface AccountUpdate {
  readonly type: 'accountUpdate'
  readonly wabaId: string
  /** The provider's time. */
  readonly at: Date
  /** Hex digest of the report: the provider repeats reports. */
  readonly digest: string
  readonly changes: readonly AccountChange[]
}

const limitWords: Readonly<Record<string, number>> = { K: 1_000, M: 1_000_000 }

/**
 * The customers that the portfolio may start with in 24 hours, from the provider's word or number. Null: no limit, or
 * a word that is not known.
 */
export function messagingLimitOf(given: unknown): number | null {
  if (typeof given === 'number') return Number.isSafeInteger(given) && given >= 0 ? given : null
  const [, count, unit] = /^(?:TIER_)?(\d{1,9})([KM]?)$/.exec(String(given).toUpperCase()) ?? []
  return count === undefined ? null : Number(count) * (limitWords[unit ?? ''] ?? 1)
}

const noLimit = ['-1', 'TIER_UNLIMITED']

/** Webhooks tell 2000 or -1 where the list of numbers has TIER_2K or TIER_UNLIMITED. */
export function isSameLimit(one: string, other: string): boolean {
  const limit = messagingLimitOf(one)
  if (limit !== null) return limit === messagingLimitOf(other)
  return one === other || (noLimit.includes(one) && noLimit.includes(other))
}
