// What the rows of the API need behind them; the wiring provides it.
import type * as v from 'valibot'
import type { IceView } from '../calls/ice-servers.ts'
import type { AdditionInput, RowVerdict } from '../campaigns/add-recipients.ts'
import type { Estimate } from '../campaigns/estimate.ts'
import type { CampaignDraft } from '../campaigns/plan-campaign.ts'
import type { CampaignChange, RemovalChoice } from '../campaigns/ports.ts'
import type { Halted } from '../campaigns/run-campaign.ts'
import type { Caller } from '../contract/caller.ts'
import type { SessionDescription } from '../contract/events.ts'
import type { Page, PageRequest } from '../contract/page.ts'
import type { CallRecord } from '../contract/records/call.ts'
import type { CampaignRecord, RecipientRecord } from '../contract/records/campaign.ts'
import type { NumberRecord, TemplateRecord } from '../contract/records/catalog.ts'
import type { ConversationRecord } from '../contract/records/conversation.ts'
import type { MessagePreview, MessageRecord } from '../contract/records/message.ts'
import type { ReadMarks } from '../conversations/mark-read.ts'
import type { FindAttachment } from '../messages/find-attachment.ts'
import type { PreviewInput } from '../messages/preview-message.ts'
import type { SendInput } from '../messages/send-message.ts'
import type { CallId, CampaignId, ConversationId, MessageId, WorkspaceId } from '../shared/ids.ts'
import type { callAction, callQuery } from './schemas/calls.ts'
import type { campaignQuery, recipientQuery } from './schemas/campaigns.ts'
import type { templateQuery } from './schemas/catalog.ts'
import type { conversationQuery } from './schemas/conversations.ts'
import type { messageQuery } from './schemas/messages.ts'

type Filter<Query extends v.GenericSchema> = Omit<v.InferOutput<Query>, 'limit' | 'cursor'>

export type MessageFilter = Filter<typeof messageQuery>
export type TemplateFilter = Filter<typeof templateQuery>
export type ConversationFilter = Filter<typeof conversationQuery>
export type CallFilter = Filter<typeof callQuery>
export type CampaignFilter = Filter<typeof campaignQuery>
export type RecipientFilter = Filter<typeof recipientQuery>
export type CallAction = v.InferOutput<typeof callAction>

export interface CallOffer {
  readonly callId: string
  readonly session: SessionDescription
  readonly fetchedAt: string
}

export interface ApiServices {
  readonly messages: {
    send(caller: Caller, input: SendInput): Promise<{ record: MessageRecord; replayed: boolean }>
    media: FindAttachment
    preview(caller: Caller, input: PreviewInput): Promise<MessagePreview>
    find(workspaceId: WorkspaceId, id: MessageId): Promise<MessageRecord | undefined>
    list(workspaceId: WorkspaceId, filter: MessageFilter, page: PageRequest): Promise<Page<MessageRecord>>
  }
  readonly templates: {
    list(workspaceId: WorkspaceId, filter: TemplateFilter, page: PageRequest): Promise<Page<TemplateRecord>>
  }
  readonly numbers: {
    list(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<NumberRecord>>
  }
  readonly conversations: {
    list(
      workspaceId: WorkspaceId,
      filter: ConversationFilter,
      page: PageRequest,
    ): Promise<Page<ConversationRecord>>
  }
  readonly reading: ReadMarks
  readonly calls: {
    find(workspaceId: WorkspaceId, id: CallId): Promise<CallRecord | undefined>
    list(workspaceId: WorkspaceId, filter: CallFilter, page: PageRequest): Promise<Page<CallRecord>>
    ice(workspaceId: WorkspaceId): IceView
    answer(workspaceId: WorkspaceId, id: CallId, session: SessionDescription): Promise<CallRecord>
    act(workspaceId: WorkspaceId, id: CallId, action: CallAction): Promise<CallRecord>
    offer(workspaceId: WorkspaceId, id: CallId): Promise<CallOffer>
    place(caller: Caller, conversationId: ConversationId, session: SessionDescription): Promise<CallRecord>
  }
  readonly campaigns: {
    find(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignRecord | undefined>
    list(workspaceId: WorkspaceId, filter: CampaignFilter, page: PageRequest): Promise<Page<CampaignRecord>>
    create(workspaceId: WorkspaceId, draft: CampaignDraft): Promise<CampaignRecord>
    change(workspaceId: WorkspaceId, id: CampaignId, change: CampaignChange): Promise<CampaignRecord>
    delete(workspaceId: WorkspaceId, id: CampaignId): Promise<void>
    start(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignRecord>
    pause(workspaceId: WorkspaceId, id: CampaignId): Promise<Halted>
    cancel(workspaceId: WorkspaceId, id: CampaignId): Promise<Halted>
    estimate(workspaceId: WorkspaceId, id: CampaignId): Promise<Estimate | undefined>
  }
  /** Of one campaign, which a reader has found first. */
  readonly recipients: {
    list(
      workspaceId: WorkspaceId,
      id: CampaignId,
      filter: RecipientFilter,
      page: PageRequest,
    ): Promise<Page<RecipientRecord>>
    all(
      workspaceId: WorkspaceId,
      id: CampaignId,
      filter: RecipientFilter,
    ): AsyncIterable<readonly RecipientRecord[]>
    add(input: AdditionInput): AsyncGenerator<readonly RowVerdict[]>
    /** Holds a place for a stream until `leave`; throws where there is none. */
    enter(workspaceId: WorkspaceId): { leave(): void }
    remove(workspaceId: WorkspaceId, id: CampaignId, choice: RemovalChoice): Promise<{ removed: number }>
  }
}
