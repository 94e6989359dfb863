// A call as the store keeps it, and as others see it: the record of the API and the bodies of its events.
import {
  type CallEventObject,
  type DirectEventKind,
  directText,
  queuedText,
  type SessionDescription,
} from '../contract/events.ts'
import type { CallRecord, CallStatus, ForwardError } from '../contract/records/call.ts'
import type { Direction } from '../contract/records/message.ts'
import { phoneOf } from '../shared/address.ts'
import {
  type CallId,
  type ConversationId,
  encodeId,
  type NumberId,
  type Uuid,
  type WorkspaceId,
} from '../shared/ids.ts'
import { hasEnded } from './call.machine.ts'

export type PendingAction = 'PLACE' | 'ANSWER' | 'PRE_ACCEPT' | 'DECLINE' | 'HANG_UP'
export type ForwardState = 'ATTEMPTING' | 'OK' | 'FAILED'

/** The fields of a call that never change; the last three come from its number and contact. */
export interface CallIdentity {
  readonly id: CallId
  readonly workspaceId: WorkspaceId
  readonly conversationId: ConversationId
  readonly numberId: NumberId
  readonly contactId: Uuid
  readonly direction: Direction
  readonly fromName: string | null
  readonly createdAt: Date
  /** The workspace's number, with a plus. */
  readonly number: string
  readonly phoneNumberId: string
  /** Of the customer: digits, or a user id where the number is not known. */
  readonly contactAddress: string
  readonly userId: string | null
  readonly username: string | null
}

/** The fields of a call that a turn of the actor may change. */
export interface CallProgress {
  /** The provider's id of the call. Null for a placed call until the provider has named it. */
  readonly wacid: string | null
  readonly status: CallStatus
  readonly version: number
  readonly forwardState: ForwardState | null
  readonly forwardStartedAt: Date | null
  readonly lastForwardError: ForwardError | null
  readonly pendingAction: PendingAction | null
  readonly actionId: string | null
  readonly actionAt: Date | null
  /** SHA-256 in hex of the SDP that answered or pre-accepted the call: recognises a repeated answer. */
  readonly answerHash: string | null
  /** The same of an SDP whose accept may have succeeded unnoticed. The call can still be answered. */
  readonly doubtHash: string | null
  readonly endReason: string | null
  readonly error: { readonly code: string; readonly title: string } | null
  readonly ringingAt: Date | null
  readonly acceptedAt: Date | null
  /** Set on a live outbound call: the provider ended it; whether the customer declined is not known yet. */
  readonly endedAt: Date | null
  readonly durationSeconds: number | null
  /** When the provider's last update arrived. */
  readonly heardAt: Date | null
  readonly wakeAt: Date | null
}

export interface CallRow extends CallIdentity, CallProgress {}

export type CallRecordRow = Omit<
  CallRow,
  'version' | 'forwardState' | 'forwardStartedAt' | 'error' | 'heardAt' | 'wakeAt' | keyof Pending
>
type Pending = Pick<CallRow, 'pendingAction' | 'actionId' | 'actionAt' | 'answerHash' | 'doubtHash'>

export function toCallRecord(row: CallRecordRow): CallRecord {
  const ended = hasEnded(row)
  const phone = phoneOf(row.contactAddress) ?? ''
  return {
    id: encodeId('call', row.id),
    wacid: row.wacid,
    direction: row.direction,
    status: row.status,
    from: phone,
    fromName: row.fromName,
    to: row.number,
    numberId: encodeId('number', row.numberId),
    phoneNumberId: row.phoneNumberId,
    conversationId: encodeId('conversation', row.conversationId),
    contactWaId: phone,
    userId: row.userId,
    username: row.username,
    ringingAt: iso(row.ringingAt),
    acceptedAt: iso(row.acceptedAt),
    endedAt: ended ? iso(row.endedAt) : null,
    durationSeconds: row.durationSeconds,
    endReason: ended ? row.endReason : null,
    lastForwardError: row.lastForwardError && {
      ...row.lastForwardError,
      endpointId: row.lastForwardError.endpointId && encodeId('endpoint', row.lastForwardError.endpointId),
    },
    createdAt: row.createdAt.toISOString(),
  }
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null

type StatusFacts = Pick<
  CallRow,
  | 'id'
  | 'conversationId'
  | 'wacid'
  | 'direction'
  | 'status'
  | 'contactAddress'
  | 'userId'
  | 'username'
  | 'durationSeconds'
>

/** The body of `call.status` as text. `wacid` is empty while the provider has not named the call. */
export const statusBody = (call: StatusFacts, at: Date, sentAt = at): string =>
  queuedText('call.status', sentAt, {
    callId: encodeId('call', call.id),
    conversationId: encodeId('conversation', call.conversationId),
    wacid: call.wacid ?? '',
    direction: call.direction,
    status: call.status,
    contactWaId: phoneOf(call.contactAddress) ?? '',
    userId: call.userId,
    username: call.username,
    occurredAt: at.toISOString(),
    durationSeconds: call.durationSeconds,
  })

/** The body of a direct event as text. It contains SDP, so it must go only to the endpoint. */
export const forwardBody = (event: DirectEventKind, call: CallRow, session: SessionDescription): string =>
  directText(event, eventObject(call, event === 'call.ringing' ? 'RINGING' : 'ACCEPTED', session))

const eventObject = (
  call: CallRow,
  status: CallEventObject['status'],
  session: SessionDescription,
): CallEventObject => ({
  id: encodeId('call', call.id),
  wacid: call.wacid ?? '',
  direction: call.direction,
  status,
  from: phoneOf(call.contactAddress) ?? '',
  fromName: call.fromName ?? '',
  userId: call.userId,
  username: call.username,
  to: call.number,
  phoneNumberId: call.phoneNumberId,
  conversationId: encodeId('conversation', call.conversationId),
  durationSeconds: call.durationSeconds,
  session,
})
