// Whom the API lets in: key, standing of the workspace, scope, in this order.
import type { AuthenticateKey } from '../auth/authenticate-key.ts'
import { AppError } from '../contract/errors.ts'
import { grants, type Scope } from '../contract/scopes.ts'
import type { HttpRequest } from '../http/exchange.ts'
import type { Admission } from '../http/pipeline.ts'
import { burstOf } from '../http/rate-limit.ts'
import { encodeId } from '../shared/ids.ts'
import type { ApiContext, ApiRoute } from './route.ts'
import type { ApiServices } from './services.ts'

const challenge = { headers: { 'www-authenticate': 'Bearer' } }

export const createGuard = (authenticate: AuthenticateKey, services: ApiServices) =>
  async function guard(request: HttpRequest, route: ApiRoute): Promise<Admission<ApiContext>> {
    const verdict = await authenticate(presentedKey(request))
    if (verdict.type === 'refused')
      throw new AppError('INVALID_API_KEY', 'the API key is unknown, revoked or expired', challenge)
    const { caller, suspended, requestsPerSecond } = verdict
    return {
      context: { caller, services },
      refusal: suspended ? suspendedWorkspace() : lackOf(route.scope, caller.scopes),
      subject: {
        workspaceId: encodeId('workspace', caller.workspaceId),
        keyId: encodeId('key', caller.keyId),
      },
      bucket: { key: caller.keyId, ratePerSecond: requestsPerSecond, burst: burstOf(requestsPerSecond) },
    }
  }

const suspendedWorkspace = () =>
  new AppError('TENANT_SUSPENDED', 'the workspace of this key is suspended; contact its owner')

const lackOf = (scope: Scope, held: readonly Scope[]): AppError | undefined =>
  grants(held, scope)
    ? undefined
    : new AppError('FORBIDDEN', `the key lacks the scope ${scope}; add it in the console`)

/** Authorization wins over X-Api-Key; where it is not of the Bearer form it is no key, and no other is tried. */
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
