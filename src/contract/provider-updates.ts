// The content of the provider's webhooks in our terms. src/provider/incoming creates these updates, and the
// features apply them. Updates may be repeated, late and out of order: every consumer must accept each of
// them at any time.
import type { AccountUpdate } from './account-health.ts'
import type { MessageStatusEvent, SessionDescription } from './events.ts'
import type { Person } from './person.ts'
import type { ProviderErrorClass } from './provider-errors.ts'
import type { TemplateCategory, TemplateStatus } from './records/catalog.ts'
import type { Direction, MessageType } from './records/message.ts'
import type { MessageDetails } from './records/message-details.ts'

export interface ReportedError {
  readonly code: string
  readonly title: string
  readonly details: string | null
  readonly subcode?: string | null
  readonly traceId?: string | null
  readonly class: ProviderErrorClass
}

export interface MessageStatusUpdate {
  readonly type: 'messageStatus'
  readonly phoneNumberId: string
  readonly providerMessageId: string
  readonly status: MessageStatusEvent
  readonly at: Date
  /** The value that the send passed: our message id, known even if the answer to the send was lost. */
  readonly opaque: string | null
  /** Whom the provider names as the recipient; null for a group. */
  readonly recipient: Person | null
  /** Set exactly when status is FAILED. */
  readonly error: ReportedError | null
}

export interface InboundMedia {
  readonly providerMediaId: string
  readonly mimeType: string
  readonly fileName: string | null
  /** Hex. */
  readonly sha256: string | null
}

export interface InboundMessageUpdate {
  readonly type: 'inboundMessage'
  readonly phoneNumberId: string
  readonly providerMessageId: string
  readonly from: Person
  /** The numbers and user ids that the person had until now: the message tells the change. */
  readonly formerly?: readonly string[]
  readonly at: Date
  readonly messageType: MessageType
  /** Empty if there is no text, such as for an image without a caption. */
  readonly text: string
  readonly media: InboundMedia | null
  /** Our ids of the messages that it names are null: they are looked up where it is written. */
  readonly details: MessageDetails | null
}

interface CallUpdate {
  readonly wacid: string
  readonly phoneNumberId: string
  readonly at: Date
  readonly opaque: string | null
}

/**
 * Inbound: the call rings, with the offer. Outbound: the provider's answer, maybe while the phone rings. Gateways hand
 * this and a terminate over as JSON: versions N and N−1 must understand each other, and `at`, `startedAt` and `endedAt` are
 * all their dates.
 */
export interface CallConnectUpdate extends CallUpdate {
  readonly type: 'callConnect'
  readonly direction: Direction
  /** The person who calls or is called; never null for an inbound call. */
  readonly person: Person | null
  /** Null if the provider sent no usable session description. */
  readonly session: SessionDescription | null
}

/** Outbound calls only. */
export interface CallStatusUpdate extends CallUpdate {
  readonly type: 'callStatus'
  readonly status: 'RINGING' | 'ACCEPTED' | 'REJECTED'
  readonly recipient: Person | null
}

export interface CallTerminateUpdate extends CallUpdate {
  readonly type: 'callTerminate'
  readonly direction: Direction
  readonly person: Person | null
  /** Not reliable for calls that were never answered. */
  readonly outcome: 'COMPLETED' | 'FAILED' | null
  /** Null if the call was never answered. */
  readonly durationSeconds: number | null
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  readonly error: ReportedError | null
}

/** Of the template with this name and language: the id that the provider also tells may be too large to be exact. */
interface TemplateUpdate {
  readonly wabaId: string
  readonly name: string
  readonly language: string
  readonly at: Date
}

export interface TemplateStatusUpdate extends TemplateUpdate {
  readonly type: 'templateStatus'
  readonly status: TemplateStatus
  /** The provider's reason, if it gives one. */
  readonly reason: string | null
}

export interface TemplateCategoryUpdate extends TemplateUpdate {
  readonly type: 'templateCategory'
  readonly category: TemplateCategory
  readonly previousCategory: TemplateCategory | null
  /** Set where the provider will change the category. */
  readonly nextCategory: TemplateCategory | null
  readonly changesAt: Date | null
}

/** Its components were edited at the provider. The update tells only some of them. */
export interface TemplateContentUpdate extends TemplateUpdate {
  readonly type: 'templateContent'
}

/** The user stopped or resumed marketing messages in the provider's own client. */
export interface UserPreferenceUpdate {
  readonly type: 'userPreference'
  readonly phoneNumberId: string
  readonly person: Person
  readonly category: string
  readonly value: 'stop' | 'resume'
  readonly at: Date
}

/** The person has another number or user id than before. */
export interface IdentityChangeUpdate {
  readonly type: 'identityChange'
  readonly phoneNumberId: string
  /** As the person is known from now on. */
  readonly person: Person
  /** The numbers and user ids until now. */
  readonly before: readonly string[]
  readonly at: Date
}

export type ProviderUpdate =
  | MessageStatusUpdate
  | InboundMessageUpdate
  | CallConnectUpdate
  | CallStatusUpdate
  | CallTerminateUpdate
  | TemplateStatusUpdate
  | TemplateCategoryUpdate
  | TemplateContentUpdate
  | AccountUpdate
  | UserPreferenceUpdate
  | IdentityChangeUpdate

export type ProviderUpdateType = ProviderUpdate['type']
