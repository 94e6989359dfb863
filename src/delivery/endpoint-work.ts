// How attempts begin and end, the same for both transports.
import type { AttemptReport } from './attempt.ts'
import { attemptErrors } from './attempt.ts'
import type { AttemptQueue } from './attempt-queue.ts'
import { allowance, lowerLimit, raiseLimit } from './concurrency-limit.ts'
import type { Effects } from './endpoint.messages.ts'
import type { DirectResult, DirectWork, QueuedItem, Work } from './endpoint.ts'
import { type EndpointState, isHeldUp, pullAnew, queueNameOf, queueOf } from './endpoint-state.ts'
import { type SettleOptions, settleAttempt } from './settle-attempt.ts'
import type { Frame } from './socket-state.ts'

const faultPauseMs = 1_000
const maxPulled = 500
const minPulled = 5
const usualBodyBytes = 512

export interface EndpointOptions extends SettleOptions {
  readonly idleCloseMs: number
  readonly pingMs: number
  /** WEBHOOK_TIMEOUT, DIRECT_TIMEOUT. */
  readonly timeoutMs: number
  readonly directTimeoutMs: number
  /** The longest pause of a streak of failures: see `pauseAfter`. */
  readonly failurePauseMs: number
}

export interface Turn {
  readonly state: EndpointState
  readonly at: Date
  readonly options: EndpointOptions
  readonly effects: Effects
}

/** What one of several concurrent attempts says about the endpoint. */
interface Beside {
  readonly wasFull: boolean
  readonly isCounted: boolean
}

const alone: Beside = { wasFull: false, isCounted: true }

/** Ends an attempt: answers the sender of a call, or sends the result of a delivery to the store. */
export function finish(turn: Turn, work: Work, report: AttemptReport, beside = alone): void {
  if (work.type === 'direct') return answerDirect(turn, work, directResult(report))
  const { state } = turn
  const attempt = { item: work.item, report, endedAt: turn.at, isCounted: beside.isCounted }
  const record = settleAttempt(state.config, attempt, turn.options)
  const { durationMs } = report
  if (record.counts === 'success')
    raiseLimit(state.concurrency, { durationMs, nowMs: turn.at.getTime(), wasFull: beside.wasFull })
  if (record.counts === 'failure') lowerLimit(state.concurrency, state.lastToken)
  if (record.verdict.type === 'uncharged') {
    turn.effects.push({ type: 'observe', record })
    takeBack(state, work.item)
    // A fault of ours affects every attempt: with a pause no delivery is overtaken by a later one.
    return rest(turn, faultPauseMs)
  }
  state.unrecorded += 1
  if (queueNameOf(work.item) === 'retries')
    state.recentAttempts.note(work.item.deliveryId, work.item.attemptNumber, turn.at.getTime())
  queueOf(state, work.item).release(work.item.key)
  turn.effects.push({ type: 'record', record })
}

/** The item had no attempt: it is the next one again, or left to the store when nothing more is sent. */
export function takeBack(state: EndpointState, item: QueuedItem): void {
  if (state.config.enabled && !state.isLeaving) return queueOf(state, item).putBack(item)
  queueOf(state, item).release(item.key)
  state.known.delete(item.deliveryId)
}

/** The deliveries of several frames, in their order: each goes to the front. What is outdated is read anew. */
export function takeAllBack(state: EndpointState, frames: readonly Frame[]): void {
  for (const { work, isOutdated } of frames.toReversed()) {
    if (work.type === 'direct') continue
    if (isOutdated) state.known.delete(work.item.deliveryId)
    else takeBack(state, work.item)
  }
  if (frames.some(({ work, isOutdated }) => work.type === 'queued' && isOutdated)) pullAnew(state)
}

/** No queued attempt starts for so long; calls do. */
export function rest({ state, effects }: Turn, delayMs: number): void {
  state.isResting = true
  effects.push({ type: 'setTimer', name: 'rest', delayMs, message: { type: 'rested' } })
}

export function answerDirect(turn: Turn, work: DirectWork, value: DirectResult): void {
  if (work.replyTo !== undefined) turn.effects.push({ type: 'reply', to: work.replyTo, value })
  turn.effects.push({ type: 'clearTimer', name: directTimer(work.id) })
}

const directTimer = (work: number): string => `direct:${work}`

export const directTimerEffect = (id: number, delayMs: number) =>
  ({ type: 'setTimer', name: directTimer(id), delayMs, message: { type: 'directDue', work: id } }) as const

export const endpointOff: DirectResult = {
  type: 'failed',
  code: 'ENDPOINT_OFF',
  message: 'the endpoint is switched off',
}

/** How many more queued attempts may start now, besides those under way. */
export function room(
  state: EndpointState,
  underWay: { readonly first: number; readonly retries: number },
): { readonly total: number; readonly first: number; readonly retries: number } {
  if (isHeldUp(state)) return { total: 0, first: 0, retries: 0 }
  const allowed = allowance(state.concurrency, state.postsShare.limit)
  return {
    total: Math.max(0, allowed.total - underWay.first - underWay.retries),
    first: Math.max(0, allowed.first - underWay.first),
    retries: Math.max(0, allowed.retries - underWay.retries),
  }
}

/** Reads more of a queue from the store when it runs low, even while the other queue is full. */
export function pullMore(turn: Turn): void {
  const { state } = turn
  if (state.pulling || state.isPullPaused || state.isLeaving || !state.config.enabled) return
  const first = state.inStore.first && state.first.isLow
  const retries = state.inStore.retries && state.retries.isLow
  if (!first && !retries) return
  state.lastToken += 1
  const token = state.lastToken
  state.pulling = { token, first, retries, left: new Set() }
  // A later hint needs another pull, because this one may have read the store before.
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

/** When memory is short few rows are read, because few would be kept. */
const rowsFor = (queue: AttemptQueue<QueuedItem>): number =>
  Math.min(maxPulled, Math.max(minPulled, Math.floor(queue.room / usualBodyBytes)))

const noConnection = { timings: {}, remoteAddress: null, reusedConnection: false }

/** A report without an answer from the receiver; `facts` are those of the connection, where there was one. */
export const reportOf = (
  outcome: AttemptReport['outcome'],
  durationMs = 0,
  facts: Pick<AttemptReport, 'timings' | 'remoteAddress' | 'reusedConnection'> = noConnection,
): AttemptReport => ({
  outcome,
  durationMs,
  timings: facts.timings,
  responseHeaders: null,
  responseBody: null,
  retryAfterMs: null,
  remoteAddress: facts.remoteAddress,
  reusedConnection: facts.reusedConnection,
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
  return {
    type: 'failed',
    code: outcome.code,
    message: outcome.detail ?? attemptErrors[outcome.code].meaning,
  }
}
