// The bodies of the events as schemas, for the API reference. contract/events.ts builds the bodies.
import * as v from 'valibot'
import type {
  AccountUpdatedData,
  CallEventObject,
  CallStatusData,
  DirectEventKind,
  EventKind,
  MessageReceivedData,
  MessageStatusData,
  QueuedEventKind,
} from '../../contract/events.ts'
import { callStatuses } from '../../contract/records/call.ts'
import { directions, messageTypes } from '../../contract/records/message.ts'
import { about } from '../../platform/http/shown.ts'
import { accountStateView } from './account.ts'
import { sessionView } from './calls.ts'
import { failureView, idView, timestamp, whoView } from './fields.ts'
import { detailsView } from './message-details.ts'

const digits = about(
  v.string(),
  "The customer's number as digits, without a plus; empty where the number is hidden.",
)
const ours = about(v.string(), "The workspace's number, with its plus.")
const duration = about(v.nullable(v.pipe(v.number(), v.integer())), 'Null while the call has none.')
const wacid = about(v.string(), "The provider's id of the call.")
const occurredAt = about(
  timestamp,
  'When it happened, however late it arrives; never before what it follows.',
)

const messageStatus = v.object({
  messageId: idView('message'),
  conversationId: idView('conversation'),
  providerMessageId: v.string(),
  status: v.picklist(['SENT', 'DELIVERED', 'READ', 'FAILED']),
  occurredAt,
  error: about(
    v.exactOptional(v.object({ ...failureView.entries, code: v.exactOptional(v.string()) })),
    'Present only when `status` is FAILED.',
  ),
}) satisfies v.GenericSchema<unknown, MessageStatusData>

const messageReceived = v.object({
  messageId: idView('message'),
  conversationId: idView('conversation'),
  text: v.string(),
  from: digits,
  fromName: about(v.string(), "The customer's profile name."),
  ...whoView,
  to: ours,
  type: about(v.picklist(messageTypes), 'The kind of message, as in its record.'),
  optChange: about(
    v.exactOptional(v.picklist(['opted-out', 'opted-in'])),
    'Present only when the text, written or on the tapped button of a template, was STOP or START.',
  ),
  details: v.exactOptional(detailsView),
}) satisfies v.GenericSchema<unknown, MessageReceivedData>

const accountUpdated = v.object({
  updateId: idView('accountUpdate'),
  wabaId: about(
    v.nullable(v.string()),
    "The provider's id of the account; null where an error of a send told it.",
  ),
  ...accountStateView.entries,
}) satisfies v.GenericSchema<unknown, AccountUpdatedData>

const callStatus = v.object({
  callId: idView('call'),
  conversationId: idView('conversation'),
  wacid,
  direction: v.picklist(directions),
  status: v.picklist(callStatuses),
  contactWaId: digits,
  ...whoView,
  occurredAt,
  durationSeconds: duration,
}) satisfies v.GenericSchema<unknown, CallStatusData>

const callObject = <Status extends 'RINGING' | 'ACCEPTED'>(status: Status) =>
  v.object({
    id: idView('call'),
    wacid,
    direction: v.picklist(directions),
    status: v.literal(status),
    from: digits,
    fromName: v.string(),
    ...whoView,
    to: ours,
    phoneNumberId: about(v.string(), "The provider's id of the number."),
    conversationId: idView('conversation'),
    durationSeconds: duration,
    session: sessionView,
  }) satisfies v.GenericSchema<unknown, CallEventObject>

const queued = <Data extends v.GenericSchema>(event: QueuedEventKind, data: Data, title: string) =>
  v.pipe(
    v.object({
      event: v.literal(event),
      sentAt: about(timestamp, 'When the event was made; the same on every attempt.'),
      data,
    }),
    v.title(title),
  )

const direct = <Call extends v.GenericSchema>(event: DirectEventKind, call: Call, title: string) =>
  v.pipe(v.object({ event: v.literal(event), channel: v.literal('CHAT'), call }), v.title(title))

export const eventSchemas: Readonly<Record<EventKind, v.GenericSchema>> = {
  'message.status': queued('message.status', messageStatus, 'MessageStatusEvent'),
  'message.received': queued('message.received', messageReceived, 'MessageReceivedEvent'),
  'call.status': queued('call.status', callStatus, 'CallStatusEvent'),
  'call.ringing': direct('call.ringing', callObject('RINGING'), 'CallRingingEvent'),
  'account.updated': queued('account.updated', accountUpdated, 'AccountUpdatedEvent'),
  'call.accepted': direct('call.accepted', callObject('ACCEPTED'), 'CallAcceptedEvent'),
}
