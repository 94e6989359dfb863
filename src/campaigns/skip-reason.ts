// Why a recipient gets no message. Pure.
import { isUserId } from '../shared/address.ts'

/** `DUPLICATE_PERSON`: the campaign has sent to the same person under another address. */
export type SkipReason = 'OPTED_OUT' | 'MARKETING_OPTED_OUT' | 'RECIPIENT_NEEDS_PHONE' | 'DUPLICATE_PERSON'

/** Why a message that was tried is not tried again. `SENT_AGAIN`: in another message, by an operator. */
export type NotSent = SkipReason | 'CAMPAIGN_CANCELLED' | 'RECIPIENT_REMOVED' | 'SENT_AGAIN'

export const notSent: Readonly<Record<NotSent, string>> = {
  OPTED_OUT: 'the contact has opted out',
  MARKETING_OPTED_OUT: 'the contact has stopped marketing messages',
  RECIPIENT_NEEDS_PHONE: 'the template goes to phone numbers only, and the person is known by a user id',
  DUPLICATE_PERSON: 'the campaign has sent to the person under another address',
  CAMPAIGN_CANCELLED: 'the campaign was cancelled',
  RECIPIENT_REMOVED: 'the recipient was removed',
  SENT_AGAIN: 'an operator has sent to the recipient again',
}

export interface Addressee {
  /** Digits, or a user id where no number is known. */
  readonly address: string
  /** By STOP. */
  readonly optedOut: boolean
  /** In the provider's app. */
  readonly marketingOptedOut: boolean
}

/** Undefined where a template of the category may be sent. */
export function skipReasonOf(category: string, to: Addressee): SkipReason | undefined {
  if (to.optedOut) return 'OPTED_OUT'
  if (category === 'MARKETING' && to.marketingOptedOut) return 'MARKETING_OPTED_OUT'
  // The provider sends these to numbers only.
  if (category === 'AUTHENTICATION' && isUserId(to.address)) return 'RECIPIENT_NEEDS_PHONE'
  return undefined
}
