// The filters of the lists in the API and the console.
import type { CampaignId, ConversationId, KeyId, NumberId, TemplateId } from '../shared/ids.ts'
import type { CallStatus } from './records/call.ts'
import type { CampaignStatus, RecipientStatus } from './records/campaign.ts'
import type { TemplateCategory, TemplateStatus } from './records/catalog.ts'
import type { Direction, MessageStatus, MessageType } from './records/message.ts'

/** One value of a filter, or several of which one must fit: at least two, all different. */
export type OneOf<Value> = Value | readonly Value[]

export interface CallFilter {
  /** Changed at this time or later; the list is then by change, the oldest first. */
  readonly updatedSince?: Date | undefined
  readonly direction?: Direction | undefined
  readonly status?: OneOf<CallStatus> | undefined
  readonly live?: boolean | undefined
  readonly conversationId?: OneOf<ConversationId> | undefined
  /** The customer's number as digits. */
  readonly contact?: OneOf<string> | undefined
  readonly numberId?: OneOf<NumberId> | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

export interface RecipientFilter {
  readonly status?: OneOf<RecipientStatus> | undefined
  /** The recipient's number as digits. */
  readonly to?: OneOf<string> | undefined
}

export interface CampaignFilter {
  /** Changed at this time or later; the list is then by change, the oldest first. */
  readonly updatedSince?: Date | undefined
  readonly status?: OneOf<CampaignStatus> | undefined
}

export interface TemplateFilter {
  readonly name?: OneOf<string> | undefined
  readonly nameContains?: string | undefined
  readonly language?: OneOf<string> | undefined
  readonly status?: OneOf<TemplateStatus> | undefined
  readonly category?: OneOf<TemplateCategory> | undefined
}

export interface AccountStateFilter {
  readonly templateId?: TemplateId | undefined
  /** Only those of templates, or only all others. */
  readonly ofTemplates?: boolean | undefined
}

export interface ConversationFilter {
  /** Changed at this time or later; the list is then by change, the oldest first. */
  readonly updatedSince?: Date | undefined
  readonly unread?: boolean | undefined
  /** Those that can be answered freely now. A page may be short although others follow. */
  readonly windowOpen?: true | undefined
  readonly numberId?: OneOf<NumberId> | undefined
  /** The customer's number as digits. */
  readonly contact?: OneOf<string> | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

export interface MessageFilter {
  /** Changed at this time or later; the list is then by change, the oldest first. */
  readonly updatedSince?: Date | undefined
  readonly direction?: Direction | undefined
  readonly status?: OneOf<MessageStatus> | undefined
  readonly type?: OneOf<MessageType> | undefined
  readonly conversationId?: OneOf<ConversationId> | undefined
  /** The customer's number as digits. */
  readonly contact?: OneOf<string> | undefined
  readonly numberId?: OneOf<NumberId> | undefined
  readonly campaignId?: OneOf<CampaignId> | undefined
  /** The key that sent it. */
  readonly apiKeyId?: KeyId | undefined
  /** The name of its template. */
  readonly template?: string | undefined
  /** Of a message that failed: the provider's code or ours. */
  readonly errorCode?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly providerMessageId?: string | undefined
  /** All of these pairs must be in the metadata. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}
