// What becomes of one element of a webhook: an update, or a counted reason why it is none.
import type { ProviderUpdate } from '../contract/provider-updates.ts'

/**
 * - `malformed`: without what makes it an update, such as an id
 * - `noSender`: from a user who shows no phone number
 * - `unknown`: a field, event or status that this version does not know
 * - `irrelevant`: known, and of no use to us
 * - `accountError`: an error that belongs to no message and no call
 */
export type SkipReason = 'malformed' | 'noSender' | 'unknown' | 'irrelevant' | 'accountError'

export interface Skipped {
  readonly type: 'skipped'
  readonly reason: SkipReason
}

export type Element = ProviderUpdate | Skipped

export const skipped = (reason: SkipReason): Skipped => ({ type: 'skipped', reason })

/** What the envelope around an element says. */
export interface Surroundings {
  readonly wabaId: string
  /** For elements without a time of their own. */
  readonly receivedAt: Date
}

/** Besides, for the fields that speak of one number. */
export interface NumberSurroundings extends Surroundings {
  readonly phoneNumberId: string
  readonly displayDigits: string | null
  nameOf(waId: string | null): string | null
}
