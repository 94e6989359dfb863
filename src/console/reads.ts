// What the console shows of conversations, messages, calls, campaigns and templates.

import type { Author } from '../contract/administration.ts'
import type { Page, PageRequest } from '../contract/page.ts'
import type { CallRecord, CallStatus } from '../contract/records/call.ts'
import type { CampaignRecord } from '../contract/records/campaign.ts'
import type { TemplateCategory, TemplateRecord, TemplateStatus } from '../contract/records/catalog.ts'
import type { CampaignSample } from '../contract/records/console.ts'
import type { ConversationRecord } from '../contract/records/conversation.ts'
import type { Direction, MessageRecord, MessageStatus, MessageType } from '../contract/records/message.ts'
import type {
  CallId,
  CampaignId,
  ConversationId,
  MessageId,
  NumberId,
  TemplateId,
  WorkspaceId,
} from '../shared/ids.ts'

type Optional<Fields> = { readonly [Key in keyof Fields]?: Fields[Key] | undefined }

interface Span {
  since: Date
  until: Date
}

export type MessageFilter = Optional<
  Span & {
    direction: Direction
    status: MessageStatus
    type: MessageType
    conversationId: ConversationId
    /** Digits. */
    contact: string
    numberId: NumberId
    campaignId: CampaignId
  }
>

export type CallFilter = Optional<
  Span & {
    direction: Direction
    status: CallStatus
    live: boolean
    conversationId: ConversationId
    contact: string
    numberId: NumberId
  }
>

export type ConversationFilter = Optional<Span & { unread: boolean; contact: string; numberId: NumberId }>

export type TemplateFilter = Optional<{
  nameContains: string
  language: string
  status: TemplateStatus
  category: TemplateCategory
}>

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
    /** Where a page begins that has up to `newer` messages before this one; undefined where it is not there. */
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
  /** How far a campaign was, oldest first. */
  readonly samples: { list(workspaceId: WorkspaceId, id: CampaignId): Promise<readonly CampaignSample[]> }
  readonly templates: List<TemplateFilter, TemplateRecord> & {
    findById(
      workspaceId: WorkspaceId,
      id: TemplateId,
    ): Promise<{ readonly record: TemplateRecord; readonly statusReason: string | null } | undefined>
  }
}

export interface TemplateDraft {
  readonly name: string
  readonly language: string
  readonly category: TemplateCategory
  readonly parameterFormat: 'NAMED' | 'POSITIONAL'
  readonly components: readonly unknown[]
}

export type Submission =
  | { readonly type: 'submitted'; readonly template: TemplateRecord }
  /** There is one of this name and language. */
  | { readonly type: 'exists' }
  | { readonly type: 'refused'; readonly code: string; readonly title: string }
  /** The provider gave no usable answer. */
  | { readonly type: 'unavailable'; readonly message: string }

export interface TemplateSubmissions {
  /** Asks the provider and keeps what it answered, with an audit row. */
  submit(author: Author, draft: TemplateDraft): Promise<Submission>
}
