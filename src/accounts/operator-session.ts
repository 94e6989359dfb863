// The sessions of signed-in operators: the cookie with their token, and their lifetimes. Stores nothing.
import { hashToken, tokenShape } from './random-token.ts'

export const sessionLifetime = {
  /** A session unused for this long ends. */
  idleMs: 12 * 3_600_000,
  /** A session ends this long after sign-in, even while it is used. */
  totalMs: 7 * 24 * 3_600_000,
  /** The use of a session is written at most once in this time. */
  touchMs: 60_000,
  /** How long a session may read and change secrets after its operator has given the password. */
  proofMs: 10 * 60_000,
  /** Sessions of one operator at most; one more ends the session that was unused longest. */
  perOperator: 20,
} as const

const COOKIE = 'switchboard_session'

/**
 * Browsers take a `__Host-` cookie only from the host itself over TLS, for all its paths. So neither a
 * sibling host nor anybody on the network can plant a session of their own.
 */
const SECURE_COOKIE = `__Host-${COOKIE}`

/** SameSite=Strict keeps the cookie out of requests from other sites. */
export const sessionCookie = (token: string, isSecure: boolean): string =>
  cookie(token, Math.floor(sessionLifetime.totalMs / 1000), isSecure)

export const endedSessionCookie = (isSecure: boolean): string => cookie('', 0, isSecure)

const cookie = (value: string, maxAgeSeconds: number, isSecure: boolean): string => {
  const [name, path, more] = isSecure ? [SECURE_COOKIE, '/', '; Secure'] : [COOKIE, '/console', '']
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${more}`
}

/**
 * The hash to look up; undefined where the Cookie header contains no session token. `isSecure`: only the
 * cookie that nobody else can plant counts.
 */
export function sessionHashOf(cookieHeader: string | undefined, isSecure: boolean): Buffer | undefined {
  const wanted = isSecure ? SECURE_COOKIE : COOKIE
  for (const pair of cookieHeader?.split(';') ?? []) {
    const [name, value = ''] = pair.trim().split('=', 2)
    if (name === wanted && tokenShape.test(value)) return hashToken(value)
  }
  return undefined
}
