// The events of the API contract: how each is delivered, and the form of its body.

import type { AccountStateRecord } from './records/account.ts'

import type { MessageType } from './records/message.ts'
import type { MessageDetails } from './records/message-details.ts'

export type { CallPermissionDetails } from './records/message-details.ts'

export const eventKinds = [
  'message.status',
  'message.received',
  'call.status',
  'call.ringing',
  'call.accepted',
  'account.updated',
] as const

export type EventKind = (typeof eventKinds)[number]
export type QueuedEventKind = 'message.status' | 'message.received' | 'call.status' | 'account.updated'
export type DirectEventKind = 'call.ringing' | 'call.accepted'

export const eventClasses = {
  'message.status': { delivery: 'queued', dedupeField: 'messageId' },
  'message.received': { delivery: 'queued', dedupeField: 'messageId' },
  'call.status': { delivery: 'queued', dedupeField: 'callId' },
  'call.ringing': { delivery: 'direct' },
  'call.accepted': { delivery: 'direct' },
  'account.updated': { delivery: 'queued', dedupeField: 'updateId' },
} as const satisfies Record<EventKind, { delivery: 'queued' | 'direct'; dedupeField?: string }>

export type MessageStatusEvent = 'SENT' | 'DELIVERED' | 'READ' | 'FAILED'

export interface MessageStatusData {
  messageId: string
  conversationId: string
  providerMessageId: string
  status: MessageStatusEvent
  occurredAt: string
  /** Present only when status is FAILED. */
  error?: { title: string; code?: string; subcode?: string; details?: string; traceId?: string }
}

export interface MessageReceivedData {
  messageId: string
  conversationId: string
  text: string
  from: string
  fromName: string
  /** Of the customer. `from` is empty where the number is hidden. */
  userId: string | null
  username: string | null
  to: string
  /** The kind of message, as in its record. */
  type: MessageType
  optChange?: 'opted-out' | 'opted-in'
  details?: MessageDetails
}

export interface CallStatusData {
  callId: string
  conversationId: string
  wacid: string
  direction: 'INBOUND' | 'OUTBOUND'
  status: string
  contactWaId: string
  userId: string | null
  username: string | null
  occurredAt: string
  durationSeconds: number | null
}

/** The state of one matter of the account, as it is from now on. */
export interface AccountUpdatedData extends AccountStateRecord {
  updateId: string
  /** Null where no webhook told it, but an error of a send. */
  wabaId: string | null
}

export interface SessionDescription {
  sdpType: 'offer' | 'answer'
  sdp: string
}

/** The call object of call.ringing and call.accepted. */
export interface CallEventObject {
  id: string
  wacid: string
  direction: 'INBOUND' | 'OUTBOUND'
  status: 'RINGING' | 'ACCEPTED'
  from: string
  fromName: string
  userId: string | null
  username: string | null
  to: string
  phoneNumberId: string
  conversationId: string
  durationSeconds: number | null
  session: SessionDescription
}

interface QueuedData {
  'message.status': MessageStatusData
  'message.received': MessageReceivedData
  'call.status': CallStatusData
  'account.updated': AccountUpdatedData
}

/** The exact text of a queued event. It is built once, when the event occurs, so `sentAt` never changes. */
export const queuedText = <Kind extends QueuedEventKind>(
  event: Kind,
  sentAt: Date,
  data: QueuedData[Kind],
): string => JSON.stringify({ event, sentAt: sentAt.toISOString(), data })

export const queuedBody = <Kind extends QueuedEventKind>(
  event: Kind,
  sentAt: Date,
  data: QueuedData[Kind],
): Buffer => Buffer.from(queuedText(event, sentAt, data))

export const accountBody = (sentAt: Date, data: AccountUpdatedData): Buffer =>
  queuedBody('account.updated', sentAt, data)

/** The exact text of a direct event. Never stored, because it contains SDP. */
export const directText = (event: DirectEventKind, call: CallEventObject): string =>
  JSON.stringify({ event, channel: 'CHAT', call })

export const directBody = (event: DirectEventKind, call: CallEventObject): Buffer =>
  Buffer.from(directText(event, call))
