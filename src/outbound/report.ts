import type { Clock } from '../shared/clock.ts'
import type { UrlVerdict } from '../webhooks/address-rule.ts'
import {
  type AttemptErrorCode,
  type AttemptOutcome,
  type AttemptReport,
  type AttemptTimings,
  failure,
  outcomeOfStatus,
} from '../webhooks/attempt.ts'
import { retryAfterMs } from '../webhooks/retry-schedule.ts'
import type { Answer } from './answer.ts'

/** What is known of an attempt besides what came of it. */
export interface AttemptFacts {
  readonly durationMs: number
  readonly timings?: AttemptTimings
  readonly remoteAddress?: string | null
  readonly reusedConnection?: boolean
}

export function failedReport(code: AttemptErrorCode, facts: AttemptFacts): AttemptReport {
  return {
    ...known(facts),
    outcome: failure(code),
    responseHeaders: null,
    responseBody: null,
    retryAfterMs: null,
  }
}

export const answeredReport = (answer: Answer, facts: AttemptFacts, clock: Clock): AttemptReport =>
  reportOf(outcomeOfStatus(answer.statusCode), { answer, facts, clock })

/** Anything but a 101 refuses a socket, a 200 as well: nothing was delivered by it. */
export const refusedUpgradeReport = (answer: Answer, facts: AttemptFacts, clock: Clock): AttemptReport =>
  reportOf({ type: 'refused', statusCode: answer.statusCode }, { answer, facts, clock })

function reportOf(
  outcome: AttemptOutcome,
  { answer, facts, clock }: { answer: Answer; facts: AttemptFacts; clock: Clock },
): AttemptReport {
  return {
    ...known(facts),
    outcome,
    responseHeaders: answer.headers,
    responseBody: answer.body,
    retryAfterMs: retryAfterMs(answer.statusCode, answer.retryAfter, new Date(clock.now())),
  }
}

/** An address that passed the rule yet has the wrong scheme for the sender is as forbidden as any other. */
export const refusalCode = (verdict: UrlVerdict): AttemptErrorCode =>
  verdict.type === 'refused' && verdict.reason === 'PRIVATE_ADDRESS' ? 'ADDRESS_FORBIDDEN' : 'URL_FORBIDDEN'

const known = ({ durationMs, timings, remoteAddress, reusedConnection }: AttemptFacts) => ({
  durationMs,
  timings: timings ?? {},
  remoteAddress: remoteAddress ?? null,
  reusedConnection: reusedConnection ?? false,
})
