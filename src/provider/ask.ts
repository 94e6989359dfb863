// Every JSON request to the provider goes through here: address, token, deadline, result, one log line.
import type { Logger } from 'pino'
import type * as v from 'valibot'
import type { ProviderAccount, ProviderResult } from '../contract/provider.ts'
import { type Judge, readAnswer } from './answer.ts'
import type { Lane } from './lane.ts'
import type { Form } from './multipart.ts'
import type { Exchange } from './pending-exchange.ts'

export interface ProviderRequest<T> {
  /** For the log and the metrics, such as `message.template`. */
  readonly operation: string
  /** Call signalling has connections of its own, so that no campaign makes a caller wait. */
  readonly lane: 'calls' | 'messages'
  readonly method: 'GET' | 'POST'
  /** Segments after the version; each is escaped. */
  readonly path: readonly string[]
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** In place of a JSON body. */
  readonly form?: Form
  readonly schema: v.GenericSchema<unknown, T>
  readonly isWanted?: (() => boolean) | undefined
  readonly judge?: Judge
}

/** What is known of a request once it has ended; without content. */
export interface ProviderRequestRecord {
  readonly operation: string
  readonly workspaceId: string
  readonly phoneNumberId: string
  readonly outcome: ProviderResult<unknown>['type']
  readonly code?: string
  readonly errorClass?: string
  readonly httpStatus?: number
  readonly traceId?: string
  readonly durationMs: number
}

export type Ask = <T>(account: ProviderAccount, request: ProviderRequest<T>) => Promise<ProviderResult<T>>

export interface AskOptions {
  readonly lanes: Readonly<Record<ProviderRequest<unknown>['lane'], Lane>>
  /** Path of the base address and the version, such as `/v24.0`. */
  readonly prefix: string
  readonly log: Logger
  readonly observe?: ((record: ProviderRequestRecord) => void) | undefined
}

// Some of the provider's hosts turn away requests without one.
export const USER_AGENT = 'Switchboard'

export function createAsk({ lanes, prefix, log, observe }: AskOptions): Ask {
  return async (account, request) => {
    const startedAt = performance.now()
    const exchange = await lanes[request.lane].exchange({
      method: request.method,
      path: pathOf(prefix, request),
      isWanted: request.isWanted,
      ...encode(account, request),
    })
    const result = readAnswer(exchange, { ...request, secret: account.accessToken })
    const record = {
      operation: request.operation,
      workspaceId: account.workspaceId,
      phoneNumberId: account.phoneNumberId,
      ...describe(result, exchange),
      durationMs: Math.round(performance.now() - startedAt),
    }
    log[result.type === 'ok' ? 'debug' : 'warn'](record, 'provider.requested')
    observe?.(record)
    return result
  }
}

function pathOf(prefix: string, { path, query }: ProviderRequest<unknown>): string {
  const segments = path.map((segment) => `/${encodeURIComponent(segment)}`).join('')
  return `${prefix}${segments}${query ? `?${new URLSearchParams(query)}` : ''}`
}

function encode(account: ProviderAccount, { body, form }: ProviderRequest<unknown>) {
  const headers = {
    authorization: `Bearer ${account.accessToken}`,
    'user-agent': USER_AGENT,
    accept: 'application/json',
  }
  if (form) return { headers: { ...headers, 'content-type': form.contentType }, body: form.body }
  if (body === undefined) return { headers }
  return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function describe(result: ProviderResult<unknown>, exchange: Exchange) {
  const traceId = exchange.type === 'answered' ? exchange.headers['x-fb-trace-id'] : undefined
  const trace = typeof traceId === 'string' ? { traceId } : {}
  if (result.type === 'ok') return { outcome: result.type, ...trace }
  const { code, httpStatus } = result.error
  return {
    outcome: result.type,
    code,
    errorClass: result.error.class,
    ...(httpStatus === null ? {} : { httpStatus }),
    ...trace,
  }
}
