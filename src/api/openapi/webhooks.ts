// The events as OpenAPI webhooks: headers, bodies, and the effect of each response.
import { type EventKind, eventClasses, eventKinds } from '../../contract/events.ts'
import { limits } from '../../contract/limits.ts'
import type { JsonSchema } from '../../platform/http/shown.ts'
import { eventSchemas } from '../schemas/events.ts'
import { acceptedCall, answer, call, ids, offer } from './examples.ts'
import type { SchemaBook } from './schema.ts'

interface EventNotes {
  readonly summary: string
  readonly description: string
  readonly example: JsonSchema
}

const sentAt = '2026-11-20T14:21:04.877Z'

const callExample = (status: 'RINGING' | 'ACCEPTED') => ({
  id: ids.call,
  wacid: call.wacid,
  direction: status === 'RINGING' ? 'INBOUND' : 'OUTBOUND',
  status,
  from: call.from,
  fromName: call.fromName,
  userId: call.userId,
  username: call.username,
  to: call.to,
  phoneNumberId: call.phoneNumberId,
  conversationId: call.conversationId,
  durationSeconds: null,
  session: status === 'RINGING' ? offer : answer,
})

const notes: Readonly<Record<EventKind, EventNotes>> = {
  'message.status': {
    summary: 'A message that the workspace sent was sent, delivered, read or has failed',
    description:
      'One event for every change; a status never goes backwards, and a step may be skipped (READ without DELIVERED before it).',
    example: {
      event: 'message.status',
      sentAt,
      data: {
        messageId: ids.message,
        conversationId: ids.conversation,
        providerMessageId: 'wamid.HBgLMTU1NTcwMDAwMDEVAgARGBI',
        status: 'SENT',
        occurredAt: '2026-11-20T14:21:04.000Z',
      },
    },
  },
  'message.received': {
    summary: 'A customer wrote to the workspace',
    description:
      'Goes to every endpoint that lists it, unless the number is assigned to one: then to that one alone. ' +
      'STOP and START, in any case, set `optChange`. `type` and `details` say what it holds besides its text.',
    example: {
      event: 'message.received',
      sentAt,
      data: {
        messageId: ids.inbound,
        conversationId: ids.conversation,
        text: 'Is it open?',
        from: '15557000101',
        fromName: 'Ines Duarte',
        userId: call.userId,
        username: call.username,
        to: '+15550001111',
        type: 'TEXT',
        details: {
          context: {
            messageId: ids.message,
            providerMessageId: 'wamid.HBgLMTU1NTcwMDAwMDEVAgARGBI',
            forwarded: false,
            frequentlyForwarded: false,
            product: null,
          },
        },
      },
    },
  },
  'call.status': {
    summary: 'Anything happened to a call',
    description: 'One event for every transition, of inbound and outbound calls alike.',
    example: {
      event: 'call.status',
      sentAt,
      data: {
        callId: ids.call,
        conversationId: ids.conversation,
        wacid: call.wacid,
        direction: 'INBOUND',
        status: 'COMPLETED',
        contactWaId: acceptedCall.contactWaId,
        userId: call.userId,
        username: call.username,
        occurredAt: '2026-11-20T14:31:20.401Z',
        durationSeconds: 73,
      },
    },
  },
  'call.ringing': {
    summary: 'A call rings; carries the SDP offer',
    description:
      'Only for numbers that are set to forward, to the endpoint the number is assigned to. Answer with `POST /calls/{id}/answer`.',
    example: { event: 'call.ringing', channel: 'CHAT', call: callExample('RINGING') },
  },
  'call.accepted': {
    summary: "A call that the workspace placed was answered; carries the provider's SDP answer",
    description:
      'To the endpoint of a number that is set to forward; without Forward, to every endpoint that lists it.',
    example: { event: 'call.accepted', channel: 'CHAT', call: callExample('ACCEPTED') },
  },
  'contact.updated': {
    summary: 'A customer has stopped or resumed marketing messages',
    description:
      "In the provider's app, or known from the provider's refusal of a message. One event for every change; of several, " +
      'the latest `occurredAt` counts. STOP and START of a customer come with `message.received`.',
    example: {
      event: 'contact.updated',
      sentAt,
      data: {
        conversationId: ids.conversation,
        from: call.from,
        userId: call.userId,
        username: call.username,
        marketingOptedOut: true,
        source: 'preference',
        occurredAt: '2026-11-20T14:21:04.000Z',
      },
    },
  },
  'account.updated': {
    summary: 'The provider reports about the account, its numbers or its templates',
    description:
      'Restrictions, bans, violations, alerts, the messaging limit, quality, names, categories, and problems with the payment. ' +
      'The data is the state from now on: a later event of the same `topic`, `number` and `template` replaces it; compare `occurredAt`.',
    example: {
      event: 'account.updated',
      sentAt,
      data: {
        updateId: 'acu_01m7x2r6d9gx3b4k7m0p5q8s2v',
        wabaId: '102290129340398',
        topic: 'RESTRICTION',
        status: 'RESTRICTED_BIZ_INITIATED_MESSAGING',
        severity: 'CRITICAL',
        number: null,
        template: null,
        message: 'The provider restricts starting conversations.',
        advice: 'Look at the account quality in the business manager of the provider.',
        occurredAt: '2026-11-20T14:21:04.000Z',
        until: '2026-11-27T14:21:04.000Z',
        details: { event: 'ACCOUNT_RESTRICTION' },
      },
    },
  },
}

