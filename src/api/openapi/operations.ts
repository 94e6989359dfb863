// Additional documentation of each route, by method and path. A test checks that no route is missing.

import type { JsonSchema } from '../../platform/http/shown.ts'
import { recipientRow, recipientView } from '../schemas/campaigns.ts'
import * as example from './examples.ts'
import type { OperationNotes } from './operation-notes.ts'
import { privacyNotes } from './privacy-operations.ts'
import { convert } from './schema.ts'
import { sendingNotes } from './sending-operations.ts'

const csv = { schema: { type: 'string', description: 'RFC 4180, with a header row.' } }

/** OpenAPI cannot describe one line of a stream, so `x-line-schema` does. */
const jsonLines = (what: string, line: JsonSchema, example: string): JsonSchema => ({
  schema: { type: 'string', description: `One a line (NDJSON): ${what}`, 'x-line-schema': line },
  example,
})

/** Generated clients send a text as JSON, in quotes; bytes they send as they are. */
const sent = ({ schema, ...rest }: JsonSchema): JsonSchema => ({
  schema: { ...(schema as JsonSchema), format: 'binary' },
  ...rest,
})

const integer = { type: 'integer' }

const verdict: JsonSchema = {
  type: 'object',
  properties: {
    index: { ...integer, description: 'Of the row in the call, from 0.' },
    to: { type: 'string' },
    verdict: { type: 'string', enum: ['added', 'duplicate', 'skipped', 'invalid'] },
    message: { type: 'string', description: 'What is wrong with an invalid row.' },
  },
  required: ['index', 'to', 'verdict'],
}

const sums = { added: integer, duplicates: integer, skipped: integer, invalid: integer }

const summary: JsonSchema = {
  type: 'object',
  properties: { summary: { type: 'object', properties: sums, required: Object.keys(sums) } },
  required: ['summary'],
}

const fileBytes = { schema: { type: 'string', format: 'binary' } }

