// What the messages domain needs of the world; the wiring provides it.
import type { WrittenDelivery } from '../contract/dispatch.ts'
import type { ProviderAccount } from '../contract/provider.ts'
import type { InboundMessageUpdate } from '../contract/provider-updates.ts'
import type { MessagePreview, MessageRecord } from '../contract/records/message.ts'
import type {
  ConversationId,
  EventId,
  KeyId,
  MessageId,
  NumberId,
  RecipientId,
  Uuid,
  WorkspaceId,
} from '../shared/ids.ts'
import type { OutboundStatus } from './message.machine.ts'
import type { SendVerdict } from './send-policy.ts'
import type { OptChange } from './stop-keywords.ts'

export interface SenderNumber {
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly number: string
  readonly phoneNumberId: string
}

export interface SendTemplate {
  readonly status: string
  readonly parameterFormat: 'NAMED' | 'POSITIONAL'
  readonly components: readonly unknown[]
}

/** All that decides a send, read at once. */
export interface SendContext {
  readonly number: SenderNumber | null
  readonly account: ProviderAccount | null
  readonly template: SendTemplate | null
  readonly optedOut: boolean
  /** The message this idempotency key already made. */
  readonly earlier: { readonly id: MessageId; readonly hash: string } | null
}

export interface SendContextQuery {
  readonly workspaceId: WorkspaceId
  readonly waId: string
  /** A number's id or E.164; null: the default number. */
  readonly from: { readonly numberId: NumberId } | { readonly number: string } | null
  readonly templateName: string
  readonly templateLanguage: string
  readonly idempotencyKey: string | null
}

export interface Parties {
  readonly contactId: Uuid
  readonly conversationId: ConversationId
}

export interface NewMessage extends Parties {
  readonly id: MessageId
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly text: string
  readonly template: NonNullable<MessageRecord['template']>
  readonly metadata: Readonly<Record<string, string>>
  /** Null where an operator sends. */
  readonly keyId: KeyId | null
  readonly idempotencyKey: string | null
  /** Hex digest of the request, to tell a repeat from another request under the same key. */
  readonly idempotencyHash: string | null
  readonly createdAt: Date
}

/** A message to hand to the provider. */
export interface Outgoing {
  readonly id: MessageId
  readonly workspaceId: WorkspaceId
  readonly conversationId: ConversationId
  readonly account: ProviderAccount
  /** Digits. */
  readonly to: string
  readonly template: NonNullable<MessageRecord['template']>
  readonly definition: SendTemplate
  /** Sends tried before. */
  readonly attempts: number
}

export interface StatusChange {
  readonly messageId: MessageId
  /** Of the campaign that sent it, if one did. */
  readonly recipientId: RecipientId | null
  readonly providerMessageId: string | null
  readonly status: OutboundStatus
  readonly at: Date
  readonly error: { readonly code: string; readonly title: string } | null
  readonly eventId: EventId
  readonly body: Uint8Array
}

export interface SendOutcome {
  readonly outgoing: Outgoing
  readonly verdict: SendVerdict
}

export interface InboundWrite extends Parties {
  readonly id: MessageId
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly update: InboundMessageUpdate
  readonly optChange: OptChange | undefined
  readonly eventId: EventId
  readonly body: Uint8Array
}

/** What templates know; another domain, so it comes through the wiring. */
export interface TemplateRendering {
  render(
    template: SendTemplate,
    variables: Readonly<Record<string, string>>,
  ): { readonly text: string; readonly missing: readonly string[]; readonly unexpected: readonly string[] }
  preview(
    template: SendTemplate,
    variables: Readonly<Record<string, string>>,
  ): Omit<MessagePreview, 'to' | 'template'>
  /** The parameters in the provider's form. */
  providerComponents(template: SendTemplate, variables: Readonly<Record<string, string>>): readonly unknown[]
}

export interface MessageStore {
  sendContext(query: SendContextQuery): Promise<SendContext>
  /** True where the row was written; false where its idempotency key exists already or the contact opted out. */
  insertOutbound(message: NewMessage): Promise<boolean>
  /** Marks that a request may be on the wire from now on; false where somebody else took the message. */
  startSending(id: MessageId): Promise<boolean>
  finishSending(outcome: SendOutcome, failure: FailureEvent | null): Promise<readonly WrittenDelivery[]>
  /** Messages whose send waits longer than it should, taken for this process. */
  overdueSends(limit: number): Promise<Outgoing[]>
  /** Messages that were handed over, were never heard of again, and are given up. */
  lostSends(limit: number): Promise<LostSend[]>
  statusTargets(updates: readonly StatusTarget[]): Promise<readonly FoundMessage[]>
  changeStatuses(changes: readonly StatusChange[]): Promise<readonly WrittenDelivery[]>
  insertInbound(write: InboundWrite): Promise<readonly WrittenDelivery[]>
}

export interface FailureEvent {
  readonly eventId: EventId
  readonly body: Uint8Array
}

export interface LostSend {
  readonly id: MessageId
  readonly conversationId: ConversationId
}

export interface StatusTarget {
  readonly providerMessageId: string
  readonly messageId: MessageId | null
  readonly phoneNumberId: string
}

export interface FoundMessage {
  readonly id: MessageId
  readonly conversationId: ConversationId
  readonly providerMessageId: string | null
  readonly recipientId: RecipientId | null
}
