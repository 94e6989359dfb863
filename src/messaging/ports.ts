// The ports of messaging. messaging.module.ts provides them.

import type { WrittenDelivery } from '../contract/dispatch.ts'
import type { FreeMessage } from '../contract/message-content.ts'
import type { ProviderAccount } from '../contract/provider.ts'
import type { InboundMessageUpdate } from '../contract/provider-updates.ts'
import type { ParameterFormat, TemplateCategory } from '../contract/records/catalog.ts'
import type { Failure } from '../contract/records/failure.ts'
import type { MessagePreview, MessageRecord } from '../contract/records/message.ts'
import type { MessageDetails } from '../contract/records/message-details.ts'
import type {
  CampaignId,
  ConversationId,
  EventId,
  KeyId,
  MessageId,
  NumberId,
  RecipientId,
  UploadId,
  Uuid,
  WorkspaceId,
} from '../shared/ids.ts'
import type { FreeSend, ReferencedMessage, StoredUpload } from './free-form-content.ts'
import type { InboundEffects } from './inbound-effects.ts'
import type { OutboundStatus } from './message.machine.ts'
import type { SendPolicyName, SendVerdict } from './send-policy.ts'
import type { OptChange } from './stop-keywords.ts'
import type { VariableFault } from './template-variables.ts'

export interface SenderNumber {
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly number: string
  readonly phoneNumberId: string
}

export interface SendTemplate {
  readonly status: string
  /** The provider sends those of AUTHENTICATION to phone numbers only. */
  readonly category: TemplateCategory
  readonly parameterFormat: ParameterFormat
  readonly components: readonly unknown[]
}

/** All data that decides a send, read by one statement. */
export interface SendContext {
  readonly number: SenderNumber | null
  readonly account: ProviderAccount | null
  readonly template: SendTemplate | null
  readonly optedOut: boolean
  /** The first moment at which only templates can be sent; null where free-form messages never could. */
  readonly windowExpiresAt: Date | null
  /** The uploaded file that the query names, unless it has expired. */
  readonly upload: StoredUpload | null
  /** Those that the variables of a template may name, unless they have expired. */
  readonly uploads: readonly StoredUpload[]
  /** The message that the query names, where it is one of this conversation. */
  readonly reference: ReferencedMessage | null
  /** Wants no templates of category MARKETING. */
  readonly marketingOptedOut: boolean
  /** Where the recipient is known: the contact, and under which it is written to. */
  readonly contactId: Uuid | null
  readonly address: string | null
  /** The message that this idempotency key has already created. */
  readonly earlier: { readonly id: MessageId; readonly hash: string } | null
}

export interface SendContextQuery {
  readonly workspaceId: WorkspaceId
  /** Of the recipient: digits, or a user id. */
  readonly address: string
  /** A number's id or E.164; null: the default number. */
  readonly from: { readonly numberId: NumberId } | { readonly number: string } | null
  readonly templateName: string | null
  readonly templateLanguage: string | null
  readonly uploadId?: UploadId | null
  /** Of the variables of a template. */
  readonly uploadIds?: readonly UploadId[]
  /** A message that is quoted or reacted to. */
  readonly referenceId?: MessageId | null
  readonly idempotencyKey: string | null
}

export interface Parties {
  readonly contactId: Uuid
  readonly conversationId: ConversationId
  /** Under which the person is written to: digits, or a user id where no number is known. */
  readonly address: string
  readonly userId: string | null
  readonly username: string | null
}

export interface NewMessage extends Pick<Parties, 'contactId' | 'conversationId'> {
  readonly id: MessageId
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly text: string
  readonly template: MessageRecord['template']
  /** Set where `template` is null. */
  readonly free?: FreeSend | null
  readonly metadata: Readonly<Record<string, string>>
  /** Null where an operator sends. */
  readonly keyId: KeyId | null
  readonly idempotencyKey: string | null
  /** Hex digest of the request. It tells a repeat from a different request with the same key. */
  readonly idempotencyHash: string | null
  readonly createdAt: Date
}

/** What is sent: a template with its definition, or a message that is none. */
export type OutgoingContent =
  | {
      readonly template: NonNullable<MessageRecord['template']>
      readonly definition: SendTemplate
      readonly free?: undefined
    }
  | { readonly free: FreeMessage }

/** A message to send to the provider. */
export type Outgoing = OutgoingContent & {
  readonly id: MessageId
  readonly workspaceId: WorkspaceId
  readonly conversationId: ConversationId
  /** Of the campaign that sent the message first; null for a single send. */
  readonly recipientId: RecipientId | null
  readonly account: ProviderAccount
  /** Digits, or a user id. */
  readonly to: string
}

export interface FailureEvent {
  readonly eventId: EventId
  readonly body: Uint8Array
}

/** A campaign from one start to its next stop. */
export interface CampaignRun {
  readonly id: CampaignId
  readonly workspaceId: WorkspaceId
  readonly epoch: number
}

export interface SendOutcome {
  readonly messageId: MessageId
  /** The recipient that follows the message; null for a single send. */
  readonly recipientId: RecipientId | null
  readonly attempt: number
  readonly by: SendPolicyName
  readonly campaign?: CampaignRun | undefined
  readonly verdict: SendVerdict
  /** The event of a failed send; null for any other outcome. */
  readonly failure: FailureEvent | null
}

