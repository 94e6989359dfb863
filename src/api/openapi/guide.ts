// The chapters of the reference about all routes. They may use only the Markdown that docs/html.ts renders.
import { limits } from '../../contract/limits.ts'

export interface Chapter {
  readonly id: string
  readonly title: string
  readonly text: string
}

export const introduction =
  'Send and receive chat messages, answer and place voice calls, and run campaigns. Everything is JSON over HTTPS; ' +
  'what happens is pushed to your endpoints as signed events.'

const block = (...lines: readonly string[]) => ['```', ...lines, '```'].join('\n')

export const guide: readonly Chapter[] = [
  {
    id: 'authentication',
    title: 'Authentication',
    text: [
      'Send the API key with every request:',
      block('Authorization: Bearer ck_live_...'),
      'A client that cannot set that header sends `X-Api-Key` instead; where both are present, `Authorization` counts. ' +
        'A key belongs to one workspace and selects it: no parameter names another. Keys, their scopes and webhook ' +
        'endpoints are managed in the console. A change of scopes, a revocation and a suspension apply from the next request on.',
    ].join('\n\n'),
  },
  {
    id: 'conventions',
    title: 'Conventions',
    text: [
      '- Ids are opaque: `msg_`, `call_` and so on, and 26 letters.',
      '- Times are ISO 8601 in UTC with milliseconds.',
      '- Phone numbers in requests have their plus. In records and events the customer is digits alone, the number of the workspace has its plus.',
      "- An unknown field or query parameter is refused: a typing error is never ignored. Answers may gain fields: ignore those you don't know.",
      `- A request body has at most ${limits.bodyBytes / 1024} KiB.`,
      "- Another workspace's id is answered exactly as one that does not exist: `404`.",
      '- A known path with another method is `405 METHOD_NOT_ALLOWED`, with `Allow`.',
    ].join('\n'),
  },
  {
    id: 'lists',
    title: 'Lists',
    text:
      `A list answers \`{"data": [...], "nextCursor": ...}\`, newest first unless the list says otherwise. \`limit\` is 1 to ${limits.pageMax}, ${limits.pageDefault} where it is left out. ` +
      'Pass `nextCursor` as `cursor` for the next page until it is null; new rows do not shift the pages. ' +
      'To poll, use `updatedSince`: the list is then by change, the oldest first, and its `updatedUntil` is the `updatedSince` of the next poll. ' +
      'Nothing is left out, also not what is committed late; some of it may come again. See [Lists and polling](/docs/lists).',
  },
  {
    id: 'idempotency',
    title: 'Idempotency',
    text:
      'Give every send an `idempotencyKey` of your own. The same key with the same body answers `200` with the first message as it ' +
      'stands now and the header `Idempotent-Replayed: true`; nothing is sent again, even when two requests arrive at the same ' +
      'instant. With another body it is `409 IDEMPOTENCY_KEY_REUSED`. Keys are kept for 30 days or longer.',
  },
  {
    id: 'rate-limits',
    title: 'Rate limits',
    text:
      'Each key has a token bucket, 100 requests a second with a burst of 200 unless the console says otherwise. Every answer ' +
      'carries `RateLimit-Policy` and `RateLimit`. Past it the answer is `429 RATE_LIMITED`; wait as many seconds as `Retry-After` says. ' +
      'A process past its own limits answers `503 OVERLOADED` at once, also with `Retry-After`.',
  },
  {
    id: 'versioning',
    title: 'Versioning',
    text:
      'The version is in the path: `/api/v1`. Within it, fields, events and error codes are added and nothing is taken away ' +
      'or changes its meaning. What cannot be done that way becomes `/api/v2`, beside which v1 goes on.',
  },
]
