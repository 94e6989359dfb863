// Sends every request to the provider's API: adds path and token, reads the result, writes one log line.
import type { Logger } from 'pino'
import type * as v from 'valibot'
import type { ProviderAccount, ProviderResult } from '../../contract/provider.ts'
import { type Judge, readAnswer, traceOf } from './answer.ts'
import type { ConnectionPool } from './connection-pool.ts'
import type { Form } from './multipart.ts'
import type { Exchange } from './pending-exchange.ts'

export interface ProviderRequest<T> {
  /** Name for the log and the metrics, such as `message.template`. */
  readonly operation: string
  /** Call signalling has its own connections, so that a campaign cannot delay a call. */
  readonly pool: 'calls' | 'messages'
  readonly method: 'GET' | 'POST'
  /** Path segments after the version. Each is escaped. */
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Added to the usual ones, or in their place. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the JSON body. */
  readonly form?: Form
  /** In place of the deadline of all requests. */
  readonly timeoutMs?: number
  readonly schema: v.GenericSchema<unknown, T>
  readonly isWanted?: (() => boolean) | undefined
  readonly judge?: Judge
}

/** The result of one request, for log and metrics. Contains no message content. */
export interface ProviderRequestRecord {
  readonly operation: string
  readonly workspaceId: string
  readonly phoneNumberId: string
  readonly outcome: ProviderResult<unknown>['type']
  readonly code?: string
  readonly subcode?: string
  /** Without what the request said, as the provider may quote it. */
  readonly details?: string
  readonly errorClass?: string
  readonly httpStatus?: number
  readonly traceId?: string
  readonly durationMs: number
}

export type Ask = <T>(account: ProviderAccount, request: ProviderRequest<T>) => Promise<ProviderResult<T>>

export interface AskOptions {
  readonly pools: Readonly<Record<ProviderRequest<unknown>['pool'], ConnectionPool>>
  /** Path of the base address and the version, such as `/v24.0`. */
  readonly prefix: string
  readonly log: Logger
  readonly observe?: ((record: ProviderRequestRecord) => void) | undefined
}

// Some hosts of the provider refuse requests without a User-Agent.
export const USER_AGENT = 'Switchboard'

export function createAsk({ pools, prefix, log, observe }: AskOptions): Ask {
  return async (account, request) => {
    const startedAt = performance.now()
    const exchange = await pools[request.pool].exchange({
      method: request.method,
      path: pathOf(prefix, request),
      isWanted: request.isWanted,
      timeoutMs: request.timeoutMs,
      ...encode(account, request),
    })
    const result = readAnswer(exchange, { secret: account.accessToken, ...request })
    const record = {
      operation: request.operation,
      workspaceId: account.workspaceId,
      phoneNumberId: account.phoneNumberId,
      ...describe(result, exchange, request),
      durationMs: Math.round(performance.now() - startedAt),
    }
    log[result.type === 'ok' ? 'debug' : 'warn'](record, 'provider.requested')
    observe?.(record)
    return result
  }
}

function pathOf(prefix: string, { path, query }: ProviderRequest<unknown>): string {
  const segments = path.map((segment) => `/${encoded(segment)}`).join('')
  return `${prefix}${segments}${query ? `?${new URLSearchParams(query)}` : ''}`
}

/** Ids of uploads have colons and equals signs, which need no escape in a path. */
const encoded = (segment: string): string =>
  encodeURIComponent(segment).replaceAll('%3A', ':').replaceAll('%3D', '=')

function encode(account: ProviderAccount, { body, form, headers: own }: ProviderRequest<unknown>) {
  const headers: Record<string, string> = {
    authorization: `Bearer ${account.accessToken}`,
    'user-agent': USER_AGENT,
    accept: 'application/json',
    ...own,
  }
  if (form) {
    headers['content-type'] = form.contentType
    headers['content-length'] = `${form.length}`
    return { headers, body: form.body }
  }
  if (body === undefined) return { headers }
  headers['content-type'] = 'application/json'
  return { headers, body: JSON.stringify(body) }
}

function describe(result: ProviderResult<unknown>, exchange: Exchange, request: ProviderRequest<unknown>) {
  const ofAnswer = exchange.type === 'answered' ? traceOf(exchange) : null
  if (result.type === 'ok') return { outcome: result.type, ...(ofAnswer !== null && { traceId: ofAnswer }) }
  const { code, subcode, details, httpStatus } = result.error
  const traceId = result.error.traceId ?? ofAnswer
  const shown = details && withoutContent(details, request)
  return {
    outcome: result.type,
    code,
    ...(subcode && { subcode }),
    ...(shown && { details: shown }),
    errorClass: result.error.class,
    ...(httpStatus === null ? {} : { httpStatus }),
    ...(traceId && { traceId }),
  }
}

const maxLoggedDetails = 300
/** Shorter texts are in any sentence. */
const minContent = 3

/** The provider's explanation without what it quotes of the request. That of a call may quote its SDP. */
export function withoutContent(
  details: string,
  { pool, body }: Pick<ProviderRequest<unknown>, 'pool' | 'body'>,
): string {
  if (pool === 'calls') return ''
  const longestFirst = [...contentOf(body)].sort((a, b) => b.length - a.length)
  return longestFirst
    .reduce((text, content) => text.replaceAll(content, '…'), details)
    .slice(0, maxLoggedDetails)
}

/**
 * Fields whose texts are the protocol's words and our ids. With a dot, only within that field: the name of a location is
 * content. Within none stands the name of a new template.
 */
const protocol = new Set([
  ...['messaging_product', 'recipient_type', 'type', 'sub_type', 'index'],
  ...['.name', 'template.name', 'action.name', 'language.code'],
])

const isProtocol = (field: string, within: string): boolean =>
  protocol.has(field) || protocol.has(`${within}.${field}`)

function* contentOf(value: unknown, field = '', within = ''): Generator<string> {
  if (typeof value === 'string' && value.length >= minContent && !isProtocol(field, within)) {
    yield value
    // The provider may quote a number without its plus.
    if (/^\+\d+$/.test(value)) yield value.slice(1)
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, one] of Object.entries(value))
    yield* Array.isArray(value) ? contentOf(one, field, within) : contentOf(one, name, field)
}
