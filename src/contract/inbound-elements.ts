// What becomes of an element of the provider's webhooks that is made into nothing. Elements are kept as they came.

/**
 * Why nothing was made of an element.
 *
 * - `unreadable`: the body of the webhook is not JSON
 * - `malformed`: lacks what its kind must have, such as an id
 * - `unknown`: a field, part, event or status that this version does not know
 * - `noSender`: nothing in it says who sent it
 * - `accountError`: an error that belongs to no message and no call
 * - `unknownNumber`, `unknownMessage`, `unknownCall`, `unknownTemplate`, `unknownAccount`: it concerns one that is not
 *   known here
 * - `irrelevant`: understood, and not needed
 */
export const unappliedReasons = [
  'unreadable',
  'malformed',
  'unknown',
  'noSender',
  'accountError',
  'unknownNumber',
  'unknownMessage',
  'unknownCall',
  'unknownTemplate',
  'unknownAccount',
  'irrelevant',
] as const
export type UnappliedReason = (typeof unappliedReasons)[number]

/**
 * What became of an update. `early`: it is remembered until what it concerns is known, as the end of a call that
 * came before its beginning.
 */
export type UpdateOutcome =
  | 'applied'
  | 'early'
  | 'unknownNumber'
  | 'unknownMessage'
  | 'unknownCall'
  | 'unknownTemplate'
  | 'unknownAccount'
  | 'irrelevant'

/** An element that was not made into anything, as the console lists it. */
export interface UnappliedElementRecord {
  readonly id: string
  readonly at: string
  readonly reason: UnappliedReason
  /** The field of the change, and the list of it that holds the element; null where there is none. */
  readonly field: string | null
  readonly part: string | null
  /** E.164 with the plus; null where the element concerns no number of the workspace. */
  readonly number: string | null
  /** Set when a later version has applied it. */
  readonly appliedAt: string | null
}

export interface UnappliedElementDetail extends UnappliedElementRecord {
  /** JSON, except of an unreadable body; only the beginning where `fullBytes` is set. SDP is left out. */
  readonly body: string
  readonly fullBytes: number | null
  readonly messageId: string | null
  readonly callId: string | null
}
