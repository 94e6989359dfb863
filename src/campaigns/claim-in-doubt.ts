import type { ClaimedRecipient } from './send-ports.ts'

/** The commit of a claim had no answer. If it was written, these recipients are claimed, and nobody was asked to send. */
export class ClaimInDoubt extends Error {
  readonly claimed: readonly ClaimedRecipient[]

  constructor(claimed: readonly ClaimedRecipient[], cause: unknown) {
    super('the answer to a claim was lost', { cause })
    this.claimed = claimed
  }
}
