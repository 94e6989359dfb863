// One live request. uWebSockets frees its request object when the callback returns, so the head is copied
// before the first await.
import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { AppError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { BodyOptions } from './body-options.ts'
import type { ClientRoom } from './client-room.ts'
import { type HttpRequest, isSaneRequestId, RequestAborted } from './exchange.ts'
import { validationError } from './validate.ts'
import type { WireRequest, WireResponse } from './wire.ts'
import { WireBody } from './wire-body.ts'

/** The copied head. `fault`: why the request is unacceptable by its head. Its body is not read. */
export interface Head {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: ReadonlyMap<string, string>
  readonly fault: AppError | undefined
}

// Refuse a request in which a proxy in front and this parser could see different requests or different
// callers. The parser uses the first of several values, and takes any Transfer-Encoding for chunked.
const singular = new Set(['content-length', 'transfer-encoding', 'authorization', 'x-api-key', 'host'])

export function readHead(request: WireRequest): Head {
  const headers = new Map<string, string>()
  const path = request.getUrl()
  const query = request.getQuery() ?? ''
  const method = request.getCaseSensitiveMethod()
  let bytes = method.length + path.length + query.length
  let fault: Head['fault']
  request.forEach((name, value) => {
    bytes += name.length + value.length
    const before = headers.get(name)
    if (before !== undefined && singular.has(name)) fault = malformed(name, 'must not be repeated')
    // Join repeated headers into one list: each proxy may have added its own X-Forwarded-For line.
    else headers.set(name, before === undefined ? value : `${before}, ${value}`)
  })
  const encoding = headers.get('transfer-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    fault = malformed('transfer-encoding', 'must be chunked, or left out')
  const length = headers.get('content-length')
  if (length !== undefined && !/^\d{1,15}$/.test(length))
    fault = malformed('content-length', 'must be a number of bytes')
  if (bytes > limits.headBytes) fault ??= headTooLarge()
  return {
    method,
    path,
    query,
    headers,
    fault,
  }
}

const malformed = (path: string, message: string): AppError => validationError([{ path, message }])

const headTooLarge = (): AppError =>
  new AppError(
    'HEADERS_TOO_LARGE',
    `the path, the query and the headers must not be larger than ${limits.headBytes} bytes together`,
  )

// Shared by all requests without a query. No code modifies the query of a request.
const noQuery = new URLSearchParams()

export interface RequestOptions extends BodyOptions {
  /** Answers that wait for their client to read. */
  readonly readers: ClientRoom
  /** How many proxies in front append to X-Forwarded-For; 0: the peer is the client. */
  readonly trustedProxies: number
  readonly publicUrl: string
}

export class LiveRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly requestId: string
  readonly publicUrl: string
  readonly isChunked: boolean
  /** The client asked to close the connection, so uWebSockets closes it after the response. */
  readonly isLast: boolean
  readonly content: WireBody
  readonly readers: ClientRoom
  readonly #head: Head
  readonly #response: WireResponse
  readonly #trustedProxies: number
  #query: URLSearchParams | undefined
  #abort: AbortController | undefined
  #aborted = false
  #finished = false
  #address: string | undefined

  constructor(head: Head, response: WireResponse, options: RequestOptions) {
    this.#head = head
    this.#trustedProxies = options.trustedProxies
    this.#response = response
    this.publicUrl = options.publicUrl
    this.readers = options.readers
    this.method = head.method
    this.path = head.path
    const given = head.headers.get('x-request-id')
    this.requestId = isSaneRequestId(given) ? given : randomUUID()
    this.isChunked = head.headers.has('transfer-encoding')
    this.isLast = head.headers.get('connection')?.toLowerCase() === 'close'
    this.content = new WireBody(response, declaredLength(head), options)
  }

  get aborted(): boolean {
    return this.#aborted
  }

  get query(): URLSearchParams {
    this.#query ??= this.#head.query === '' ? noQuery : new URLSearchParams(this.#head.query)
    return this.#query
  }

  get remoteAddress(): string {
    this.#address ??= this.#forwardedFor() ?? this.#peer()
    return this.#address
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#aborted) this.#abort.abort(new RequestAborted())
    return this.#abort.signal
  }

  header(name: string): string | undefined {
    return this.#head.headers.get(name)
  }

  body(limitBytes: number): Promise<Uint8Array> {
    return this.content.read(limitBytes)
  }

  bodyStream(limitBytes: number): AsyncIterable<Uint8Array> {
    return this.content.stream(limitBytes)
  }

  /** Call when the response is complete: from then on uWebSockets forbids using it. */
  finish(): void {
    this.#finished = true
    this.content.release()
  }

  #forwardedFor(): string | undefined {
    if (this.#trustedProxies === 0) return undefined
    return addressIn(this.header('x-forwarded-for')?.split(',').at(-this.#trustedProxies) ?? '')
  }

  #peer(): string {
    if (this.#aborted || this.#finished) return ''
    return Buffer.from(this.#response.getRemoteAddressAsText()).toString('latin1')
  }

  abandon(): void {
    this.#aborted = true
    this.content.abort()
    this.#abort?.abort(new RequestAborted())
  }
}

/** Some proxies add the port of the client: limits of guesses and lists of addresses are about the address. */
function addressIn(text: string): string | undefined {
  const given = text.trim()
  const [, address = given] = /^\[(.+)\](?::\d+)?$/.exec(given) ?? /^([^:]+):\d+$/.exec(given) ?? []
  return isIP(address) === 0 ? undefined : address
}

function declaredLength(head: Head): number | undefined {
  if (head.headers.has('transfer-encoding')) return undefined
  return Number(head.headers.get('content-length') ?? 0)
}
