// Beginnings and ends of attempts, the same for both transports.
import type { AttemptReport } from './attempt.ts'
import { attemptErrors } from './attempt.ts'
import type { DirectResult, Effects, QueuedItem } from './endpoint.ts'
import { type DirectWork, type EndpointState, isHeldUp, laneOf, type Work } from './endpoint-state.ts'
import type { KeyedLane } from './lanes.ts'
import { allowance, paceFailure, paceSuccess } from './pace.ts'
import { type SettleOptions, settleAttempt } from './settle-attempt.ts'

const restMs = 1_000
const maxPulled = 200
const minPulled = 5
const usualBodyBytes = 512

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
  if (record.verdict.type === 'uncharged') {
    turn.effects.push({ type: 'observe', record })
    takeBack(state, work.item)
    return rest(turn)
  }
  state.unrecorded += 1
  laneOf(state, work.item).release(work.item.key)
  turn.effects.push({ type: 'record', record })
}

/** No attempt was made of it: it is the next again, or the store's where nothing goes out from here. */
export function takeBack(state: EndpointState, item: QueuedItem): void {
  if (state.config.enabled && !state.isLeaving) return laneOf(state, item).putBack(item)
  laneOf(state, item).release(item.key)
  state.known.delete(item.deliveryId)
}

/** What ails us ails every attempt: the next one waits a second, and none is passed by one that came after it. */
function rest({ state, effects }: Turn): void {
  state.isResting = true
  effects.push({ type: 'setTimer', name: 'rest', delayMs: restMs, message: { type: 'rested' } })
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
  if (isHeldUp(state)) return { total: 0, first: 0, retries: 0 }
  const allowed = allowance(state.pace, state.postsShare.limit)
  return {
    total: Math.max(0, allowed.total - underWay.first - underWay.retries),
    first: Math.max(0, allowed.first - underWay.first),
    retries: Math.max(0, allowed.retries - underWay.retries),
  }
}

/** Asks the store for more of a lane once that runs low; a full lane keeps no other from being filled. */
export function pullMore(turn: Turn): void {
  const { state } = turn
  if (state.pulling || state.isPullPaused || state.isLeaving || !state.config.enabled) return
  const first = state.inStore.first && state.first.isLow
  const retries = state.inStore.retries && state.retries.isLow
  if (!first && !retries) return
  state.lastToken += 1
  const token = state.lastToken
  state.pulling = { token, first, retries }
  // Whoever says so from now on is not answered by this pull: it may have read the store before.
  if (first) state.inStore.first = false
  if (retries) state.inStore.retries = false
  turn.effects.push({
    type: 'pull',
    token,
    workspaceId: state.config.workspaceId,
    exclude: [...state.known],
    first: first ? rowsFor(state.first) : 0,
    retries: retries ? rowsFor(state.retries) : 0,
  })
}

/** Where memory is short few rows are read, since few would be kept. */
const rowsFor = (lane: KeyedLane<QueuedItem>): number =>
  Math.min(maxPulled, Math.max(minPulled, Math.floor(lane.room / usualBodyBytes)))

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
