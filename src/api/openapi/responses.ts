// OpenAPI responses: the errors of every route, the errors of one route, and their headers.
import { type ErrorCode, errorCatalog } from '../../contract/errors.ts'
import { grants, type Scope, scopes } from '../../contract/scopes.ts'
import type { JsonSchema } from '../../platform/http/shown.ts'
import type { ApiRoute } from '../route.ts'
import { errorExamples } from './error-examples.ts'

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
})

/** components.headers */
export const headers = {
  'X-Request-Id': text(
    "The caller's own, where it sent a sane one, else a new one. Quote it when you ask about a request.",
    'b1f6c0de-7a51-4a0e-9d0f-4f1d3c5e7a90',
  ),
  'RateLimit-Policy': text("The key's bucket: `q` requests a window of `w` seconds.", '"key";q=200;w=2'),
  RateLimit: text('What is left: `r` requests, full again in `t` seconds.', '"key";r=199;t=1'),
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'Idempotent-Replayed': text('`true`: this request was made before, and nothing was done again.', 'true'),
  'WWW-Authenticate': text('How to authenticate.', 'Bearer'),
}

const headerRef = (name: keyof typeof headers) => [name, { $ref: `#/components/headers/${name}` }] as const

const always = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'] as const

export const headersWith = (...names: readonly (keyof typeof headers)[]): JsonSchema =>
  Object.fromEntries([...always, ...names].map(headerRef))

/** components.schemas.Error */
export const errorSchema: JsonSchema = {
  title: 'Error',
  description: 'Every refusal has this form.',
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: {
          type: 'string',
          enum: Object.keys(errorCatalog),
          description: 'For programs; never changes.',
        },
        message: { type: 'string', description: 'For people: says what to do.' },
        details: {
          type: 'array',
          description: 'Where there is something to list.',
          items: {
            type: 'object',
            properties: {
              path: { type: 'string', description: 'Of the field or query parameter.' },
              message: { type: 'string' },
            },
            required: ['message'],
          },
        },
        requestId: { type: 'string', description: 'As in `X-Request-Id`.' },
        docs: { type: 'string', description: 'The page about this code.' },
      },
      required: ['code', 'message', 'requestId', 'docs'],
    },
  },
  required: ['error'],
}

function refusal(codes: readonly ErrorCode[], extra: readonly (keyof typeof headers)[] = []): JsonSchema {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCatalog[code].meaning}`).join('\n\n'),
    headers: headersWith(...extra),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExamples(code) }])),
      },
    },
  }
}

const sharedCodes = {
  BadRequest: ['VALIDATION_ERROR'],
  BadBody: ['VALIDATION_ERROR', 'MALFORMED_JSON'],
  Unauthorized: ['UNAUTHORIZED', 'INVALID_API_KEY'],
  NotFound: ['NOT_FOUND'],
  BodyTooSlow: ['BODY_TOO_SLOW'],
  PayloadTooLarge: ['PAYLOAD_TOO_LARGE'],
  UnsupportedMediaType: ['UNSUPPORTED_MEDIA_TYPE'],
  HeadersTooLarge: ['HEADERS_TOO_LARGE'],
  RateLimited: ['RATE_LIMITED'],
  Internal: ['INTERNAL'],
  Unavailable: ['OVERLOADED', 'UNAVAILABLE'],
} as const satisfies Record<string, readonly ErrorCode[]>

type SharedName = keyof typeof sharedCodes

const sharedHeaders: Partial<Record<SharedName, readonly (keyof typeof headers)[]>> = {
  Unauthorized: ['WWW-Authenticate'],
  RateLimited: ['Retry-After'],
  Unavailable: ['Retry-After'],
}

/** components.responses: shared by all routes. */
export const sharedResponses: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(sharedCodes).map(([name, codes]) => [
    name,
    refusal(codes, sharedHeaders[name as SharedName]),
  ]),
)

const shared = (name: SharedName) => ({ $ref: `#/components/responses/${name}` })

const forbiddenCodes: readonly ErrorCode[] = ['FORBIDDEN', 'TENANT_SUSPENDED', 'IP_NOT_ALLOWED']

/** What a route answers besides its own errors. Those replace the ones `before`. */
function sharedOf({ body, upload }: ApiRoute): Record<'before' | 'after', Record<string, SharedName>> {
  return {
    before: {
      400: body ? 'BadBody' : 'BadRequest',
      401: 'Unauthorized',
      ...(body && { 413: 'PayloadTooLarge', 415: 'UnsupportedMediaType' }),
      ...(upload && { 408: 'BodyTooSlow' }),
    },
    after: { 429: 'RateLimited', 431: 'HeadersTooLarge', 500: 'Internal', 503: 'Unavailable' },
  }
}

/** All error responses of a route, by status. */
export function refusals(route: ApiRoute): Record<string, JsonSchema> {
  const { before, after } = sharedOf(route)
  return {
    ...mapped(before),
    403: forbidden(route.scope),
    ...ofItsOwn(route.errors),
    ...mapped(after),
  }
}

const mapped = (names: Readonly<Record<string, SharedName>>) =>
  Object.fromEntries(Object.entries(names).map(([status, name]) => [status, shared(name)]))

/** The codes of all these responses. */
export function codesOf(route: ApiRoute): ReadonlySet<ErrorCode> {
  const { before, after } = sharedOf(route)
  const names = [...Object.values(before), ...Object.values(after)]
  return new Set([...names.flatMap((name) => sharedCodes[name]), ...forbiddenCodes, ...route.errors])
}

function ofItsOwn(codes: readonly ErrorCode[]): Record<string, JsonSchema> {
  const statuses = [...new Set(codes.map((code) => errorCatalog[code].status))]
  const answer = (status: number) =>
    status === 404
      ? shared('NotFound')
      : refusal(codes.filter((code) => errorCatalog[code].status === status))
  return Object.fromEntries(statuses.map((status) => [status, answer(status)]))
}

/** The scope itself and every scope that includes it. */
export const scopesThatGrant = (needed: Scope): readonly Scope[] =>
  scopes.filter((held) => held === needed || grants([held], needed))

function forbidden(scope: Scope): JsonSchema {
  const enough = scopesThatGrant(scope)
    .map((name) => `\`${name}\``)
    .join(' or ')
  return {
    ...refusal(forbiddenCodes),
    description: `\`FORBIDDEN\`: the key lacks the scope; ${enough} is enough.\n\n\`TENANT_SUSPENDED\`: ${errorCatalog.TENANT_SUSPENDED.meaning}\n\n\`IP_NOT_ALLOWED\`: ${errorCatalog.IP_NOT_ALLOWED.meaning}`,
  }
}
