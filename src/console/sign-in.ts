// Verifies an operator: the password, then the second factor if there is one. Every wrong guess gets the same
// answer after the same work, whether the operator exists or not.

import type { OperatorCredentials, Proven, SignedIn, Whence } from '../accounts/operator.ts'
import { sessionCookie } from '../accounts/operator-session.ts'
import { createToken, hashToken } from '../accounts/random-token.ts'
import { hashRecoveryCode } from '../accounts/recovery-codes.ts'
import { acceptTotp, readTotpState, writeTotpState } from '../accounts/totp.ts'
import { AppError } from '../contract/errors.ts'
import type { HttpRequest } from '../platform/http/exchange.ts'
import type { OperatorId } from '../shared/ids.ts'
import { isSecure } from './secure.ts'
import type { ConsoleServices } from './services.ts'
import type { Guesser } from './sign-in-limit.ts'
import type { RefusalReason } from './sign-in-refusals.ts'
import { whence } from './whence.ts'

export interface SignInAttempt {
  readonly email: string
  readonly password: string
  readonly factor: SecondFactor
  readonly from: Whence
  /** With the cookie of a known device, if the browser has one. */
  readonly cookies: string | undefined
}

/** What a request tells of whoever makes it. */
export const sender = (request: HttpRequest): Pick<SignInAttempt, 'from' | 'cookies'> => ({
  from: whence(request),
  cookies: request.header('cookie'),
})

/** One of the two is needed if the account has a second factor. */
export interface SecondFactor {
  readonly totp?: string | undefined
  readonly recoveryCode?: string | undefined
}

export interface Proof {
  readonly proven: Proven
  /** Set only if a recovery code was used. */
  readonly recoveryCodesLeft: number | undefined
}

export async function proveOperator(services: ConsoleServices, attempt: SignInAttempt): Promise<Proof> {
  const operator = await services.operators.findByEmail(attempt.email.trim())
  const guesser = guesserOf(services, operator, attempt)
  const isRight = await services.signInLimit.password(guesser, () =>
    services.passwords.verify(
      attempt.password,
      operator?.passwordHash,
      'deviceId' in guesser ? 'known' : 'stranger',
    ),
  )
  if (!isRight || !operator || operator.isDisabled) throw wrongSignIn()
  const left = await takeFactor(services, operator, { ...attempt, guesser })
  if (left === 'wrong') throw wrongSignIn('FACTOR')
  return { proven: provenBy(operator), recoveryCodesLeft: left === 'none' ? undefined : left }
}

/** To be called with what was read before the check. */
export const provenBy = ({ id, passwordHash, totpSeed, totpGeneration }: OperatorCredentials): Proven => ({
  operatorId: id,
  passwordHash,
  hasTotp: totpSeed !== null,
  totpGeneration,
})

function guesserOf(
  { devices, settings }: ConsoleServices,
  operator: OperatorCredentials | undefined,
  { email, from, cookies }: SignInAttempt,
): Guesser {
  const deviceId = operator && devices.idOf(operator.id, { cookies, isSecure: isSecure(settings) })
  return deviceId === undefined ? { email: operator?.email ?? email, address: from.ip } : { deviceId }
}

interface Given {
  readonly password: string
  readonly from: Whence
}

type Confirming = Pick<SignedIn, 'operatorId' | 'sessionId'>

/** Verifies a signed-in operator as a sign-in does: the password, and the second factor if there is one. */
export async function confirmOperator(
  services: ConsoleServices,
  operator: Confirming,
  given: Given & { readonly factor: SecondFactor },
): Promise<Proof> {
  const credentials = await confirmPassword(services, operator, given)
  const guesser = { sessionId: operator.sessionId }
  const left = await takeFactor(services, credentials, { ...given, guesser })
  if (left !== 'wrong')
    return { proven: provenBy(credentials), recoveryCodesLeft: left === 'none' ? undefined : left }
  throw new AppError('FORBIDDEN', 'That code is wrong or expired.', {
    details: [{ path: factorPath(given.factor), message: 'That code is wrong or expired' }],
  })
}

/** Verifies the password of a signed-in operator again, before credentials change. */
export async function confirmPassword(
  services: ConsoleServices,
  { operatorId, sessionId }: Confirming,
  given: Pick<Given, 'password'>,
): Promise<OperatorCredentials> {
  const credentials = await services.operators.find(operatorId)
  const isRight = await services.signInLimit.password({ sessionId }, () =>
    services.passwords.verify(given.password, credentials?.passwordHash, 'known'),
  )
  if (isRight && credentials) return credentials
  throw notCurrent()
}

/** Also where the password was changed while it was checked. */
export const notCurrent = (): AppError =>
  new AppError('FORBIDDEN', 'That is not your current password.', {
    details: [{ path: 'password', message: 'That is not your current password' }],
  })

/** Opens a session and returns the cookies to set: the session, and that this device is known from now on. */
export async function openSession(
  { sessions, devices, settings }: ConsoleServices,
  proven: Proven,
  { request, replaces }: { readonly request: HttpRequest; readonly replaces: Buffer | undefined },
): Promise<readonly string[]> {
  const token = createToken()
  const isOpen = await sessions.open({
    tokenHash: hashToken(token),
    proven,
    ip: request.remoteAddress,
    userAgent: whence(request).userAgent ?? null,
    replaces,
  })
  if (!isOpen) throw wrongSignIn()
  const { operatorId } = proven
  const secure = isSecure(settings)
  const known = devices.idOf(operatorId, { cookies: request.header('cookie'), isSecure: secure })
  return [sessionCookie(token, secure), devices.cookie(operatorId, { known, isSecure: secure })]
}

const factorPath = ({ recoveryCode }: SecondFactor): string =>
  recoveryCode === undefined ? 'totp' : 'recoveryCode'

interface GivenFactor {
  readonly factor: SecondFactor
  readonly from: Whence
  readonly guesser: Guesser
}

/** A number is how many recovery codes are left after using one; `none`: no recovery code was used. */
async function takeFactor(
  services: ConsoleServices,
  operator: OperatorCredentials,
  { factor, from, guesser }: GivenFactor,
): Promise<'none' | 'wrong' | number> {
  const { id, totpSeed } = operator
  if (totpSeed === null) return 'none'
  if (factor.recoveryCode === undefined && factor.totp === undefined)
    throw new AppError('UNAUTHORIZED', 'This account has a second factor: send its code too.', {
      details: [{ path: 'totp', message: 'Enter the code of your second factor' }],
    })
  let left: number | undefined
  const isRight = await services.signInLimit.factor(guesser, id, async () => {
    if (factor.recoveryCode === undefined) return isCode(services, { id, totpSeed }, factor.totp ?? '')
    const change = { operatorId: id, by: id, ...from }
    left = await services.operators.useRecoveryCode(change, hashRecoveryCode(factor.recoveryCode))
    return left !== undefined
  })
  return isRight ? (left ?? 'none') : 'wrong'
}

async function isCode(
  services: ConsoleServices,
  { id, totpSeed }: { readonly id: OperatorId; readonly totpSeed: Buffer },
  code: string,
): Promise<boolean> {
  const next = acceptTotp(readTotpState(services.secrets.open(totpSeed)), code, services.clock.now())
  if (next === undefined) return false
  return services.operators.advanceTotp(id, totpSeed, services.secrets.seal(writeTotpState(next)))
}

/** `reason` is for the audit. The answer must not tell whether the password was right. */
export const wrongSignIn = (reason: RefusalReason = 'PASSWORD'): AppError =>
  new AppError('UNAUTHORIZED', 'The e-mail, the password or the code is wrong.', { cause: reason })