export interface StatusChange {
  readonly messageId: MessageId
  /** The recipient of the campaign that sent the message; null for a single send. */
  readonly recipientId: RecipientId | null
  readonly providerMessageId: string | null
  readonly status: OutboundStatus
  readonly at: Date
  readonly error: Failure | null
  readonly eventId: EventId
  readonly body: Uint8Array
}

export interface InboundWrite extends Pick<Parties, 'contactId' | 'conversationId' | 'address'> {
  readonly id: MessageId
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly update: InboundMessageUpdate
  /** Those of the update, with marks in the place of our ids of the messages that they name. */
  readonly details: MessageDetails | null
  readonly references: readonly InboundReference[]
  readonly effects: InboundEffects
  readonly optChange: OptChange | undefined
  readonly eventId: EventId
  /** With the same marks. */
  readonly body: Uint8Array
}

/**
 * `again`: nothing was written, because the contact was erased or has another address by now, or somebody has locked its
 * row or its conversation.
 */
export type InboundTry = readonly WrittenDelivery[] | 'again'

/** A message that another one names. Unknown, its id is null. */
export interface InboundReference {
  readonly mark: string
  readonly providerMessageId: string
}

/** The rendering of templates. */
export interface TemplateRendering {
  render(
    template: SendTemplate,
    variables: Readonly<Record<string, string>>,
  ): { readonly text: string; readonly faults: readonly VariableFault[] }
  preview(
    template: SendTemplate,
    variables: Readonly<Record<string, string>>,
  ): Omit<MessagePreview, 'to' | 'userId' | 'type' | 'template' | 'windowExpiresAt'>
  /** The parameters in the provider's form. Null where the variables do not fit the template. */
  providerComponents(
    template: SendTemplate,
    variables: Readonly<Record<string, string>>,
  ): readonly unknown[] | null
}

export interface SendStart {
  readonly id: MessageId
  /** Whose start it is: a random number, because several processes may start one send. */
  readonly by: number
}

export interface MessageStore {
  sendContext(query: SendContextQuery): Promise<SendContext>
  /** True where the row was written; false where its idempotency key exists, or the contact has opted out or was erased. */
  insertOutbound(message: NewMessage): Promise<boolean>
  /**
   * Moves the row to SENDING: from now on a request may be with the provider. Returns the number of this
   * attempt; null where somebody else has the send. Asked again with the same start, because the reply was lost, it
   * returns the same.
   */
  startSending(start: SendStart): Promise<number | null>
  finishSend(outcome: SendOutcome): Promise<readonly WrittenDelivery[]>
  /**
   * Claims messages whose send did not start in time, except those of `optedOutSends`, and those that may have been sent
   * before Postgres was restored: they become UNKNOWN.
   */
  overdueSends(limit: number): Promise<Outgoing[]>
  /** Messages that were due in a completed campaign, whose contacts have opted out since an operator sent again. */
  optedOutSends(limit: number): Promise<OptedOutSend[]>
  /**
   * Marks sends of dead processes as UNKNOWN, and those of before a restore of Postgres. Returns messages that have stayed
   * UNKNOWN for too long.
   */
  lostSends(limit: number): Promise<LostSend[]>
  statusTargets(updates: readonly StatusTarget[]): Promise<readonly FoundMessage[]>
  changeStatuses(changes: readonly StatusChange[]): Promise<readonly WrittenDelivery[]>
  /** Undefined, and nothing is written, where the contact was erased since its id was read. */
  insertInbound(write: InboundWrite): Promise<readonly WrittenDelivery[] | undefined>
  /**
   * The same for several, in their order, in one statement that waits for no row: only for those that `canShare` allows,
   * unless there is but one.
   */
  tryInbounds(writes: readonly InboundWrite[]): Promise<readonly InboundTry[]>
}

export interface MarketingChoice {
  readonly isOptedOut: boolean
  /** The person chose it in the provider's app, or the provider said so when it refused a message. */
  readonly source: 'preference' | 'refusal'
  /** The provider's time. */
  readonly at: Date
}

export interface ConsentWrite extends MarketingChoice, Pick<Parties, 'contactId' | 'conversationId'> {
  readonly workspaceId: WorkspaceId
  readonly eventId: EventId
  readonly body: Uint8Array
}

export interface ConsentStore {
  /** To whom a message went; undefined where the contact was erased. */
  recipientOf(messageId: MessageId): Promise<(Parties & Pick<SenderNumber, 'workspaceId'>) | undefined>
  /**
   * Writes the event and the audit entry too, if the choice changes anything: an older one than is known does not.
   * Undefined, and nothing is written, where the contact was erased or merged since its id was read.
   */
  chooseMarketing(choice: ConsentWrite): Promise<readonly WrittenDelivery[] | undefined>
}

export interface LostSend {
  readonly id: MessageId
  readonly conversationId: ConversationId
}

export interface OptedOutSend extends LostSend {
  readonly recipientId: RecipientId
}

export interface StatusTarget {
  readonly providerMessageId: string
  readonly messageId: MessageId | null
  readonly phoneNumberId: string
}

export interface FoundMessage {
  readonly id: MessageId
  readonly workspaceId: WorkspaceId
  /** Of the recipient. */
  readonly address: string
  readonly userId: string | null
  readonly conversationId: ConversationId
  readonly providerMessageId: string | null
  readonly recipientId: RecipientId | null
}
