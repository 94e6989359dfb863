// What the pipeline needs to know about a route. Each API adds its own fields, such as a scope.
import type * as v from 'valibot'
import type { ErrorCode } from '../../contract/errors.ts'
import type { HttpRequest } from './exchange.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Schema = v.GenericSchema<unknown, unknown>

export interface RouteInput<Context> {
  readonly context: Context
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly request: HttpRequest
}

/** A body of another media type than JSON, as a stream. */
export interface Upload {
  readonly type: string
  readonly pieces: AsyncIterable<Uint8Array>
}

export type UploadInput<Context> = Omit<RouteInput<Context>, 'body'> & { readonly upload: Upload }

/** The media types that a route takes as a stream, beside JSON, and the size limit of the stream. */
export interface UploadRoute<Context> {
  readonly types: readonly string[]
  readonly limitBytes: number
  handle(input: UploadInput<Context>): unknown
}

export interface Route<Context> {
  readonly method: Method
  /** Relative to the prefix of its API. `:name` is a parameter. */
  readonly path: string
  readonly summary: string
  /** Path parameters. A refused value gives a 404. */
  readonly params?: Schema | undefined
  readonly query?: Schema | undefined
  /** Headers for the OpenAPI document, by their names. The handler reads and checks them. */
  readonly headers?: Schema | undefined
  readonly body?: Schema | undefined
  readonly upload?: UploadRoute<Context> | undefined
  /** Default `limits.bodyBytes`. */
  readonly bodyBytes?: number | undefined
  readonly response?: Schema | undefined
  /** Status of a response that does not set one. */
  readonly success: number
  /** Error codes of this route, besides those of every route. */
  readonly errors: readonly ErrorCode[]
  /** Returns the JSON of the response, or an Answer, LinesAnswer or RawAnswer. */
  handle(input: RouteInput<Context>): unknown
}

interface AnswerOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Values of `set-cookie`. */
  readonly cookies?: readonly string[]
}

/** A JSON response with its own status or headers. */
export class Answer<Body> {
  readonly body: Body
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly cookies: readonly string[] | undefined

  constructor(body: Body, options: AnswerOptions = {}) {
    this.body = body
    this.status = options.status
    this.headers = options.headers
    this.cookies = options.cookies
  }
}

/** A response of many values, one line of JSON each. An error during streaming becomes the last line. */
export class LinesAnswer {
  /** In batches, because one asynchronous step per line would be slow. */
  readonly batches: AsyncIterable<readonly unknown[]>
  readonly headers: Readonly<Record<string, string>>

  constructor(batches: AsyncIterable<readonly unknown[]>, headers: Readonly<Record<string, string>> = {}) {
    this.batches = batches
    this.headers = headers
  }
}

/** A response that is not JSON. Its headers give the content type. */
export class RawAnswer {
  readonly body: Uint8Array | string | AsyncIterable<Uint8Array>
  readonly headers: Readonly<Record<string, string>>
  readonly status: number | undefined

  constructor(
    body: Uint8Array | string | AsyncIterable<Uint8Array>,
    headers: Readonly<Record<string, string>>,
    status?: number,
  ) {
    this.body = body
    this.headers = headers
    this.status = status
  }
}
