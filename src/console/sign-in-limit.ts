// Slows down password guessing: five failures a minute per e-mail and per IP address. Only failures count, so
// frequent successful sign-ins are never limited.
import { AppError } from '../contract/errors.ts'
import type { RateLimiter } from '../platform/http/rate-limit.ts'
import type { Clock } from '../shared/clock.ts'

export interface SignInLimit {
  /** Throws RATE_LIMITED while one of the subjects has to wait. Call it before using the password. */
  check(subjects: SignInSubjects): void
  failed(subjects: SignInSubjects): Promise<void>
}

export interface SignInSubjects {
  /** Undefined if the request names no e-mail, as with an invitation token. */
  readonly email: string | undefined
  readonly address: string
}

const FAILURES = 5
const PER_SECOND = FAILURES / 60
const TOKEN_MS = 1_000 / PER_SECOND
const MOST_BLOCKED = 10_000

/**
 * All processes share the buckets. This process remembers an empty bucket until its next token, so that a
 * right guess in between is refused like a wrong one. Another process learns of it from the first failure
 * that it sees.
 */
export function createSignInLimit(options: { limiter: RateLimiter; clock: Clock }): SignInLimit {
  const { limiter, clock } = options
  const blockedUntil = new Map<string, number>()

  async function count(subject: string): Promise<void> {
    const state = await limiter.take(subject, PER_SECOND, FAILURES)
    if (state.allowed && state.remaining >= 1) return
    blockedUntil.delete(subject)
    blockedUntil.set(subject, clock.mono() + (state.retryAfterMs || TOKEN_MS))
    for (const oldest of blockedUntil.keys()) {
      if (blockedUntil.size <= MOST_BLOCKED) break
      blockedUntil.delete(oldest)
    }
  }

  return {
    check(subjects) {
      const waits = subjectsOf(subjects).map((subject) => (blockedUntil.get(subject) ?? 0) - clock.mono())
      const waitMs = Math.max(...waits)
      if (waitMs > 0)
        throw new AppError('RATE_LIMITED', 'Too many failed sign-ins; wait as long as Retry-After says.', {
          retryAfterSeconds: Math.ceil(waitMs / 1000),
        })
    },
    async failed(subjects) {
      await Promise.all(subjectsOf(subjects).map(count))
    },
  }
}

const subjectsOf = ({ email, address }: SignInSubjects): string[] => [
  ...(email === undefined ? [] : [`sign-in:email:${email.trim().toLowerCase()}`]),
  `sign-in:address:${address}`,
]
