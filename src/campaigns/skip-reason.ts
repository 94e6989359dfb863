// Why a recipient gets no message. Pure.
import { isUserId } from '../shared/address.ts'

/** `DUPLICATE_PERSON`: the campaign has sent to the same person under another address. */
export type SkipReason = 'OPTED_OUT' | 'MARKETING_OPTED_OUT' | 'RECIPIENT_NEEDS_PHONE' | 'DUPLICATE_PERSON'

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
