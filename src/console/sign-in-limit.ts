// Slows down the guessing of passwords: five failures a minute for an e-mail and for an address. Only failures
// count, so that signing in often is no offence.
import { AppError } from '../contract/errors.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import type { Clock } from '../shared/clock.ts'

export interface SignInLimit {
  /** Refuses with RATE_LIMITED while one of them has to wait. Asked before the password is looked at. */
  check(subjects: SignInSubjects): void
  failed(subjects: SignInSubjects): Promise<void>
}

export interface SignInSubjects {
  /** Undefined where nobody was named. */
  readonly email: string | undefined
  readonly address: string
}

const FAILURES = 5
const PER_SECOND = FAILURES / 60
const TOKEN_MS = 1_000 / PER_SECOND
const MOST_BLOCKED = 10_000

/**
 * The buckets are shared by every process; who has emptied one is remembered here until its next token, so that a
 * right guess in between is refused like a wrong one. Another process learns it from the first failure it sees.
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
