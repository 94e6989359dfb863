// What a workspace asks of a session before anything of the workspace is read or done.

export interface SessionRules {
  /** A second factor is required, and the time until which members could do without is over. */
  readonly isFactorRequired: boolean
  /** How long after its sign-in a session is taken; null: as long as it lives. */
  readonly sessionMinutes: number | null
  /** How long a session may have been unused at any time; null: as long as it lives. */
  readonly idleMinutes: number | null
}

export interface SessionFacts {
  readonly hasTotp: boolean
  readonly ageMs: number
  /** The longest time between two uses, and since the last. */
  readonly longestPauseMs: number
}

/** The error codes with which such a session is refused. */
export type Barrier = 'SECOND_FACTOR_REQUIRED' | 'SESSION_EXPIRED'

export const sessionRuleLimits = {
  sessionMinutes: [15, 7 * 24 * 60],
  idleMinutes: [5, 12 * 60],
  graceDays: [0, 90],
} as const

const MINUTE_MS = 60_000

export function barrierOf(rules: SessionRules, session: SessionFacts): Barrier | null {
  const { sessionMinutes, idleMinutes } = rules
  const isOver = (ms: number, minutes: number | null) => minutes !== null && ms >= minutes * MINUTE_MS
  if (isOver(session.ageMs, sessionMinutes) || isOver(session.longestPauseMs, idleMinutes))
    return 'SESSION_EXPIRED'
  return rules.isFactorRequired && !session.hasTotp ? 'SECOND_FACTOR_REQUIRED' : null
}
