// Verifies an operator: the password, then the second factor if there is one. Every wrong guess gets the same
// answer after the same work, whether the operator exists or not.

import type { OperatorCredentials } from '../accounts/operator.ts'
import { sessionCookie } from '../accounts/operator-session.ts'
import { createToken, hashToken } from '../accounts/random-token.ts'
import { hashRecoveryCode } from '../accounts/recovery-codes.ts'
import { acceptTotp, readTotpState, writeTotpState } from '../accounts/totp.ts'
import { AppError } from '../contract/errors.ts'
import type { HttpRequest } from '../platform/http/exchange.ts'
import type { OperatorId } from '../shared/ids.ts'
import type { ConsoleServices, ConsoleSettings } from './services.ts'

export interface SignInAttempt {
  readonly email: string
  readonly password: string
  readonly factor: SecondFactor
  readonly address: string
}

/** One of the two is needed if the account has a second factor. */
export interface SecondFactor {
  readonly totp?: string | undefined
  readonly recoveryCode?: string | undefined
}

export interface Proof {
  readonly operatorId: OperatorId
  /** Set only if a recovery code was used. */
  readonly recoveryCodesLeft: number | undefined
}

export async function proveOperator(services: ConsoleServices, attempt: SignInAttempt): Promise<Proof> {
  services.signInLimit.check(attempt)
  const operator = await services.operators.findByEmail(attempt.email)
  const isRight = await services.passwords.verify(attempt.password, operator?.passwordHash)
  // Guesses sent in parallel all pass the first check. This check refuses those after the fifth failure.
  services.signInLimit.check(attempt)
  if (!isRight || !operator || operator.isDisabled) return refuse(services, attempt)
  const left = await takeFactor(services, operator, attempt)
  return left === 'wrong'
    ? refuse(services, attempt)
    : { operatorId: operator.id, recoveryCodesLeft: left === 'none' ? undefined : left }
}

interface Given {
  readonly password: string
  readonly address: string
}

/** Verifies a signed-in operator as a sign-in does: the password, and the second factor if there is one. */
export async function confirmOperator(
  services: ConsoleServices,
  operator: { readonly operatorId: OperatorId; readonly email: string },
  given: Given & { readonly factor: SecondFactor },
): Promise<Proof> {
  const credentials = await confirmPassword(services, operator, given)
  const left = await takeFactor(services, credentials, given)
  if (left !== 'wrong')
    return { operatorId: operator.operatorId, recoveryCodesLeft: left === 'none' ? undefined : left }
  await services.signInLimit.failed({ email: operator.email, address: given.address })
  throw new AppError('FORBIDDEN', 'That code is wrong, or was used before.', {
    details: [{ path: factorPath(given.factor), message: 'is wrong, or was used before' }],
  })
}

/** Verifies the password of a signed-in operator again, before credentials change. */
export async function confirmPassword(
  services: ConsoleServices,
  operator: { readonly operatorId: OperatorId; readonly email: string },
  given: Given,
): Promise<OperatorCredentials> {
  const subjects = { email: operator.email, address: given.address }
  services.signInLimit.check(subjects)
  const credentials = await services.operators.find(operator.operatorId)
  const isRight = await services.passwords.verify(given.password, credentials?.passwordHash)
  services.signInLimit.check(subjects)
  if (isRight && credentials) return credentials
  await services.signInLimit.failed(subjects)
  throw new AppError('FORBIDDEN', 'That is not your current password.', {
    details: [{ path: 'password', message: 'is not your current password' }],
  })
}

/** Opens a session and returns its cookie. */
export async function openSession(
  services: ConsoleServices,
  operatorId: OperatorId,
  from: { readonly request: HttpRequest; readonly replaces: Buffer | undefined },
): Promise<string> {
  const token = createToken()
  await services.sessions.open({
    tokenHash: hashToken(token),
    operatorId,
    ip: from.request.remoteAddress,
    userAgent: from.request.header('user-agent')?.slice(0, 300) ?? null,
    replaces: from.replaces,
  })
  return sessionCookie(token, isSecure(services.settings))
}

export const isSecure = ({ production, publicUrl }: ConsoleSettings): boolean =>
  production || publicUrl?.startsWith('https:') === true

const factorPath = ({ recoveryCode }: SecondFactor): string =>
  recoveryCode === undefined ? 'totp' : 'recoveryCode'

/** A number is how many recovery codes are left after using one; `none`: no recovery code was used. */
async function takeFactor(
  services: ConsoleServices,
  operator: OperatorCredentials,
  { factor, address }: { readonly factor: SecondFactor; readonly address: string },
): Promise<'none' | 'wrong' | number> {
  const { id, totpSeed } = operator
  if (totpSeed === null) return 'none'
  if (factor.recoveryCode !== undefined) {
    const change = { operatorId: id, by: id, ip: address }
    return (
      (await services.operators.useRecoveryCode(change, hashRecoveryCode(factor.recoveryCode))) ?? 'wrong'
    )
  }
  if (factor.totp === undefined)
    throw new AppError('UNAUTHORIZED', 'This account has a second factor: send its code too.', {
      details: [{ path: 'totp', message: 'is required for this account' }],
    })
  const next = acceptTotp(readTotpState(services.secrets.open(totpSeed)), factor.totp, services.clock.now())
  if (next === undefined) return 'wrong'
  const kept = await services.operators.advanceTotp(id, totpSeed, services.secrets.seal(writeTotpState(next)))
  return kept ? 'none' : 'wrong'
}

async function refuse(services: ConsoleServices, attempt: SignInAttempt): Promise<never> {
  await services.signInLimit.failed(attempt)
  throw new AppError('UNAUTHORIZED', 'The e-mail, the password or the code is wrong.')
}
