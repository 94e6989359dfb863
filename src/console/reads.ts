// Ports through which the console reads conversations, messages, calls, campaigns and templates.

import type {
  AccountStateFilter,
  CallFilter,
  ConversationFilter,
  MessageFilter,
  TemplateFilter,
} from '../contract/filters.ts'
import type { Page, PageRequest } from '../contract/page.ts'
import type { AccountStateRecord } from '../contract/records/account.ts'
import type { CallRecord } from '../contract/records/call.ts'
import type { CampaignRecord } from '../contract/records/campaign.ts'
import type { TemplateRecord } from '../contract/records/catalog.ts'
import type { CampaignSample } from '../contract/records/console.ts'
import type { ConversationRecord } from '../contract/records/conversation.ts'
import type { MessageRecord } from '../contract/records/message.ts'
import type { CallId, CampaignId, ConversationId, MessageId, TemplateId, WorkspaceId } from '../shared/ids.ts'

interface List<Filter, Record> {
  list(workspaceId: WorkspaceId, filter: Filter, page: PageRequest): Promise<Page<Record>>
}

export interface TimelineEntry {
  readonly at: Date
  readonly kind: string
  readonly detail: unknown
}

export interface ConsoleReads {
  readonly messages: List<MessageFilter, MessageRecord> & {
    find(workspaceId: WorkspaceId, id: MessageId): Promise<MessageRecord | undefined>
    /** The start of a page with up to `newer` messages before this one; undefined if it does not exist. */
    beginAround(
      workspaceId: WorkspaceId,
      around: { readonly conversationId: ConversationId; readonly id: MessageId; readonly newer: number },
    ): Promise<Pick<PageRequest, 'after'> | undefined>
  }
  readonly calls: List<CallFilter, CallRecord> & {
    find(workspaceId: WorkspaceId, id: CallId): Promise<CallRecord | undefined>
  }
  /** What happened to a call, oldest first. */
  readonly timelines: { list(workspaceId: WorkspaceId, id: CallId): Promise<readonly TimelineEntry[]> }
  readonly conversations: List<ConversationFilter, ConversationRecord> & {
    find(workspaceId: WorkspaceId, id: ConversationId): Promise<ConversationRecord | undefined>
  }
  readonly campaigns: List<object, CampaignRecord> & {
    find(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignRecord | undefined>
  }
  /** Progress samples of a campaign, oldest first. */
  readonly samples: { list(workspaceId: WorkspaceId, id: CampaignId): Promise<readonly CampaignSample[]> }
  /** What the provider reports of the account, the most serious first. */
  readonly accountStates: {
    states(workspaceId: WorkspaceId, filter: AccountStateFilter): Promise<readonly AccountStateRecord[]>
  }
  readonly templates: List<TemplateFilter, TemplateRecord> & {
    findById(
      workspaceId: WorkspaceId,
      id: TemplateId,
    ): Promise<{ readonly record: TemplateRecord; readonly statusReason: string | null } | undefined>
  }
}
