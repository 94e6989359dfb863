// The filters of the lists in the API and the console.
import type { CampaignId, ConversationId, NumberId } from '../shared/ids.ts'
import type { CallStatus } from './records/call.ts'
import type { CampaignStatus, RecipientStatus } from './records/campaign.ts'
import type { TemplateCategory, TemplateStatus } from './records/catalog.ts'
import type { Direction, MessageStatus, MessageType } from './records/message.ts'

export interface CallFilter {
  /** Changed at this time or later; the list is then by change, the oldest first. */
  readonly updatedSince?: Date | undefined
  readonly direction?: Direction | undefined
  readonly status?: CallStatus | undefined
  readonly live?: boolean | undefined
  readonly conversationId?: ConversationId | undefined
  /** The customer's number as digits. */
  readonly contact?: string | undefined
  readonly numberId?: NumberId | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

export interface RecipientFilter {
  readonly status?: RecipientStatus | undefined
  /** The recipient's number as digits. */
  readonly to?: string | undefined
}

export interface CampaignFilter {
  /** Changed at this time or later; the list is then by change, the oldest first. */
  readonly updatedSince?: Date | undefined
  readonly status?: CampaignStatus | undefined
}

export interface TemplateFilter {
  readonly name?: string | undefined
  readonly nameContains?: string | undefined
  readonly language?: string | undefined
  readonly status?: TemplateStatus | undefined
  readonly category?: TemplateCategory | undefined
}

export interface ConversationFilter {
  /** Changed at this time or later; the list is then by change, the oldest first. */
  readonly updatedSince?: Date | undefined
  readonly unread?: boolean | undefined
  readonly numberId?: NumberId | undefined
  /** The customer's number as digits. */
  readonly contact?: string | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

export interface MessageFilter {
  /** Changed at this time or later; the list is then by change, the oldest first. */
  readonly updatedSince?: Date | undefined
  readonly direction?: Direction | undefined
  readonly status?: MessageStatus | undefined
  readonly type?: MessageType | undefined
  readonly conversationId?: ConversationId | undefined
  /** The customer's number as digits. */
  readonly contact?: string | undefined
  readonly numberId?: NumberId | undefined
  readonly campaignId?: CampaignId | undefined
  readonly idempotencyKey?: string | undefined
  readonly providerMessageId?: string | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}
