// Proves who is at the door: password, then the second factor where there is one. Every answer to a wrong guess is
// the same, after the same work, whether the operator exists or not.

import type { OperatorCredentials } from '../auth/operator.ts'
import { createSessionToken, hashSessionToken, sessionCookie } from '../auth/operator-session.ts'
import { acceptTotp, readTotpState, writeTotpState } from '../auth/totp.ts'
import { AppError } from '../contract/errors.ts'
import type { HttpRequest } from '../http/exchange.ts'
import type { OperatorId } from '../shared/ids.ts'
import type { ConsoleServices, ConsoleSettings } from './services.ts'

export interface SignInAttempt {
  readonly email: string
  readonly password: string
  readonly totp: string | undefined
  readonly address: string
}

export async function proveOperator(services: ConsoleServices, attempt: SignInAttempt): Promise<OperatorId> {
  services.signInLimit.check(attempt)
  const operator = await services.operators.findByEmail(attempt.email)
  const isRight = await services.passwords.verify(attempt.password, operator?.passwordHash)
  // Of guesses sent side by side all passed the first look: those behind the fifth wrong one count for nothing.
  services.signInLimit.check(attempt)
  if (!isRight || !operator) return refuse(services, attempt)
  if (operator.totpSeed === null) return operator.id
  if (attempt.totp === undefined)
    throw new AppError('UNAUTHORIZED', 'This account has a second factor: send its code too.', {
      details: [{ path: 'totp', message: 'is required for this account' }],
    })
  const isFresh = await takeTotp(services, operator, operator.totpSeed, attempt.totp)
  return isFresh ? operator.id : refuse(services, attempt)
}

/** Asks a signed-in operator once more, before credentials change. */
export async function confirmPassword(
  services: ConsoleServices,
  operator: { readonly operatorId: OperatorId; readonly email: string },
  given: { readonly password: string; readonly address: string },
): Promise<void> {
  const subjects = { email: operator.email, address: given.address }
  services.signInLimit.check(subjects)
  const credentials = await services.operators.find(operator.operatorId)
  const isRight = await services.passwords.verify(given.password, credentials?.passwordHash)
  services.signInLimit.check(subjects)
  if (isRight) return
  await services.signInLimit.failed(subjects)
  throw new AppError('FORBIDDEN', 'That is not your current password.', {
    details: [{ path: 'password', message: 'is not your current password' }],
  })
}

/** Opens a session and gives its cookie. */
export async function openSession(
  services: ConsoleServices,
  operatorId: OperatorId,
  from: { readonly request: HttpRequest; readonly replaces: Buffer | undefined },
): Promise<string> {
  const token = createSessionToken()
  await services.sessions.open({
    tokenHash: hashSessionToken(token),
    operatorId,
    ip: from.request.remoteAddress,
    userAgent: from.request.header('user-agent')?.slice(0, 300) ?? null,
    replaces: from.replaces,
  })
  return sessionCookie(token, isSecure(services.settings))
}

export const isSecure = ({ production, publicUrl }: ConsoleSettings): boolean =>
  production || publicUrl?.startsWith('https:') === true

async function takeTotp(
  services: ConsoleServices,
  operator: OperatorCredentials,
  sealed: Buffer,
  code: string,
): Promise<boolean> {
  const next = acceptTotp(readTotpState(services.secrets.open(sealed)), code, services.clock.now())
  if (next === undefined) return false
  return services.operators.advanceTotp(operator.id, sealed, services.secrets.seal(writeTotpState(next)))
}

async function refuse(services: ConsoleServices, attempt: SignInAttempt): Promise<never> {
  await services.signInLimit.failed(attempt)
  throw new AppError('UNAUTHORIZED', 'The e-mail, the password or the code is wrong.')
}
