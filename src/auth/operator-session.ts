// Sessions of signed-in operators: the cookie of their token and its lifetime. Stores nothing.
import { hashToken, tokenShape } from './random-token.ts'

export const sessionLifetime = {
  /** A session unused for this long ends. */
  idleMs: 12 * 3_600_000,
  /** However busy, it ends this long after sign-in. */
  totalMs: 7 * 24 * 3_600_000,
  /** The use of a session is written at most this often. */
  touchMs: 60_000,
  /** How long a session may see and change secrets after it has proved itself. */
  proofMs: 10 * 60_000,
  /** The oldest session of an operator ends when there would be more. */
  perOperator: 20,
} as const

const COOKIE = 'switchboard_session'

/** SameSite=Strict keeps other sites' requests without it; the path keeps it from the API. */
export const sessionCookie = (token: string, isSecure: boolean): string =>
  cookie(token, Math.floor(sessionLifetime.totalMs / 1000), isSecure)

export const endedSessionCookie = (isSecure: boolean): string => cookie('', 0, isSecure)

const cookie = (value: string, maxAgeSeconds: number, isSecure: boolean): string =>
  `${COOKIE}=${value}; Path=/console; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`

/** The hash to look up, or undefined where the Cookie header carries no token of ours. */
export function sessionHashOf(cookieHeader: string | undefined): Buffer | undefined {
  for (const pair of cookieHeader?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=', 2)
    if (name === COOKIE && tokenShape.test(value)) return hashToken(value)
  }
  return undefined
}
