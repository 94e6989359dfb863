// The services that the routes of the API call. api.module.ts provides them.
import type { NoteDownload } from '../accounts/key-downloads.ts'
import type { CallAction, CallOffer } from '../calls/commands.ts'
import type { IceView } from '../calls/ice-servers.ts'
import type { PlaceInput } from '../calls/place-command.ts'
import type { AdditionInput, RowVerdict } from '../campaigns/add-recipients.ts'
import type { Estimate } from '../campaigns/estimate.ts'
import type { CampaignDraft } from '../campaigns/plan-campaign.ts'
import type { CampaignChange, RemovalChoice } from '../campaigns/ports.ts'
import type { Halted } from '../campaigns/run-campaign.ts'
import type { Caller } from '../contract/caller.ts'
import type { SessionDescription } from '../contract/events.ts'
import type {
  CallFilter,
  CampaignFilter,
  ConversationFilter,
  MessageFilter,
  RecipientFilter,
  TemplateFilter,
} from '../contract/filters.ts'
import type { Page, PageRequest } from '../contract/page.ts'
import type { CallRecord } from '../contract/records/call.ts'
import type { CampaignRecord, RecipientRecord } from '../contract/records/campaign.ts'
import type { NumberRecord, TemplateRecord } from '../contract/records/catalog.ts'
import type { ConversationRecord } from '../contract/records/conversation.ts'
import type { MessagePreview, MessageRecord } from '../contract/records/message.ts'
import type { Made } from '../contract/request-key.ts'
import type { SendInput } from '../messaging/check-send.ts'
import type { FindAttachment } from '../messaging/find-attachment.ts'
import type { ReadMarks } from '../messaging/mark-read.ts'
import type { PreviewInput } from '../messaging/preview-message.ts'
import type { StoreUpload } from '../messaging/store-upload.ts'
import type { EnterDownload } from '../platform/http/upload-places.ts'
import type { Privacy } from '../privacy/privacy.module.ts'
import type {
  CallId,
  CampaignId,
  ConversationId,
  MessageId,
  NumberId,
  TemplateId,
  WorkspaceId,
} from '../shared/ids.ts'

export interface ApiServices {
  readonly messages: {
    send(caller: Caller, input: SendInput): Promise<Made<MessageRecord>>
    media: FindAttachment
    enterDownload: EnterDownload
    upload: StoreUpload
    preview(caller: Caller, input: PreviewInput): Promise<MessagePreview>
    find(workspaceId: WorkspaceId, id: MessageId): Promise<MessageRecord | undefined>
    list(workspaceId: WorkspaceId, filter: MessageFilter, page: PageRequest): Promise<Page<MessageRecord>>
  }
  readonly templates: {
    findById(
      workspaceId: WorkspaceId,
      id: TemplateId,
    ): Promise<{ readonly record: TemplateRecord } | undefined>
    list(workspaceId: WorkspaceId, filter: TemplateFilter, page: PageRequest): Promise<Page<TemplateRecord>>
  }
  readonly numbers: {
    find(workspaceId: WorkspaceId, id: NumberId): Promise<NumberRecord | undefined>
    list(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<NumberRecord>>
  }
  readonly conversations: {
    find(workspaceId: WorkspaceId, id: ConversationId): Promise<ConversationRecord | undefined>
    list(
      workspaceId: WorkspaceId,
      filter: ConversationFilter,
      page: PageRequest,
    ): Promise<Page<ConversationRecord>>
  }
  readonly reading: ReadMarks
  readonly privacy: Privacy
  /** Records in the audit what leaves with a key. */
  readonly noteDownload: NoteDownload
  readonly calls: {
    find(workspaceId: WorkspaceId, id: CallId): Promise<CallRecord | undefined>
    list(workspaceId: WorkspaceId, filter: CallFilter, page: PageRequest): Promise<Page<CallRecord>>
    ice(workspaceId: WorkspaceId): IceView
    answer(workspaceId: WorkspaceId, id: CallId, session: SessionDescription): Promise<CallRecord>
    act(workspaceId: WorkspaceId, id: CallId, action: CallAction): Promise<CallRecord>
    offer(workspaceId: WorkspaceId, id: CallId): Promise<CallOffer>
    place(caller: Caller, conversationId: ConversationId, input: PlaceInput): Promise<Made<CallRecord>>
  }
  readonly campaigns: {
    find(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignRecord | undefined>
    list(workspaceId: WorkspaceId, filter: CampaignFilter, page: PageRequest): Promise<Page<CampaignRecord>>
    create(
      workspaceId: WorkspaceId,
      draft: CampaignDraft,
      idempotencyKey: string | null,
    ): Promise<Made<CampaignRecord>>
    change(workspaceId: WorkspaceId, id: CampaignId, change: CampaignChange): Promise<CampaignRecord>
    delete(workspaceId: WorkspaceId, id: CampaignId): Promise<void>
    start(
      workspaceId: WorkspaceId,
      id: CampaignId,
      options: { readonly isNow: boolean },
    ): Promise<CampaignRecord>
    pause(workspaceId: WorkspaceId, id: CampaignId): Promise<Halted>
    cancel(workspaceId: WorkspaceId, id: CampaignId): Promise<Halted>
    estimate(workspaceId: WorkspaceId, id: CampaignId): Promise<Estimate | undefined>
  }
  /** The recipients of one campaign. For `list` and `all`, the caller has found the campaign first. */
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
    /** Reserves a place for a stream until `leave`. Throws if none is free. */
    enter(workspaceId: WorkspaceId): { leave(): void }
    /** For a report of all: what a batch holds stays in memory until its client has read it. */
    enterReport: EnterDownload
    remove(workspaceId: WorkspaceId, id: CampaignId, choice: RemovalChoice): Promise<{ removed: number }>
  }
}
