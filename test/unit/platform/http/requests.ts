// Requests without a socket, for handlers under test.
import { AppError } from '../../../../src/contract/errors.ts'
import type { HttpHandler, HttpRequest } from '../../../../src/platform/http/exchange.ts'

export interface RequestParts {
  readonly method?: string
  /** Includes the query. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent as it is; anything else as JSON, with its content type. */
  readonly body?: unknown
  readonly requestId?: string
}

export function request(parts: RequestParts): HttpRequest {
  const { pathname, search } = new URL(parts.url, 'http://gateway.test')
  const isText = typeof parts.body === 'string'
  const bytes = Buffer.from(isText ? String(parts.body) : (JSON.stringify(parts.body) ?? ''))
  const headers: Record<string, string> = {
    ...(parts.body === undefined || isText ? {} : { 'content-type': 'application/json' }),
    ...parts.headers,
  }
  return {
    method: parts.method ?? (parts.body === undefined ? 'GET' : 'POST'),
    path: pathname,
    query: new URLSearchParams(search),
    requestId: parts.requestId ?? 'req-1',
    publicUrl: 'http://gateway.test',
    remoteAddress: '127.0.0.1',
    signal: new AbortController().signal,
    header: (name) => headers[name],
    body: async (limitBytes) => {
      if (bytes.byteLength > limitBytes) throw new AppError('PAYLOAD_TOO_LARGE', 'too large')
      return bytes
    },
    async *bodyStream(limitBytes) {
      if (bytes.byteLength > limitBytes) throw new AppError('PAYLOAD_TOO_LARGE', 'too large')
      yield bytes
    },
  }
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes.
  readonly json: any
}

export async function dispatch(handler: HttpHandler, parts: RequestParts): Promise<Answered> {
  const response = await handler(request(parts))
  const json =
    typeof response.body === 'string' && response.body !== '' ? JSON.parse(response.body) : undefined
  return { status: response.status, headers: response.headers ?? {}, json }
}
