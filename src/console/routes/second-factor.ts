// The second factor of the signed-in operator, and its recovery codes.
import * as v from 'valibot'
import type { CredentialChange, SignedIn } from '../../accounts/operator.ts'
import { createRecoveryCodes } from '../../accounts/recovery-codes.ts'
import { acceptTotp, createTotpSeed, isTotpSeed, totpUri, writeTotpState } from '../../accounts/totp.ts'
import { AppError } from '../../contract/errors.ts'
import type { HttpRequest } from '../../platform/http/exchange.ts'
import { operatorRoute } from '../route.ts'
import { password, totpCode } from '../schema.ts'
import { confirmPassword } from '../sign-in.ts'
import { whence } from '../whence.ts'

// The seed is stored later, when a code proves that an app has it: an unfinished setup locks nobody out.
const offerTotp = operatorRoute({
  method: 'POST',
  path: '/me/totp',
  summary: 'A seed for a second factor, to be confirmed with a code',
  needsProof: true,
  handle({ operator }) {
    const seed = createTotpSeed()
    return { seed, uri: totpUri(seed, operator.email) }
  },
})

const addTotp = operatorRoute({
  method: 'PUT',
  path: '/me/totp',
  summary: 'Turn the second factor on; this answer alone shows its recovery codes',
  needsProof: true,
  body: v.strictObject({
    password,
    seed: v.pipe(v.string(), v.check(isTotpSeed, 'must be a seed that was offered')),
    code: totpCode,
  }),
  errors: ['FORBIDDEN', 'RATE_LIMITED'],
  async handle({ services, operator, body, request }) {
    const { seed, code } = body
    await confirmPassword(services, operator, { password: body.password, address: request.remoteAddress })
    const state = acceptTotp({ seed, lastStep: 0 }, code, services.clock.now())
    if (state === undefined)
      throw new AppError('VALIDATION_ERROR', 'code does not belong to this seed', {
        details: [{ path: 'code', message: 'does not belong to this seed; check the clock of your device' }],
      })
    const { codes, hashes } = createRecoveryCodes()
    const sealed = services.secrets.seal(writeTotpState(state))
    await services.operators.setTotp(changeBy(operator, request), sealed, hashes)
    return { recoveryCodes: codes }
  },
})

const removeTotp = operatorRoute({
  method: 'DELETE',
  path: '/me/totp',
  summary: 'Turn the second factor off, and its recovery codes with it',
  needsProof: true,
  body: v.strictObject({ password }),
  success: 204,
  errors: ['FORBIDDEN', 'RATE_LIMITED'],
  async handle({ services, operator, body, request }) {
    await confirmPassword(services, operator, { password: body.password, address: request.remoteAddress })
    await services.operators.setTotp(changeBy(operator, request), null)
    return undefined
  },
})

const replaceRecoveryCodes = operatorRoute({
  method: 'POST',
  path: '/me/recovery-codes',
  summary: 'New recovery codes; this answer alone shows them, and the former ones are void',
  needsProof: true,
  body: v.strictObject({ password }),
  errors: ['FORBIDDEN', 'RATE_LIMITED', 'INVALID_STATE'],
  async handle({ services, operator, body, request }) {
    await confirmPassword(services, operator, { password: body.password, address: request.remoteAddress })
    const { codes, hashes } = createRecoveryCodes()
    if (!(await services.operators.setRecoveryCodes(changeBy(operator, request), hashes)))
      throw new AppError('INVALID_STATE', 'the second factor is off: turn it on first')
    return { recoveryCodes: codes }
  },
})

export const changeBy = ({ operatorId }: SignedIn, request: HttpRequest): CredentialChange => ({
  operatorId,
  by: operatorId,
  ...whence(request),
})

export const secondFactorRoutes = [offerTotp, addTotp, removeTotp, replaceRecoveryCodes]
