import * as v from 'valibot'
import type { SignedIn } from '../../auth/operator.ts'
import { passwordLimits } from '../../auth/password.ts'
import { acceptTotp, createTotpSeed, isTotpSeed, totpUri, writeTotpState } from '../../auth/totp.ts'
import { AppError } from '../../contract/errors.ts'
import type { HttpRequest } from '../../http/exchange.ts'
import { Answer } from '../../http/route.ts'
import { encodeId } from '../../shared/ids.ts'
import { operatorRoute } from '../route.ts'
import { confirmPassword, openSession } from '../sign-in.ts'

const { minLength, maxLength } = passwordLimits
const password = v.pipe(v.string(), v.maxLength(1_024))
const newPassword = v.pipe(
  v.string(),
  v.minLength(minLength, `must have at least ${minLength} characters`),
  v.maxLength(maxLength, `must have at most ${maxLength} characters`),
)

const readMe = operatorRoute({
  method: 'GET',
  path: '/me',
  summary: 'The signed-in operator and the workspaces of which he is a member',
  async handle({ services, operator }) {
    const memberships = await services.sessions.memberships(operator.operatorId)
    return {
      operator: {
        id: encodeId('operator', operator.operatorId),
        email: operator.email,
        name: operator.name,
        platformOwner: operator.platformOwner,
        totp: operator.hasTotp,
      },
      workspaces: memberships.map(({ workspaceId, name, status, role }) => ({
        id: encodeId('workspace', workspaceId),
        name,
        status,
        role,
      })),
    }
  },
})

const changePassword = operatorRoute({
  method: 'PUT',
  path: '/me/password',
  summary: 'Change the password; every session ends, and this browser gets a new one',
  body: v.strictObject({ password, newPassword }),
  success: 204,
  errors: ['FORBIDDEN', 'RATE_LIMITED', 'OVERLOADED'],
  async handle({ services, operator, body, request }) {
    const address = request.remoteAddress
    await confirmPassword(services, operator, { password: body.password, address })
    const hash = await services.passwords.hash(body.newPassword)
    await services.operators.setPassword(changeBy(operator, request), hash)
    const cookie = await openSession(services, operator.operatorId, { request, replaces: undefined })
    return new Answer(undefined, { headers: { 'set-cookie': cookie } })
  },
})

// The seed is kept only when a code proves that an app has it: nobody locks himself out half-way.
const offerTotp = operatorRoute({
  method: 'POST',
  path: '/me/totp',
  summary: 'A seed for a second factor, to be confirmed with a code',
  handle({ operator }) {
    const seed = createTotpSeed()
    return { seed, uri: totpUri(seed, operator.email) }
  },
})

const addTotp = operatorRoute({
  method: 'PUT',
  path: '/me/totp',
  summary: 'Turn the second factor on',
  body: v.strictObject({
    password,
    seed: v.pipe(v.string(), v.check(isTotpSeed, 'must be a seed that was offered')),
    code: v.pipe(v.string(), v.regex(/^\d{6}$/, 'must be six digits')),
  }),
  success: 204,
  errors: ['FORBIDDEN', 'RATE_LIMITED'],
  async handle({ services, operator, body, request }) {
    const { password, seed, code } = body
    await confirmPassword(services, operator, { password, address: request.remoteAddress })
    const state = acceptTotp({ seed, lastStep: 0 }, code, services.clock.now())
    if (state === undefined)
      throw new AppError('VALIDATION_ERROR', 'code does not belong to this seed', {
        details: [{ path: 'code', message: 'does not belong to this seed; check the clock of your device' }],
      })
    await services.operators.setTotp(
      changeBy(operator, request),
      services.secrets.seal(writeTotpState(state)),
    )
    return undefined
  },
})

const removeTotp = operatorRoute({
  method: 'DELETE',
  path: '/me/totp',
  summary: 'Turn the second factor off',
  body: v.strictObject({ password }),
  success: 204,
  errors: ['FORBIDDEN', 'RATE_LIMITED'],
  async handle({ services, operator, body, request }) {
    await confirmPassword(services, operator, { password: body.password, address: request.remoteAddress })
    await services.operators.setTotp(changeBy(operator, request), null)
    return undefined
  },
})

const changeBy = ({ operatorId }: SignedIn, request: HttpRequest) => ({
  operatorId,
  by: operatorId,
  ip: request.remoteAddress,
})

export const meRoutes = [readMe, changePassword, offerTotp, addTotp, removeTotp]