const queuedRules =
  `Queued: the time limit is 10 seconds; a failure is tried again after 10 s, 1 min, 5 min, 30 min and 2 h, ${limits.attempts} attempts in all. ` +
  '`Retry-After` on 429 and 503 can lengthen a delay, up to 2 h. Delivery is at least once: deduplicate on `x-communication-delivery`. ' +
  `${limits.failuresToDisable} failed attempts in a row switch the endpoint off until it is turned on in the console; what comes meanwhile is held for replay.`

const directRules =
  'Direct: the time limit is 5 seconds, one attempt, no log entry and no replay. Answer 200 at once and work afterwards. ' +
  'If a gateway crashes or stands still, it may come again: deduplicate on `call.id`. ' +
  'A failure stands on the call as `lastForwardError`; `GET /calls/{id}/offer` gives the offer again while an inbound call rings.'

const header = (name: string, description: string, example: string, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
  example,
})

const isQueued = (event: EventKind): boolean => eventClasses[event].delivery === 'queued'

const deliveryOf = (event: EventKind): string =>
  isQueued(event) ? 'dlv_01m7x2pa0cf3r8k5s2t9w4y6zb' : `${event}.6f2c1b9e-3d0a-4c57-8e21-5b7a9d4f0c36`

const answerBy = header(
  'x-communication-answer-by',
  'When the provider may stop ringing: answer the call before. A socket frame has no headers; there, count 30 s from the first frame.',
  '2026-11-20T14:25:30.127Z',
)

/** Headers of an event over HTTPS. A socket frame has no headers. */
const headers = (event: EventKind) => [
  header('x-communication-event', 'The kind of event.', event),
  header(
    'x-communication-delivery',
    isQueued(event)
      ? 'The same over all attempts of a delivery: deduplicate on it.'
      : 'Another one for every send: deduplicate on `call.id`.',
    deliveryOf(event),
  ),
  header('x-communication-attempt', `1 to ${limits.attempts}; a replay goes on counting.`, '1'),
  header(
    'x-communication-signature-256',
    '`sha256=` and the hex HMAC-SHA256 of the exact bytes of the body under the signing secret. Compare in constant time; answer 401 where it differs.',
    'sha256=4f1c0f9ee7c1a5a0b8f4e6f0f1f8a8f3e7a2d6c5b4a39281706f5e4d3c2b1a09',
  ),
  header(
    'x-communication-signature-256-previous',
    'The same under the secret before a rotation, while both are valid.',
    'sha256=9a0b1c2d3e4f5061728394a5b4c5d6e2a7e3f8a8f1f0f6e4f8b0a5a1c7ee9f0c',
    false,
  ),
  header('webhook-id', 'Standard Webhooks: the delivery.', deliveryOf(event)),
  header('webhook-timestamp', 'Standard Webhooks: the time of the attempt in seconds.', '1795184464'),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
  ...(event === 'call.ringing' ? [answerBy] : []),
]

export const webhooks = (book: SchemaBook): Record<EventKind, { post: JsonSchema }> =>
  Object.fromEntries(eventKinds.map((event) => [event, { post: webhook(event, book) }])) as Record<
    EventKind,
    { post: JsonSchema }
  >

function webhook(event: EventKind, book: SchemaBook): JsonSchema {
  const { summary, description, example } = notes[event]
  return {
    operationId: `on${event.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: ['events'],
    summary,
    description: `${description}\n\n${isQueued(event) ? queuedRules : directRules}`,
    'x-delivery': eventClasses[event].delivery,
    security: [],
    parameters: headers(event),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: book.add(eventSchemas[event], 'output'), example } },
    },
    responses: {
      '2XX': { description: 'Taken. The body of the answer is kept in the delivery log and not read.' },
      401: { description: 'The signature does not match. A failure, as is everything but 2xx.' },
    },
  }
}
