// The message record and its statuses.
import type { Failure } from './failure.ts'
import type { MessageDetails } from './message-details.ts'

export const messageTypes = [
  'TEMPLATE',
  'TEXT',
  'IMAGE',
  'AUDIO',
  'VIDEO',
  'DOCUMENT',
  'STICKER',
  'LOCATION',
  'CONTACTS',
  'REACTION',
  'BUTTON',
  'INTERACTIVE',
  'ORDER',
  'EDIT',
  'REVOKE',
  'SYSTEM',
  'CALL_PERMISSION_REPLY',
  'UNSUPPORTED',
] as const
export type MessageType = (typeof messageTypes)[number]

export const messageStatuses = ['QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'RECEIVED'] as const
export type MessageStatus = (typeof messageStatuses)[number]

export const directions = ['INBOUND', 'OUTBOUND'] as const
export type Direction = (typeof directions)[number]

/** A message before anything is sent: a template with its variables filled in, or a free-form one. */
export interface MessagePreview {
  /** Digits; empty where `to` was a user id. */
  to: string
  userId: string | null
  type: MessageType
  /** Null for a free-form message. */
  template: { name: string; language: string; variables: Record<string, string> } | null
  /** Until when free-form messages can be sent to this contact; null where the customer has never written or called. */
  windowExpiresAt: string | null
  /** TEXT, IMAGE, VIDEO, GIF, DOCUMENT, LOCATION or PRODUCT; null without a header. */
  headerFormat: string | null
  /** The text of the header, the link or id of its media, the name and address of its place, or its product. */
  header: string | null
  body: string
  footer: string | null
  buttons: readonly PreviewButton[]
  /** A limited-time offer; `expiresAt` as the variable gives it. */
  offer: { text: string; expiresAt: string | null } | null
  /** The cards of a carousel. */
  cards: readonly {
    headerFormat: string | null
    header: string | null
    body: string
    buttons: readonly PreviewButton[]
  }[]
  /** Header, body and footer as one text, which is the `text` of a sent message. */
  text: string
  missingVariables: readonly string[]
  unexpectedVariables: readonly string[]
  invalidVariables: readonly { name: string; message: string }[]
  /** Parts of the template that no variables fill: it cannot be sent. */
  unsupportedParts: readonly string[]
}

export interface PreviewButton {
  type: string
  text: string
  url?: string
  phoneNumber?: string
}

export interface MessageRecord {
  id: string
  conversationId: string
  providerMessageId: string | null
  direction: Direction
  type: MessageType
  status: MessageStatus
  text: string
  template: { name: string; language: string; variables: Record<string, string> } | null
  from: string
  fromName: string | null
  to: string
  /** Of the customer. A customer without a visible number has an empty text in `from` or `to`. */
  userId: string | null
  username: string | null
  numberId: string
  error: Failure | null
  media: { mimeType: string; fileName: string | null; sizeBytes: number | null; sha256: string | null } | null
  details: MessageDetails | null
  metadata: Record<string, string>
  caller: {
    apiKeyId: string | null
    apiKeyName: string | null
    idempotencyKey: string | null
    campaignId: string | null
  } | null
  createdAt: string
  sentAt: string | null
  deliveredAt: string | null
  readAt: string | null
  failedAt: string | null
}
