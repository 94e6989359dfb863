// The chapters of the reference about receiving events: the rules that schemas cannot express.
import { limits } from '../../contract/limits.ts'
import type { Chapter } from './guide.ts'

export const receiving: readonly Chapter[] = [
  {
    id: 'endpoints',
    title: 'Endpoints',
    text: [
      'An endpoint has a URL, the events it lists and a signing secret, which the console shows once. The scheme of the URL picks the way:',
      [
        '- `https`: one POST for each event. Any 2xx within the time limit takes it; a redirect is a failure and never followed.',
        '- `wss`: Switchboard dials you and keeps one socket for all events of the endpoint, one text frame for each, the same bytes as over HTTPS. ' +
          'A frame counts as delivered once you have read it, which the pongs of your WebSocket library tell; send nothing else. After 3 minutes without an event it is closed with code 1000, and dialled again for the next one.',
      ].join('\n'),
      `Addresses must be encrypted and public. A workspace has at most ${limits.endpointsPerWorkspace} endpoints.`,
    ].join('\n\n'),
  },
  {
    id: 'signatures',
    title: 'Signatures',
    text:
      'Every POST carries `x-communication-signature-256`: `sha256=` and the hex HMAC-SHA256 of the raw bytes of the body under the ' +
      'signing secret, taken as text with its `whsec_`. Verify the bytes as they came, before anything parses them, compare in constant ' +
      'time, and answer 401 where they differ. While a rotated secret overlaps, `x-communication-signature-256-previous` is the same under the one before. ' +
      'The three [Standard Webhooks](https://www.standardwebhooks.com) headers are sent too, and its libraries verify deliveries as they are.',
  },
  {
    id: 'socket',
    title: 'Socket handshake',
    text: [
      'The upgrade request carries three headers:',
      [
        '- `x-communication-timestamp`: when it was dialled, in milliseconds.',
        '- `x-communication-nonce`: a UUID, new for every connection.',
        '- `x-communication-signature-256`: `sha256=` and the hex HMAC-SHA256 of `<timestamp>.<nonce>` under the signing secret.',
      ].join('\n'),
      'Refuse a timestamp five minutes or more away from your clock, and close with code 1008 on a bad signature. Rotating the secret or editing the URL closes the socket.',
    ].join('\n\n'),
  },
  {
    id: 'retries',
    title: 'Retries',
    text: [
      `\`message.status\`, \`message.received\`, \`call.status\`, \`contact.updated\` and \`account.updated\` are queued. The time limit is 10 seconds; a failure is tried again after 10 s, 1 min, 5 min, 30 min and 2 h, ${limits.attempts} attempts in all. ` +
        '`Retry-After` on 429 and 503 lengthens a delay, up to 2 h. Every attempt and replay sends the same bytes.',
      `${limits.failuresToDisable} failed attempts in a row switch the endpoint off. What happens meanwhile is held, and the console replays or discards it.`,
      '`call.ringing` and `call.accepted` are direct: one attempt within 5 seconds, before everything else, in no log. Answer 200 at once and work afterwards. ' +
        'A failure stands on the call as `lastForwardError`, and `GET /calls/{id}/offer` gives the offer again while an inbound call rings.',
    ].join('\n\n'),
  },
  {
    id: 'deduplication',
    title: 'Deduplication and order',
    text: [
      'Delivery is at least once. `x-communication-delivery` is the same over all attempts of a queued delivery: remember it and take each once. ' +
        '`call.ringing` and `call.accepted` have another one for every send: take each `call.id` once. A frame of a socket has no headers; there, these fields identify an event:',
      [
        '- `message.status`: `data.messageId` and `data.status`.',
        '- `message.received`: `data.messageId`.',
        '- `call.status`: `data.callId` and `data.status`.',
        '- `contact.updated`: `data.conversationId`, `data.occurredAt` and `data.marketingOptedOut`.',
        '- `account.updated`: `data.updateId`.',
        '- `call.ringing`, `call.accepted`: `call.id`.',
      ].join('\n'),
      'First attempts of one conversation or call start in the order in which things happened. A retry may come late, so order events by `data.occurredAt`. ' +
        '`message.received` has none: order it by `sentAt`, the time at which the event was made, or by `createdAt` of the message, the time of the provider.',
    ].join('\n\n'),
  },
]
