// What an inbound message does besides being stored and reported.
import type { InboundMessageUpdate } from '../contract/provider-updates.ts'

export interface InboundEffects {
  /** It is the last message of its conversation, until the next one. */
  readonly isShown: boolean
  /** It waits to be marked as read. */
  readonly isUnread: boolean
  /** It can be the answer to a campaign. */
  readonly isReply: boolean
  /** Free replies are allowed for a day. */
  readonly opensWindow: boolean
}

const nothing: InboundEffects = { isShown: false, isUnread: false, isReply: false, opensWindow: false }

/** The customer changed or took back what was said before, or said nothing at all. */
const isSilent = ({ messageType, details }: Pick<InboundMessageUpdate, 'messageType' | 'details'>): boolean =>
  messageType === 'EDIT' ||
  messageType === 'REVOKE' ||
  messageType === 'SYSTEM' ||
  (messageType === 'REACTION' && details?.reaction?.removed !== false) ||
  details?.providerType === 'request_welcome'

export function effectsOf(update: Pick<InboundMessageUpdate, 'messageType' | 'details'>): InboundEffects {
  if (isSilent(update)) return nothing
  // What is said in a group is said to all of it. Windows, consent and campaigns are about two.
  if (update.details?.group) return { ...nothing, isShown: true }
  if (update.messageType === 'REACTION') return { ...nothing, isShown: true, opensWindow: true }
  return { isShown: true, isUnread: true, isReply: true, opensWindow: true }
}
