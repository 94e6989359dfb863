// Builds bodies of test events: in the real format, but about a conversation or call that does not exist.
import {
  type DirectEventKind,
  directBody,
  type EventKind,
  eventClasses,
  type QueuedEventKind,
  queuedBody,
} from '../contract/events.ts'
import { encodeId, newId } from '../shared/ids.ts'

export interface SampleEvent {
  /** The id of an invented conversation or call. */
  readonly key: string
  readonly body: Buffer
}

const CUSTOMER = { number: '15550100001', name: 'Test Event' }
const who = { userId: 'US.10000000000000000001', username: null }
const WORKSPACE_NUMBER = '+15550100000'

const marks = ['"wamid.test"', '"wacid.test"', `"${who.userId}"`, '"TEST_EVENT"']

/** Whether the body of an event that begins like this was made here. */
export const isSample = (beginning: string): boolean => marks.some((mark) => beginning.includes(mark))

export const isDirectKind = (kind: EventKind): kind is DirectEventKind =>
  eventClasses[kind].delivery === 'direct'

export function sampleEvent(kind: EventKind, at: Date): SampleEvent {
  const key = newId(kind.startsWith('call.') ? 'call' : 'conversation')
  return {
    key,
    body: isDirectKind(kind) ? directSample(kind, key) : queuedSample(kind as QueuedEventKind, key, at),
  }
}

function queuedSample(kind: QueuedEventKind, key: string, at: Date): Buffer {
  const occurredAt = at.toISOString()
  const messageId = encodeId('message', newId('message'))
  switch (kind) {
    case 'message.status':
      return queuedBody(kind, at, {
        messageId,
        conversationId: encodeId('conversation', key),
        providerMessageId: 'wamid.test',
        status: 'DELIVERED',
        occurredAt,
      })
    case 'message.received':
      return queuedBody(kind, at, {
        messageId,
        conversationId: encodeId('conversation', key),
        text: 'This is a test event.',
        from: CUSTOMER.number,
        fromName: CUSTOMER.name,
        ...who,
        to: WORKSPACE_NUMBER,
        type: 'TEXT',
      })
    case 'call.status':
      return queuedBody(kind, at, {
        callId: encodeId('call', key),
        conversationId: encodeId('conversation', newId('conversation')),
        wacid: 'wacid.test',
        direction: 'INBOUND',
        status: 'MISSED',
        contactWaId: CUSTOMER.number,
        ...who,
        occurredAt,
        durationSeconds: null,
      })
    case 'contact.updated':
      return queuedBody(kind, at, {
        conversationId: encodeId('conversation', key),
        from: CUSTOMER.number,
        ...who,
        marketingOptedOut: true,
        source: 'preference',
        occurredAt,
      })
    case 'account.updated':
      return queuedBody(kind, at, {
        updateId: encodeId('accountUpdate', newId('accountUpdate')),
        ...{ wabaId: '100000000000000', topic: 'ALERT', status: 'TEST_EVENT', severity: 'INFO' },
        ...{ number: WORKSPACE_NUMBER, template: null, message: 'This is a test event.', advice: null },
        ...{ occurredAt, until: null, details: {} },
      })
  }
}

function directSample(kind: DirectEventKind, key: string): Buffer {
  const isRinging = kind === 'call.ringing'
  return directBody(kind, {
    id: encodeId('call', key),
    wacid: 'wacid.test',
    direction: isRinging ? 'INBOUND' : 'OUTBOUND',
    status: isRinging ? 'RINGING' : 'ACCEPTED',
    from: CUSTOMER.number,
    fromName: CUSTOMER.name,
    ...who,
    to: WORKSPACE_NUMBER,
    phoneNumberId: '100000000000000',
    conversationId: encodeId('conversation', newId('conversation')),
    durationSeconds: null,
    session: { sdpType: isRinging ? 'offer' : 'answer', sdp: sampleSdp(isRinging ? 'actpass' : 'active') },
  })
}

/** A well-formed audio session that connects to nothing: port 9 is the discard port. */
const sampleSdp = (setup: string): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111',
    'c=IN IP4 0.0.0.0',
    'a=mid:0',
    'a=sendrecv',
    'a=rtcp-mux',
    'a=ice-ufrag:test',
    'a=ice-pwd:testtesttesttesttesttest',
    `a=fingerprint:sha-256 ${Array(32).fill('00').join(':')}`,
    `a=setup:${setup}`,
    'a=rtpmap:111 opus/48000/2',
    '',
  ].join('\r\n')
