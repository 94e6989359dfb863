// Defines a route of the table: the schemas give the handler its types, with this API's scopes and services.
import type * as v from 'valibot'
import type { Caller } from '../contract/caller.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { Scope } from '../contract/scopes.ts'
import type { HttpRequest } from '../platform/http/exchange.ts'
import type {
  Answer,
  LinesAnswer,
  Method,
  RawAnswer,
  Route,
  Schema,
  Upload,
  UploadRoute,
} from '../platform/http/route.ts'
import type { ApiServices } from './services.ts'

export interface ApiContext {
  readonly caller: Caller
  readonly services: ApiServices
}

export interface ApiRoute extends Route<ApiContext> {
  readonly scope: Scope
}

type Output<S> = S extends v.GenericSchema ? v.InferOutput<S> : undefined
type Result<S> = S extends v.GenericSchema
  ? v.InferOutput<S> | Answer<v.InferOutput<S>> | LinesAnswer | RawAnswer
  : RawAnswer | Answer<undefined> | undefined

interface Asked<Params, Query> {
  readonly caller: Caller
  readonly services: ApiServices
  readonly params: Output<Params>
  readonly query: Output<Query>
  readonly request: HttpRequest
}

interface Row<Params, Query, Body, Response> {
  readonly method: Method
  readonly path: string
  readonly scope: Scope
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  readonly headers?: Schema
  readonly body?: Body
  readonly upload?: Pick<UploadRoute<ApiContext>, 'types' | 'limitBytes'> & {
    handle(input: Asked<Params, Query> & { readonly upload: Upload }): Promise<Result<Response>>
  }
  readonly bodyBytes?: number
  readonly response?: Response
  /** Default 200. */
  readonly success?: number
  readonly errors: readonly ErrorCode[]
  handle(
    input: Asked<Params, Query> & { readonly body: Output<Body> },
  ): Promise<Result<Response>> | Result<Response>
}

export function route<
  Params extends Schema | undefined = undefined,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
  Response extends Schema | undefined = undefined,
>(row: Row<Params, Query, Body, Response>): ApiRoute {
  const { upload, ...rest } = row
  return {
    ...rest,
    success: row.success ?? 200,
    // The pipeline passes exactly what these schemas returned.
    handle: ({ context: { caller, services }, params, query, body, request }) =>
      row.handle({ caller, services, params, query, body, request } as Parameters<typeof row.handle>[0]),
    upload: upload && {
      ...upload,
      handle: ({ context: { caller, services }, params, query, request, upload: given }) =>
        upload.handle({ caller, services, params, query, request, upload: given } as Parameters<
          typeof upload.handle
        >[0]),
    },
  }
}
