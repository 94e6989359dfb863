// The type of a console route with its access rule, and one function per kind of access to define routes.
import type * as v from 'valibot'
import type { SignedIn } from '../accounts/operator.ts'
import type { Role } from '../accounts/roles.ts'
import type { Author } from '../contract/administration.ts'
import { AppError, type ErrorCode } from '../contract/errors.ts'
import type { HttpRequest } from '../platform/http/exchange.ts'
import type { Method, Route, RouteInput, Schema, Upload, UploadInput } from '../platform/http/route.ts'
import { recordRefusals } from './record-refusals.ts'
import type { ConsoleServices } from './services.ts'

export type Access =
  /** Works without a session. */
  | { readonly type: 'public' }
  | { readonly type: 'operator' }
  /** A member of the workspace in the path, in this role or a higher one. */
  | { readonly type: 'workspace'; readonly role: Role }
  /** The platform owner, member of the workspace or not. */
  | { readonly type: 'platform' }

/** What the guard found. The input type of a handler has only the fields that its access guarantees. */
export interface ConsoleContext {
  readonly services: ConsoleServices
  readonly sessionHash: Buffer | undefined
  readonly operator: SignedIn | undefined
  readonly author: Author | undefined
  /** The role in the workspace; undefined outside of workspaces and for a platform owner. */
  readonly role: Role | undefined
}

/** Conditions of a route in addition to its access. */
export interface Conditions {
  /** Reaches customers: refused while the workspace is suspended. */
  readonly reachesCustomers?: boolean
}

export interface ConsoleRoute extends Route<ConsoleContext>, Conditions {
  readonly access: Access
  /** `sometimes`: the row decides for each request. */
  readonly needsProof: 'always' | 'sometimes' | 'never'
}

interface Row<Params, Query, Body, Context> extends Conditions {
  /**
   * Shows or changes a secret, decides who may do what, or where messages and calls go: requires a recently confirmed
   * password. A function decides it from the request.
   */
  readonly needsProof?:
    | true
    | ((
        input: Context & {
          readonly services: ConsoleServices
          readonly params: Params
          readonly body: Body
        },
      ) => boolean | Promise<boolean>)
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly params?: v.GenericSchema<unknown, Params>
  readonly query?: v.GenericSchema<unknown, Query>
  readonly body?: v.GenericSchema<unknown, Body>
  /** The media types that the route accepts besides JSON. */
  readonly upload?: {
    readonly types: readonly string[]
    readonly limitBytes: number
    handle(
      input: Context & {
        readonly services: ConsoleServices
        readonly params: Params
        readonly query: Query
        readonly upload: Upload
      },
    ): unknown
  }
  /** Default 200. */
  readonly success?: number
  readonly errors?: readonly ErrorCode[]
  handle(
    input: Context & {
      readonly services: ConsoleServices
      readonly params: Params
      readonly query: Query
      readonly body: Body
      readonly request: HttpRequest
    },
  ): unknown
}

interface PublicInput {
  readonly sessionHash: Buffer | undefined
}

interface OperatorInput {
  readonly operator: SignedIn
  readonly sessionHash: Buffer
}

interface AuthorInput {
  readonly author: Author
  readonly operator: SignedIn
}

interface MemberInput extends AuthorInput {
  readonly role: Role
}

export const publicRoute = <P = unknown, Q = unknown, B = unknown>(row: Row<P, Q, B, PublicInput>) =>
  toRoute(row, { type: 'public' })

export const operatorRoute = <P = unknown, Q = unknown, B = unknown>(row: Row<P, Q, B, OperatorInput>) =>
  toRoute(row, { type: 'operator' })

/** `path` is relative to `/workspaces/:ws`. */
export const workspaceRoute = <P = unknown, Q = unknown, B = unknown>(
  row: Row<P, Q, B, MemberInput> & { readonly role: Role },
) => toRoute({ ...row, path: `/workspaces/:ws${row.path}` }, { type: 'workspace', role: row.role })

export const platformRoute = <P = unknown, Q = unknown, B = unknown>(row: Row<P, Q, B, AuthorInput>) =>
  toRoute({ ...row, path: `/workspaces/:ws${row.path}` }, { type: 'platform' })

// The casts are safe: the guard fills the context as `access` says, and the pipeline validates the values
// against these schemas. This is the only place that relies on it unchecked.
const toRoute = <P, Q, B, Context>(row: Row<P, Q, B, Context>, access: Access): ConsoleRoute => ({
  method: row.method,
  path: row.path,
  summary: row.summary,
  access,
  needsProof: neededProof(row.needsProof),
  reachesCustomers: row.reachesCustomers ?? false,
  params: row.params as Schema | undefined,
  query: row.query as Schema | undefined,
  body: row.body as Schema | undefined,
  upload: row.upload && {
    ...row.upload,
    handle: ({ context, ...input }: UploadInput<ConsoleContext>) =>
      row.upload?.handle({ ...context, ...input } as never),
  },
  success: row.success ?? 200,
  errors: row.errors ?? [],
  async handle({ context, ...input }: RouteInput<ConsoleContext>) {
    const given = { ...context, ...input } as never
    const { needsProof } = row
    if (typeof needsProof === 'function' && !context.operator?.isProven && (await needsProof(given)))
      throw confirmationRequired()
    return recordRefusals(context, input, () => row.handle(given))
  },
})

const neededProof = (condition: unknown): ConsoleRoute['needsProof'] => {
  if (condition === undefined) return 'never'
  return condition === true ? 'always' : 'sometimes'
}

export const confirmationRequired = (): AppError =>
  new AppError('CONFIRMATION_REQUIRED', 'Confirm your password (POST /me/confirm), then ask again.')

export const secondFactorRequired = (why: string): AppError =>
  new AppError(
    'SECOND_FACTOR_REQUIRED',
    `${why} Turn yours on under My account (POST and PUT /me/totp), then ask again.`,
  )
