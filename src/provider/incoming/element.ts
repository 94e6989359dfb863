// The result of parsing one webhook element: an update, or the reason why it was skipped.
import type { Person } from '../../contract/person.ts'
import type { ProviderUpdate } from '../../contract/provider-updates.ts'

/**
 * - `malformed`: lacks a required field, such as an id
 * - `noSender`: names nobody, neither by number nor by id
 * - `unknown`: a field, event or status that this version does not know
 * - `irrelevant`: known, but not needed
 * - `accountError`: an error that belongs to no message and no call
 */
export type SkipReason = 'malformed' | 'noSender' | 'unknown' | 'irrelevant' | 'accountError'

export interface Skipped {
  readonly type: 'skipped'
  readonly reason: SkipReason
}

export type Element = ProviderUpdate | Skipped

export const skipped = (reason: SkipReason): Skipped => ({ type: 'skipped', reason })

/** The context of an element, from the webhook around it. */
export interface WebhookContext {
  readonly wabaId: string
  /** `time` of the entry: when the provider noticed a change of an account, a number or a template. */
  readonly time: Date | null
  /** The time of elements that carry none. */
  readonly receivedAt: Date
}

/** What an element says of a person. Any field may be absent, and an id may stand where a number is expected. */
export interface Named {
  readonly phone: unknown
  readonly userId: unknown
  readonly parentUserId: unknown
}

/** The context of an element that concerns one number. */
export interface NumberContext extends WebhookContext {
  readonly phoneNumberId: string
  readonly displayDigits: string | null
  /** Null where the element names nobody. */
  personOf(named: Named): Person | null
}
