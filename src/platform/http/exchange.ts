// HTTP requests and responses as plain values, so that a handler can run without a socket.

export interface HttpRequest {
  /** Upper case. */
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** The client's `X-Request-Id` if it is well-formed, otherwise a new id. */
  readonly requestId: string
  /** How clients reach this server, without a slash at the end. */
  readonly publicUrl: string
  readonly remoteAddress: string
  /** Aborts when the client disconnects or is disconnected. */
  readonly signal: AbortSignal
  /** `name` in lower case. */
  header(name: string): string | undefined
  /**
   * The whole body. Rejects with PAYLOAD_TOO_LARGE past the limit, without reading the rest; with OVERLOADED
   * when the process holds too many bodies; with RequestAborted when the client disconnects or is too slow.
   */
  body(limitBytes: number): Promise<Uint8Array>
  /**
   * The body piece by piece as it arrives, instead of `body`. Rejects like `body`; a chunked body at the
   * piece that exceeds the limit. Call it before the response starts: an unread body is dropped then.
   */
  bodyStream(limitBytes: number): AsyncIterable<Uint8Array>
}

export interface HttpResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Values of `set-cookie`, the one header that comes once for each value. */
  readonly cookies?: readonly string[] | undefined
  /** An AsyncIterable is streamed with back-pressure; chunked, unless `content-length` is set. */
  readonly body?: Uint8Array | string | AsyncIterable<Uint8Array>
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse> | HttpResponse

/** The client has disconnected, so no response can be delivered. */
export class RequestAborted extends Error {
  constructor() {
    super('the client went away')
  }
}

const saneRequestId = /^[\w.-]{1,128}$/

export const isSaneRequestId = (text: string | undefined): text is string =>
  text !== undefined && saneRequestId.test(text)
