// The events of the API contract: how each is delivered, and the form of its body.

export const eventKinds = [
  'message.status',
  'message.received',
  'call.status',
  'call.ringing',
  'call.accepted',
  'contact.updated',
] as const

export type EventKind = (typeof eventKinds)[number]
export type QueuedEventKind = 'message.status' | 'message.received' | 'call.status' | 'contact.updated'
export type DirectEventKind = 'call.ringing' | 'call.accepted'

export const eventClasses = {
  'message.status': { delivery: 'queued', dedupeField: 'messageId' },
  'message.received': { delivery: 'queued', dedupeField: 'messageId' },
  'call.status': { delivery: 'queued', dedupeField: 'callId' },
  'call.ringing': { delivery: 'direct' },
  'call.accepted': { delivery: 'direct' },
  'contact.updated': { delivery: 'queued', dedupeField: 'conversationId' },
} as const satisfies Record<EventKind, { delivery: 'queued' | 'direct'; dedupeField?: string }>

export type MessageStatusEvent = 'SENT' | 'DELIVERED' | 'READ' | 'FAILED'

export interface MessageStatusData {
  messageId: string
  conversationId: string
  providerMessageId: string
  status: MessageStatusEvent
  occurredAt: string
  /** Present only when status is FAILED. */
  error?: { title: string; code?: string }
}

export interface CallPermissionDetails {
  response: string
  granted: boolean
  isPermanent: boolean
  /** Null for a permanent permission, for a refusal, and where the provider did not tell. */
  expiresAt: string | null
  source: string
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
  optChange?: 'opted-out' | 'opted-in'
  details?: { callPermission?: CallPermissionDetails }
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

export interface ContactUpdatedData {
  /** With the number that the person chose it for, or whose message was refused. */
  conversationId: string
  /** Digits; empty where the number is hidden. */
  from: string
  userId: string | null
  username: string | null
  /** Of the person, whichever number of the workspace writes. */
  marketingOptedOut: boolean
  source: 'preference' | 'refusal'
  occurredAt: string
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
  'contact.updated': ContactUpdatedData
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

/** The exact text of a direct event. Never stored, because it contains SDP. */
export const directText = (event: DirectEventKind, call: CallEventObject): string =>
  JSON.stringify({ event, channel: 'CHAT', call })

export const directBody = (event: DirectEventKind, call: CallEventObject): Buffer =>
  Buffer.from(directText(event, call))
