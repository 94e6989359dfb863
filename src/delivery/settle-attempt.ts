// Decides what one attempt of a queued delivery leads to. Pure: the store writes it, the schedule is given.
import type { EndpointId, WorkspaceId } from '../shared/ids.ts'
import { type AttemptReport, isReceiverFailure } from './attempt.ts'
import type { EndpointConfig, QueuedItem } from './endpoint.ts'
import { nextRetryAt } from './retry-schedule.ts'

export type AttemptVerdict =
  | { readonly type: 'delivered' }
  /** The delay counts from the failure, not from the moment when the verdict is written. */
  | { readonly type: 'retry'; readonly delayMs: number }
  | { readonly type: 'failed' }
  /** The address is refused: the delivery ends at once and nothing is counted. */
  | { readonly type: 'blocked' }
  /** A fault of ours: no attempt is used up, and the delivery is tried again. */
  | { readonly type: 'uncharged' }

export interface AttemptRecord {
  readonly item: QueuedItem
  readonly workspaceId: WorkspaceId
  readonly endpointId: EndpointId
  readonly startedAt: Date
  readonly endedAt: Date
  readonly report: AttemptReport
  readonly verdict: AttemptVerdict
  /** How it changes the endpoint's consecutive failures. */
  readonly counts: 'success' | 'failure' | 'nothing'
}

export interface SettleOptions {
  readonly retryDelaysMs: readonly number[]
  readonly random: () => number
}

interface Ended {
  readonly item: QueuedItem
  readonly report: AttemptReport
  readonly endedAt: Date
  /** Whether a failure of it would change the consecutive failures. */
  readonly isCounted: boolean
}

export function settleAttempt(config: EndpointConfig, attempt: Ended, options: SettleOptions): AttemptRecord {
  const { item, report, endedAt } = attempt
  return {
    item,
    workspaceId: config.workspaceId,
    endpointId: config.id,
    startedAt: new Date(endedAt.getTime() - report.durationMs),
    endedAt,
    report,
    verdict: verdictOf(attempt, options),
    counts: countsOf(attempt),
  }
}

function verdictOf({ item, report, endedAt }: Ended, options: SettleOptions): AttemptVerdict {
  const { outcome } = report
  if (outcome.type === 'delivered') return { type: 'delivered' }
  if (outcome.type === 'blocked') return { type: 'blocked' }
  if (outcome.type === 'ours') return { type: 'uncharged' }
  if (item.replay) return { type: 'failed' }
  const retryAt = nextRetryAt({
    attemptNumber: item.attemptNumber,
    failedAt: endedAt,
    delaysMs: options.retryDelaysMs,
    retryAfterMs: report.retryAfterMs,
    random: options.random,
  })
  return retryAt === null
    ? { type: 'failed' }
    : { type: 'retry', delayMs: retryAt.getTime() - endedAt.getTime() }
}

function countsOf({ item, report, isCounted }: Ended): AttemptRecord['counts'] {
  if (report.outcome.type === 'delivered') return 'success'
  // A failed replay is not counted: it tells the operator who started it nothing new.
  return isReceiverFailure(report.outcome) && !item.replay && isCounted ? 'failure' : 'nothing'
}
