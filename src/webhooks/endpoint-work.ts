// Beginnings and ends of attempts, the same for both transports.
import type { AttemptReport } from './attempt.ts'
import { attemptErrors } from './attempt.ts'
import type { DirectResult, Effects } from './endpoint.ts'
import { type DirectWork, type EndpointState, laneOf, type Work } from './endpoint-state.ts'
import { allowance, paceFailure, paceSuccess } from './pace.ts'
import { type SettleOptions, settleAttempt } from './settle-attempt.ts'

export interface EndpointOptions extends SettleOptions {
  readonly idleCloseMs: number
  readonly pingMs: number
  readonly directTimeoutMs: number
}

export interface Turn {
  readonly state: EndpointState
  readonly at: Date
  readonly options: EndpointOptions
  readonly effects: Effects
}

/** An attempt has its report: a call's sender is answered, a delivery's result goes to the store. */
export function finish(turn: Turn, work: Work, report: AttemptReport): void {
  if (work.type === 'direct') return answerDirect(turn, work, directResult(report))
  const { state } = turn
  const record = settleAttempt(state.config, { item: work.item, report, endedAt: turn.at }, turn.options)
  if (record.counts === 'success') paceSuccess(state.pace, report.durationMs)
  if (record.counts === 'failure') paceFailure(state.pace)
  laneOf(state, work.item).release(work.item.key)
  turn.effects.push({ type: 'record', record })
}

export function answerDirect(turn: Turn, work: DirectWork, value: DirectResult): void {
  if (work.replyTo !== undefined) turn.effects.push({ type: 'reply', to: work.replyTo, value })
  turn.effects.push({ type: 'clearTimer', name: directTimer(work.id) })
}

export const directTimer = (work: number): string => `direct:${work}`

/** How many more queued attempts may start now, counting those under way. */
export function room(
  state: EndpointState,
  underWay: { readonly first: number; readonly retries: number },
): { readonly total: number; readonly first: number; readonly retries: number } {
  const allowed = allowance(state.pace)
  return {
    total: Math.max(0, allowed.total - underWay.first - underWay.retries),
    first: Math.max(0, allowed.first - underWay.first),
    retries: Math.max(0, allowed.retries - underWay.retries),
  }
}

/** Asks the store for more once a lane that has more there runs low. */
export function pullMore(turn: Turn): void {
  const { state } = turn
  if (state.pulling || !state.config.enabled) return
  const isWanted = (state.moreInStore && state.first.isLow) || (state.moreRetries && state.retries.isLow)
  if (!isWanted) return
  state.pulling = true
  // Whoever says so from now on is not answered by this pull: it may have read the store before.
  state.moreInStore = false
  state.moreRetries = false
  turn.effects.push({ type: 'pull', exclude: [...state.known] })
}

/** A report for what never got as far as the network. */
export const reportOf = (outcome: AttemptReport['outcome'], durationMs = 0): AttemptReport => ({
  outcome,
  durationMs,
  timings: {},
  responseHeaders: null,
  responseBody: null,
  retryAfterMs: null,
  remoteAddress: null,
  reusedConnection: false,
})

function directResult(report: AttemptReport): DirectResult {
  const { outcome } = report
  if (outcome.type === 'delivered') return { type: 'delivered' }
  if (outcome.type === 'refused')
    return {
      type: 'failed',
      code: `HTTP_${outcome.statusCode}`,
      message: `the endpoint answered ${outcome.statusCode}`,
    }
  return { type: 'failed', code: outcome.code, message: attemptErrors[outcome.code].meaning }
}