export const operationNotes: Readonly<Record<string, OperationNotes>> = {
  ...sendingNotes,
  'GET /messages/chat': {
    id: 'listMessages',
    answer: 'A page of messages, sent and received.',
    response: example.page(example.deliveredMessage),
  },
  'GET /messages/chat/:id': { id: 'getMessage', answer: 'The message.', response: example.deliveredMessage },
  'POST /messages/chat/preview': {
    id: 'previewMessage',
    description:
      'Nothing is stored or sent. Some reasons to refuse a send do not refuse a preview: a template that is not approved, ' +
      'variables that do not fit (the answer lists them), opt-outs, the end of the 24 hours, a person without a number, ' +
      'and a workspace without a default number.',
    answer: 'What the customer would read, and which variables do not fit.',
    request: { to: example.send.to, template: example.send.template },
    response: example.preview,
  },
  'GET /messages/chat/:id/media': {
    id: 'getMessageMedia',
    description:
      'The bytes as a download, whole or one range of them. A file that is still being fetched from the provider is waited ' +
      'for up to 5 seconds; then the answer is `503 UNAVAILABLE` with `Retry-After`.',
    answer: 'The file, with its own `Content-Type`.',
    responseContent: { '*/*': fileBytes },
    also: {
      206: {
        description: 'The part that `Range` asked for.',
        content: { '*/*': fileBytes },
      },
      304: { description: 'Not changed since the `ETag` of `If-None-Match`.' },
    },
  },
  'POST /messages/chat/:id/read': {
    id: 'readMessage',
    description:
      'Marks the message, and every earlier one of its conversation, as read. A repeat is the same answer.',
    answer: 'The message, READ.',
    response: example.inboundMessage,
  },
  'POST /conversations/:id/read': {
    id: 'readConversation',
    answer: 'How many messages became read.',
    response: example.marked,
  },
  'POST /conversations/:id/typing': {
    id: 'showTyping',
    description:
      'Until a message is sent, or for 25 seconds. The channel cannot show it without marking the conversation as read.',
    answer: 'Shown, and marked as read.',
    response: example.marked,
  },
  'GET /conversations': {
    id: 'listConversations',
    answer: 'A page of conversations.',
    response: example.page(example.conversation),
  },
  'GET /conversations/:id': {
    id: 'getConversation',
    answer: 'The conversation.',
    response: example.conversation,
  },
  'GET /calls/ice': {
    id: 'getIceServers',
    description: 'Credentials are minted for this answer and hold until `expiresAt`.',
    answer: 'STUN and TURN servers.',
    response: example.ice,
  },
  'GET /templates': {
    id: 'listTemplates',
    description: 'Templates are submitted in the console and judged by the provider.',
    answer: 'A page of templates.',
    response: example.page(example.template),
  },
  'GET /templates/:id': { id: 'getTemplate', answer: 'The template.', response: example.template },
  'GET /numbers': {
    id: 'listNumbers',
    answer: 'A page of numbers.',
    response: example.page(example.number),
  },
  'GET /numbers/:id': { id: 'getNumber', answer: 'The number.', response: example.number },
  'GET /calls': { id: 'listCalls', answer: 'A page of calls.', response: example.page(example.acceptedCall) },
  'GET /calls/:id': { id: 'getCall', answer: 'The call.', response: example.call },
  'GET /calls/:id/offer': {
    id: 'getCallOffer',
    description:
      'For a receiver that missed `call.ringing`. The offer is kept while an inbound call rings, and is gone once it is answered or has ended.',
    answer: 'The offer.',
    response: {
      callId: example.ids.call,
      session: example.offer,
      fetchedAt: '2026-11-20T14:30:02.118Z',
    },
  },
  'POST /calls/:id/answer': {
    id: 'answerCall',
    description:
      'Answers once the provider has accepted. Of two answers that race exactly one wins; the other gets `409 CALL_ALREADY_ANSWERED`. ' +
      "The winner's repeat with the same SDP is 200. The provider holds a ringing call for 30 to 60 seconds.",
    answer: 'The call, ACCEPTED.',
    request: { session: example.answer },
    response: example.acceptedCall,
  },
  'POST /calls/:id/action': {
    id: 'actOnCall',
    description:
      '`PRE_ACCEPT` sets up the media with an SDP answer before the call is answered, which makes the answer quicker; ' +
      '`DECLINE` refuses a ringing call; `HANG_UP` ends a live one. Answers once the provider has agreed; a repeat is 200.',
    answer: 'The call as it is afterwards.',
    request: { action: 'DECLINE' },
    response: example.declinedCall,
  },
  'POST /conversations/:id/call': {
    id: 'placeCall',
    description:
      "The provider's SDP answer is not in this answer: it comes in `call.accepted` when the customer has picked up. " +
      'The contact must have granted permission to be called. If the provider refuses the call, it is kept as FAILED: ' +
      '`details` of the error has its id under `callId`. With an `Idempotency-Key`, a repeated request never places a second call.',
    answer: 'Placed: the call, INITIATED.',
    replay: 'This `Idempotency-Key` was used with this body before: the first call as it stands now.',
    request: { session: example.offer },
    response: example.placedCall,
  },
  'GET /campaigns': {
    id: 'listCampaigns',
    answer: 'A page of campaigns.',
    response: example.page(example.campaign),
  },
  'GET /campaigns/:id': { id: 'getCampaign', answer: 'The campaign.', response: example.campaign },
  'GET /campaigns/:id/estimate': {
    id: 'estimateCampaign',
    description:
      'As things stand now: what other campaigns do later, and what the provider holds back, nobody knows. A fifth of the ' +
      "number's rate stays reserved for single sends; campaigns that run from one number share the rest.",
    answer: 'How long it will take, and what stands in its way.',
    response: example.estimate,
  },
  'POST /campaigns': {
    id: 'createCampaign',
    description:
      'Nothing is sent yet: recipients are added to the draft next. With an `Idempotency-Key`, a repeated request makes no second campaign.',
    answer: 'The campaign, DRAFT.',
    replay: 'This `Idempotency-Key` was used with this body before: the first campaign as it stands now.',
    request: example.newCampaign,
    response: { ...example.campaign, counts: { ...example.campaign.counts, total: 0, pending: 0 } },
  },
  'PATCH /campaigns/:id': {
    id: 'updateCampaign',
    description: 'What the body does not name stays as it is.',
    answer: 'The campaign as it is now.',
    request: { messagesPerSecond: 40 },
    response: example.campaign,
  },
  'POST /campaigns/:id/start': {
    id: 'startCampaign',
    description:
      'A draft whose `startAt` is in the future is SCHEDULED and begins by itself; one whose time was missed by more than ' +
      'an hour pauses as OVERDUE instead. Starting one that is started already changes nothing. With `now` it starts at once ' +
      'and loses its `startAt`, all in one step.',
    answer: 'The campaign, RUNNING or SCHEDULED.',
    response: { ...example.campaign, status: 'RUNNING', startedAt: example.campaign.updatedAt },
  },
  'POST /campaigns/:id/pause': {
    id: 'pauseCampaign',
    description:
      'Waits for what is with the provider, for up to a little over two seconds; `inFlight` says how much of it still had ' +
      'no answer then. A schedule is taken back: the campaign is a DRAFT again.',
    answer: 'The campaign, PAUSED or DRAFT.',
    response: { ...example.campaign, status: 'PAUSED', pausedAt: example.campaign.updatedAt, inFlight: 0 },
  },
  'POST /campaigns/:id/cancel': {
    id: 'cancelCampaign',
    description: 'As a pause, for good: whoever still waits is CANCELLED.',
    answer: 'The campaign, CANCELLED.',
    response: {
      ...example.campaign,
      status: 'CANCELLED',
      cancelledAt: example.campaign.updatedAt,
      inFlight: 0,
    },
  },
  'DELETE /campaigns/:id': {
    id: 'deleteCampaign',
    description: 'With its recipients. Messages that it sent stay in the log.',
    answer: 'Deleted.',
  },
  'GET /campaigns/:id/recipients': {
    id: 'listRecipients',
    description:
      'With `Accept: text/csv` or `application/x-ndjson` the answer streams every recipient that the filters leave; `limit` ' +
      'and `cursor` do not go with it.',
    answer: 'A page of recipients, or all of them.',
    response: example.page(example.recipient),
    responseContent: {
      'text/csv': csv,
      'application/x-ndjson': jsonLines(
        'a recipient as in the list.',
        convert(recipientView, 'output'),
        `${JSON.stringify(example.recipient)}\n`,
      ),
    },
  },
  'POST /campaigns/:id/recipients': {
    id: 'addRecipients',
    description:
      'Rows that do not fit are listed in the answer and the others are added; a number that the campaign has already is ' +
      'counted and left as it is, so that a call can be repeated. CSV and JSON a line are read while they come, up to ' +
      '1,000,000 rows or 256 MiB, and added in batches: what was added stays when an upload breaks off, and an error in ' +
      'the middle of one says how far it came. The column of the number is `to`, or else `phone`, `phone number`, ' +
      '`number`, `msisdn` or `mobile`, and `user_id` where that is empty or missing; the others are variables by name; a header with semicolons or tabs tells that they ' +
      'separate cells. With `Accept: application/x-ndjson` the answer is a verdict a row as batches are committed, and ' +
      'then a summary, or an error: read it while you send.',
    answer: 'What was added, and what was not.',
    request: example.newRecipients,
    requestContent: {
      'text/csv': sent({ ...csv, example: example.recipientsCsv }),
      'application/x-ndjson': sent(
        jsonLines('a row as in the JSON body.', convert(recipientRow, 'input'), example.recipientLines),
      ),
    },
    response: { added: 2, duplicates: 0, skipped: 0, invalid: [], invalidCount: 0 },
    responseContent: {
      'application/x-ndjson': jsonLines(
        'a verdict for each row, then `summary`, or `error` where the rest was not taken.',
        { oneOf: [verdict, summary, { $ref: '#/components/schemas/Error' }] },
        example.verdictLines,
      ),
    },
  },
  'DELETE /campaigns/:id/recipients': {
    id: 'removeRecipients',
    answer: 'How many were removed.',
    request: { to: ['+15557000001'] },
    response: { removed: 1 },
  },
  ...privacyNotes,
}
