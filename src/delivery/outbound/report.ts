import type { Clock } from '../../shared/clock.ts'
import type { UrlVerdict } from '../address-rule.ts'
import {
  type AttemptErrorCode,
  type AttemptOutcome,
  type AttemptReport,
  type AttemptTimings,
  failure,
  outcomeOfStatus,
} from '../attempt.ts'
import { httpDate, retryAfterMs } from '../retry-schedule.ts'
import type { Answer } from './answer.ts'

/** What is known about an attempt besides its outcome. */
export interface AttemptFacts {
  readonly durationMs: number
  /** The cause of a failure, where its code alone does not tell it. */
  readonly detail?: string | undefined
  readonly timings?: AttemptTimings
  readonly remoteAddress?: string | null
  readonly reusedConnection?: boolean
}

export function failedReport(code: AttemptErrorCode, facts: AttemptFacts): AttemptReport {
  return {
    ...known(facts),
    outcome: failure(code, facts.detail),
    responseHeaders: null,
    responseBody: null,
    retryAfterMs: null,
  }
}

export const answeredReport = (answer: Answer, facts: AttemptFacts, clock: Clock): AttemptReport =>
  reportOf(outcomeOfStatus(answer.statusCode), { answer, facts, clock })

/** Any answer but 101 refuses the socket, even a 200: nothing was delivered. */
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
    retryAfterMs: retryAfterOf(answer, clock),
  }
}

/** Hardly any answer has a Retry-After, and a date takes longer to read than the rest of a head. */
function retryAfterOf({ statusCode, retryAfter, date }: Answer, clock: Clock): number | null {
  if (retryAfter === undefined) return null
  return retryAfterMs(statusCode, retryAfter, httpDate(date?.trim() ?? '') ?? new Date(clock.now()))
}

/** A permitted address whose scheme is wrong for the sender is forbidden like any other. */
export const refusalCode = (verdict: UrlVerdict): AttemptErrorCode =>
  verdict.type === 'refused' && verdict.reason === 'PRIVATE_ADDRESS' ? 'ADDRESS_FORBIDDEN' : 'URL_FORBIDDEN'

const known = ({ durationMs, timings, remoteAddress, reusedConnection }: AttemptFacts) => ({
  durationMs,
  timings: timings ?? {},
  remoteAddress: remoteAddress ?? null,
  reusedConnection: reusedConnection ?? false,
})
