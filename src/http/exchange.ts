// Requests and answers as plain values, so that a handler runs without a socket. Knows no domain.

export interface HttpRequest {
  /** Upper case. */
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** The caller's `X-Request-Id` where it is sane, else a new one. */
  readonly requestId: string
  readonly remoteAddress: string
  /** Aborts when the client goes away or is cut off. */
  readonly signal: AbortSignal
  /** `name` in lower case. */
  header(name: string): string | undefined
  /**
   * The whole body. Rejects with PAYLOAD_TOO_LARGE past the limit, without reading the rest; with OVERLOADED when
   * the process holds too many bodies; with RequestAborted when the client is gone or too slow.
   */
  body(limitBytes: number): Promise<Uint8Array>
  /**
   * The body piece by piece as it comes, in place of `body`; refuses like it, past the limit where the limit is. To be
   * asked for before there is an answer: what nobody asked for until then is dropped.
   */
  bodyStream(limitBytes: number): AsyncIterable<Uint8Array>
}

export interface HttpResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** An AsyncIterable is streamed with back-pressure: with a length where `content-length` says one, else chunked. */
  readonly body?: Uint8Array | string | AsyncIterable<Uint8Array>
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse> | HttpResponse

/** The client is gone: nobody reads an answer any more. */
export class RequestAborted extends Error {
  constructor() {
    super('the client went away')
  }
}

const saneRequestId = /^[\w.-]{1,128}$/

export const isSaneRequestId = (text: string | undefined): text is string =>
  text !== undefined && saneRequestId.test(text)
