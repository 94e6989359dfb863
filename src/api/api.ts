// The public API: one HTTP handler for all paths below /api/v1. The guard checks the key, then whether its
// workspace is suspended, then the scope; the table has the routes.
import type { Logger } from 'pino'
import { isAllowedIp } from '../accounts/allowed-ips.ts'
import type { AuthenticateKey, KeyVerdict } from '../accounts/authenticate-key.ts'
import { AppError } from '../contract/errors.ts'
import { grants, type Scope } from '../contract/scopes.ts'
import type { HttpHandler, HttpRequest } from '../platform/http/exchange.ts'
import { type Admission, createPipeline, type Served } from '../platform/http/pipeline.ts'
import { burstOf, type RateLimiter, rateHeaders } from '../platform/http/rate-limit.ts'
import type { Load, RequestClass } from '../platform/process/load.ts'
import { encodeId } from '../shared/ids.ts'
import { networkOf } from '../shared/ip.ts'
import type { ApiContext, ApiRoute } from './route.ts'
import type { ApiServices } from './services.ts'
import { apiPrefix, table } from './table.ts'

export interface ApiOptions {
  readonly services: ApiServices
  readonly authenticate: AuthenticateKey
  readonly limiter: RateLimiter
  readonly load: Pick<Load, 'admits' | 'isAvailable'>
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly onServed?: (served: Served) => void
}

// The limits of a new key. A request without a key gets them in its rate headers; no bucket is charged.
const newKey = { key: '', ratePerSecond: 100, burst: 200 }

const anonymousRate = rateHeaders(newKey, newKey.burst)

/** Headers for a refusal of an API path that the HTTP server sends itself, without the API handler. */
export const refusalHeaders = (path: string): Readonly<Record<string, string>> =>
  path.startsWith('/api/') ? anonymousRate : {}

export const createApi = ({ services, authenticate, load, ...options }: ApiOptions): HttpHandler =>
  createPipeline({
    ...options,
    prefix: apiPrefix,
    routes: table,
    guard: createGuard(authenticate, services),
    admits: (route) => load.admits(classOf(route)),
    isAvailable: load.isAvailable,
    anonymousRate,
  })

/** What is shed first in an overload: a caller of a call cannot wait, the reader of a list can. */
export function classOf({ method, path }: Pick<ApiRoute, 'method' | 'path'>): RequestClass {
  const isCommand = method !== 'GET'
  if (/\/calls?\b/.test(path) && (isCommand || /\/(ice|offer)$/.test(path))) return 'call'
  // Pausing a campaign takes load away.
  const isEdit = path.startsWith('/campaigns') && !/\/(pause|cancel)$/.test(path)
  if (isCommand) return isEdit ? 'list' : 'send'
  return /:id(\/media)?$/.test(path) ? 'read' : 'list'
}

const challenge = { headers: { 'www-authenticate': 'Bearer' } }

const createGuard = (authenticate: AuthenticateKey, services: ApiServices) =>
  async function guard(request: HttpRequest, route: ApiRoute): Promise<Admission<ApiContext>> {
    const verdict = await authenticate(presentedKey(request))
    if (verdict.type === 'refused')
      throw new AppError(
        'INVALID_API_KEY',
        'the API key is unknown, revoked, expired or one of another environment; check it, or make another one in the console',
        challenge,
      )
    const { caller, requestsPerSecond } = verdict
    return {
      context: { caller, services },
      refusal: refusalOf(verdict, request, route),
      subject: {
        workspaceId: encodeId('workspace', caller.workspaceId),
        keyId: encodeId('key', caller.keyId),
      },
      bucket: {
        key: bucketKeyOf(verdict, request.remoteAddress),
        ratePerSecond: requestsPerSecond,
        burst: burstOf(requestsPerSecond),
      },
    }
  }

/** A key that leaked is worth nothing at other addresses: there it must not use up the rate of its owner either. */
const bucketKeyOf = ({ allowedIps, caller: { keyId } }: Authenticated, address: string): string =>
  isAllowedIp(allowedIps, address) ? keyId : `${keyId}:${networkOf(address)}`

type Authenticated = Extract<KeyVerdict, { readonly type: 'authenticated' }>

function refusalOf(key: Authenticated, request: HttpRequest, { scope }: ApiRoute): AppError | undefined {
  if (!isAllowedIp(key.allowedIps, request.remoteAddress))
    return new AppError(
      'IP_NOT_ALLOWED',
      `the key may not be used from ${request.remoteAddress}; add the address to the key in the console`,
    )
  return key.suspended ? suspendedWorkspace() : lackOf(scope, key.caller.scopes)
}

const suspendedWorkspace = () =>
  new AppError('TENANT_SUSPENDED', 'the workspace of this key is suspended; contact its owner')

const lackOf = (scope: Scope, held: readonly Scope[]): AppError | undefined =>
  grants(held, scope)
    ? undefined
    : new AppError('FORBIDDEN', `the key lacks the scope ${scope}; add it in the console`)

/** Authorization wins over X-Api-Key, even when it has no Bearer form and is therefore an invalid key. */
function presentedKey(request: HttpRequest): string {
  const authorization = request.header('authorization')
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization.trim())?.[1] ?? ''
  const key = request.header('x-api-key')
  if (key !== undefined && key !== '') return key
  throw new AppError(
    'UNAUTHORIZED',
    'send an API key as Authorization: Bearer <key>, or as X-Api-Key',
    challenge,
  )
}
