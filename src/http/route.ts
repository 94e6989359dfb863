// What the pipeline needs to know of a route. The edges add their own fields, such as a scope.
import type * as v from 'valibot'
import type { ErrorCode } from '../contract/errors.ts'
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

/** A body of another media type than JSON, as it comes. */
export interface Upload {
  readonly type: string
  readonly pieces: AsyncIterable<Uint8Array>
}

export type UploadInput<Context> = Omit<RouteInput<Context>, 'body'> & { readonly upload: Upload }

/** What a route takes beside JSON, piece by piece and so of any length up to the limit. */
export interface UploadRoute<Context> {
  readonly types: readonly string[]
  readonly limitBytes: number
  handle(input: UploadInput<Context>): unknown
}

export interface Route<Context> {
  readonly method: Method
  /** Below the prefix of its edge; `:name` is a parameter. */
  readonly path: string
  readonly summary: string
  /** Of the path; whatever it refuses does not exist (404). */
  readonly params?: Schema | undefined
  readonly query?: Schema | undefined
  readonly body?: Schema | undefined
  readonly upload?: UploadRoute<Context> | undefined
  /** Default `limits.bodyBytes`. */
  readonly bodyBytes?: number | undefined
  readonly response?: Schema | undefined
  /** Status of an answer that does not name one. */
  readonly success: number
  /** What this route can answer beyond what every route can. */
  readonly errors: readonly ErrorCode[]
  /** Gives the JSON of the answer, or an Answer. */
  handle(input: RouteInput<Context>): unknown
}

/** An answer that is more than JSON with the route's usual status. */
export class Answer<Body> {
  readonly body: Body
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(body: Body, options: { status?: number; headers?: Readonly<Record<string, string>> } = {}) {
    this.body = body
    this.status = options.status
    this.headers = options.headers
  }
}

/** An answer of many values, one line of JSON each. What fails on the way ends it with a line of the error. */
export class LinesAnswer {
  /** Some at a time, so that a line costs no turn of its own. */
  readonly batches: AsyncIterable<readonly unknown[]>
  readonly headers: Readonly<Record<string, string>>

  constructor(batches: AsyncIterable<readonly unknown[]>, headers: Readonly<Record<string, string>> = {}) {
    this.batches = batches
    this.headers = headers
  }
}

/** An answer that is not JSON; its headers say what it is. */
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
