// The second factor of the signed-in operator, and its recovery codes.
import * as v from 'valibot'
import type { CredentialChange, SignedIn } from '../../accounts/operator.ts'
import { createRecoveryCodes } from '../../accounts/recovery-codes.ts'
import { acceptTotp, createTotpSeed, totpUri, writeTotpState } from '../../accounts/totp.ts'
import { AppError } from '../../contract/errors.ts'
import type { HttpRequest } from '../../platform/http/exchange.ts'
import { operatorRoute } from '../route.ts'
import { password, totpCode } from '../schema.ts'
import type { ConsoleServices } from '../services.ts'
import { confirmPassword, notCurrent, provenBy } from '../sign-in.ts'
import { whence } from '../whence.ts'

// The seed waits in the session until a code proves that an app has it: an unfinished setup locks nobody out. It is not
// taken from the request, or a page that somebody else controls could choose it.
const offerTotp = operatorRoute({
  method: 'POST',
  path: '/me/totp',
  summary: 'A seed for a second factor, to be confirmed with a code',
  needsProof: true,
  async handle({ services, operator }) {
    const seed = createTotpSeed()
    await services.sessions.offerTotp(operator.sessionId, services.secrets.seal(seed))
    return { seed, uri: totpUri(seed, operator.email) }
  },
})

const addTotp = operatorRoute({
  method: 'PUT',
  path: '/me/totp',
  summary:
    'Turn the second factor on with a code of the offered seed; every other session ends, and this answer alone shows the recovery codes',
  needsProof: true,
  body: v.strictObject({ password, code: totpCode }),
  errors: ['FORBIDDEN', 'INVALID_STATE', 'RATE_LIMITED'],
  async handle({ services, operator, body, request }) {
    const { code } = body
    const offer = await services.sessions.offeredTotp(operator.sessionId)
    if (offer === undefined) throw noOffer()
    const seed = services.secrets.open(offer)
    await confirmPassword(services, operator, body)
    const state = acceptTotp({ seed, lastStep: 0 }, code, services.clock.now())
    if (state === undefined)
      throw new AppError('VALIDATION_ERROR', 'That code is wrong or expired.', {
        details: [{ path: 'code', message: 'That code is wrong or expired. Check the clock of your device' }],
      })
    const { codes, hashes } = createRecoveryCodes()
    const sealed = services.secrets.seal(writeTotpState(state))
    const enrolment = { recoveryHashes: hashes, sessionId: operator.sessionId, offer }
    if (!(await services.operators.enrolTotp(changeBy(operator, request), sealed, enrolment))) throw noOffer()
    return { recoveryCodes: codes }
  },
})

const noOffer = (): AppError =>
  new AppError(
    'INVALID_STATE',
    'No setup key waits for a code in this session: ask for one first (POST /me/totp).',
  )

const removeTotp = operatorRoute({
  method: 'DELETE',
  path: '/me/totp',
  summary: 'Turn the second factor off, and its recovery codes with it',
  needsProof: true,
  body: v.strictObject({ password }),
  success: 204,
  errors: ['FORBIDDEN', 'RATE_LIMITED', 'IN_USE'],
  async handle({ services, operator, body, request }) {
    await refuseWhereRequired(services, operator)
    const proven = provenBy(await confirmPassword(services, operator, body))
    if (!(await services.operators.removeTotp(changeBy(operator, request), proven))) throw notCurrent()
    return undefined
  },
})

/** For the operator's sake: without one the guard keeps him out of such a workspace, whichever way it went. */
async function refuseWhereRequired({ sessions }: ConsoleServices, { operatorId }: SignedIn): Promise<void> {
  const memberships = await sessions.memberships(operatorId)
  const requiring = memberships.find(({ secondFactorFrom }) => secondFactorFrom !== null)
  if (requiring)
    throw new AppError(
      'IN_USE',
      `${requiring.name} requires a second factor. Move yours to another app (POST and PUT /me/totp), or leave the workspace first.`,
    )
}

const replaceRecoveryCodes = operatorRoute({
  method: 'POST',
  path: '/me/recovery-codes',
  summary: 'New recovery codes; this answer alone shows them, and the former ones are void',
  needsProof: true,
  body: v.strictObject({ password }),
  errors: ['FORBIDDEN', 'RATE_LIMITED', 'INVALID_STATE'],
  async handle({ services, operator, body, request }) {
    const proven = provenBy(await confirmPassword(services, operator, body))
    if (!proven.hasTotp) throw new AppError('INVALID_STATE', 'The second factor is off: turn it on first.')
    const { codes, hashes } = createRecoveryCodes()
    if (!(await services.operators.setRecoveryCodes(changeBy(operator, request), hashes, proven)))
      throw notCurrent()
    return { recoveryCodes: codes }
  },
})

export const changeBy = ({ operatorId }: SignedIn, request: HttpRequest): CredentialChange => ({
  operatorId,
  by: operatorId,
  ...whence(request),
})

export const secondFactorRoutes = [offerTotp, addTotp, removeTotp, replaceRecoveryCodes]
