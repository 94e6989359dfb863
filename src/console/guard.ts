// Resolves session, operator and role in the workspace of the path before any route runs. Every request
// queries the database, so a sign-out, a new password or a change of role applies from the next request on
// every node.

import type { SignedIn } from '../accounts/operator.ts'
import { sessionHashOf } from '../accounts/operator-session.ts'
import { roleNeeded } from '../accounts/role-needed.ts'
import { includesRole, type Role } from '../accounts/roles.ts'
import { isSameOrigin } from '../accounts/same-origin.ts'
import { barrierOf, type SessionRules } from '../accounts/session-rules.ts'
import type { Author } from '../contract/administration.ts'
import { AppError } from '../contract/errors.ts'
import type { HttpRequest } from '../platform/http/exchange.ts'
import type { Admission } from '../platform/http/pipeline.ts'
import { decodeId, encodeId } from '../shared/ids.ts'
import {
  type ConsoleContext,
  type ConsoleRoute,
  confirmationRequired,
  secondFactorRequired,
} from './route.ts'
import { isSecure } from './secure.ts'
import type { ConsoleServices } from './services.ts'
import { whence } from './whence.ts'

export const consolePrefix = '/console/api'

export const createGuard =
  (services: ConsoleServices) =>
  async (request: HttpRequest, route: ConsoleRoute): Promise<Admission<ConsoleContext>> => {
    if (route.method !== 'GET') refuseOtherOrigins(request, services.settings.publicUrl)
    const sessionHash = sessionHashOf(request.header('cookie'), isSecure(services.settings))
    const nobody = { services, sessionHash, operator: undefined, author: undefined, role: undefined }
    if (route.access.type === 'public') return { context: nobody, subject: {} }
    const operator =
      sessionHash && (await services.sessions.find(sessionHash, { isUse: !isUnattended(request) }))
    if (!operator) throw new AppError('UNAUTHORIZED', 'Sign in at /console first.')
    const operatorId = encodeId('operator', operator.operatorId)
    const refusal = route.needsProof === 'always' && !operator.isProven ? confirmationRequired() : undefined
    if (route.access.type === 'operator')
      return { context: { ...nobody, operator }, refusal, subject: { operatorId } }
    const { author, role } = await authorOf(services, operator, request, route)
    return {
      context: { ...nobody, operator, author, role },
      refusal,
      subject: { operatorId, workspaceId: encodeId('workspace', author.workspaceId) },
    }
  }

function refuseOtherOrigins(request: HttpRequest, publicUrl: string | undefined): void {
  const headers = {
    origin: request.header('origin'),
    fetchSite: request.header('sec-fetch-site'),
    host: request.header('host'),
  }
  if (!isSameOrigin(headers, publicUrl))
    throw new AppError('FORBIDDEN', 'Changes are only taken from the console’s own pages.')
}

async function authorOf(
  services: ConsoleServices,
  operator: SignedIn,
  request: HttpRequest,
  route: ConsoleRoute,
): Promise<{ readonly author: Author; readonly role: Role | undefined }> {
  const [, shown = ''] = request.path.slice(consolePrefix.length + 1).split('/')
  const workspaceId = decodeId('workspace', shown)
  const { operatorId } = operator
  if (workspaceId === undefined) throw noWorkspace()
  const author = { workspaceId, operatorId, ...whence(request) }
  if (route.access.type === 'platform') {
    // NOT_FOUND even for members: only the platform owner may learn about platform routes.
    const rules = operator.platformOwner && (await services.sessions.rulesOf(workspaceId))
    if (!rules) throw noWorkspace()
    refuseBarred(rules, operator)
    return { author, role: undefined }
  }
  const membership = await services.sessions.membership(operatorId, workspaceId)
  if (membership === undefined) throw noWorkspace()
  refuseBarred(membership, operator)
  const { role, status } = membership
  if (route.access.type === 'workspace' && !includesRole(role, route.access.role))
    throw roleNeeded(route.access.role, role)
  if (route.reachesCustomers && status === 'SUSPENDED')
    throw new AppError('TENANT_SUSPENDED', 'The workspace is suspended: nothing of it reaches customers.')
  return { author, role }
}

/** Set by pages that ask again by themselves while nobody is there: this does not keep a session in use. */
const isUnattended = (request: HttpRequest): boolean => request.header('x-unattended') !== undefined

/** Before anything of the workspace is looked at, whatever the route. */
function refuseBarred(rules: SessionRules, operator: SignedIn): void {
  switch (barrierOf(rules, operator)) {
    case 'SECOND_FACTOR_REQUIRED':
      throw secondFactorRequired('This workspace requires a second factor.')
    case 'SESSION_EXPIRED':
      throw new AppError(
        'SESSION_EXPIRED',
        'This workspace asks for a newer sign-in: sign in again at /console (POST /session).',
      )
    case null:
  }
}

const noWorkspace = (): AppError => new AppError('NOT_FOUND', 'there is no such workspace for you')
