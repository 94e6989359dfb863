// Finds out for every route that takes a password whether it was refused, and why.
import type { SignedIn } from '../accounts/operator.ts'
import { hashToken } from '../accounts/random-token.ts'
import { AppError } from '../contract/errors.ts'
import type { HttpRequest } from '../platform/http/exchange.ts'
import type { ConsoleServices } from './services.ts'
import type { RefusalReason } from './sign-in-refusals.ts'
import { whence } from './whence.ts'

interface Attempt {
  readonly body?: unknown
  readonly request: HttpRequest
}

/** Runs a handler. If its body has a password and it refuses that, or does not look at it, this is recorded. */
export function recordRefusals(
  { services, operator }: { readonly services: ConsoleServices; readonly operator: SignedIn | undefined },
  { body, request }: Attempt,
  run: () => unknown,
): unknown {
  if (!hasPassword(body)) return run()
  const given = body
  return (async () => {
    try {
      return await run()
    } catch (error) {
      const reason = reasonOf(error)
      if (reason !== undefined) {
        const email = operator ? undefined : await emailOf(services, given)
        await services.refusals.note({ reason, email, operator, from: whence(request) })
      }
      throw error
    }
  })()
}

interface Given {
  readonly password: string
  readonly email?: unknown
  readonly token?: unknown
}

const hasPassword = (body: unknown): body is Given =>
  typeof body === 'object' && body !== null && 'password' in body

async function emailOf(services: ConsoleServices, { email, token }: Given): Promise<string | undefined> {
  if (typeof email === 'string') return email
  return typeof token === 'string' ? (await services.invitations.find(hashToken(token)))?.email : undefined
}

function reasonOf(error: unknown): RefusalReason | undefined {
  if (!(error instanceof AppError)) return undefined
  if (error.code === 'RATE_LIMITED') return 'BLOCKED'
  if (error.code !== 'UNAUTHORIZED' && error.code !== 'FORBIDDEN') return undefined
  if (error.cause === 'FACTOR') return 'FACTOR'
  const path = error.details?.[0]?.path
  if (error.code === 'UNAUTHORIZED') return path === 'totp' ? 'FACTOR_MISSING' : 'PASSWORD'
  if (path === 'totp' || path === 'recoveryCode') return 'FACTOR'
  return path === 'password' ? 'PASSWORD' : undefined
}
