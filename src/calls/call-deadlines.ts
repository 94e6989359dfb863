// Deadlines of a call: what happens when the provider is silent or the owner has crashed.

import { hasEnded } from './call.machine.ts'
import type { CallOut, CallState, CallTiming, StepContext } from './call.messages.ts'
import type { CallRow } from './call.ts'
import { changedRow } from './call-row.ts'
import { andThen, type CallStep, end, step } from './call-step.ts'
import {
  endedBefore,
  forwardFailed,
  isForwarding,
  lateAnswerMs,
  restarted,
  ringIsOldMs,
} from './forward-call.ts'
import { completed, hangUpAtProvider, isSettling, missed, settleMs, unanswered } from './provider-updates.ts'
import { handOverMs } from './resume-call.ts'

/** Longer than a request to the provider may take, and longer than its webhooks usually take. */
const placeGraceMs = 20_000
/** A pending command or forward that is older than this is checked by the reaper: its owner may be dead. */
export const commandCheckMs = 5_000
export const forwardCheckMs = 2_000

const after = (at: Date | null, ms: number): number => (at?.getTime() ?? 0) + ms

interface Deadline {
  readonly atMs: number
  readonly act: (context: StepContext, state: CallState) => CallStep
}

function deadlines(state: CallState, timing: CallTiming): Deadline[] {
  const { row } = state
  if (hasEnded(row)) return isForwarding(state) ? [unforwarded(row)] : []
  const due: Deadline[] = [silence(row, timing)]
  if (isSettling(state))
    due.push({
      // It may have ended long before the terminate came.
      atMs: after(row.heardAt ?? row.endedAt, settleMs),
      act: (context, known) => unanswered(context, known, 'RANG_OUT'),
    })
  if (row.pendingAction === 'PLACE')
    due.push({ atMs: after(row.actionAt, placeGraceMs), act: outcomeUnknown })
  if (isForwarding(state) && state.session === null) due.push(lateSdp(row))
  return due
}

// An ended call still waits for the outcome of its forward. Where nothing was forwarded, because the SDP
// never came, no outcome follows: this deadline ends the wait.
const unforwarded = (row: CallRow): Deadline => ({
  atMs: after(row.forwardStartedAt, ringIsOldMs),
  act: (context, state) => forwardFailed(context, state, endedBefore),
})

const lateSdp = (row: CallRow): Deadline =>
  row.direction === 'OUTBOUND'
    ? { atMs: after(row.acceptedAt, lateAnswerMs), act: noLateAnswer }
    : { atMs: after(row.forwardStartedAt, ringIsOldMs), act: noLateOffer }

function silence(row: CallRow, timing: CallTiming): Deadline {
  if (row.status === 'ACCEPTED') return { atMs: after(lastHeard(row), timing.callTimeoutMs), act: silentCall }
  // The connect of an inbound call may come late: it is not silent before.
  const heardMs = Math.max(after(row.createdAt, 0), after(row.ringingAt, 0))
  return { atMs: heardMs + timing.ringTimeoutMs, act: silentRing }
}

const lastHeard = ({ acceptedAt, heardAt }: CallRow): Date | null =>
  acceptedAt !== null && heardAt !== null && heardAt > acceptedAt ? heardAt : acceptedAt

const silentCall = (context: StepContext, state: CallState): CallStep =>
  andThen(completed(context, state, null, 'TIMEOUT'), tellProvider)

const silentRing = (context: StepContext, state: CallState): CallStep =>
  andThen(
    state.row.direction === 'INBOUND'
      ? missed(context, state, 'TIMEOUT')
      : unanswered(context, state, 'TIMEOUT'),
    tellProvider,
  )

const outcomeUnknown = (context: StepContext, state: CallState): CallStep =>
  end(context, state, 'FAILED', { patch: { endReason: 'OUTCOME_UNKNOWN' } })

const noLateAnswer = (context: StepContext, state: CallState): CallStep =>
  forwardFailed(context, state, { code: 'NO_ANSWER_SDP', message: 'the provider sent no SDP answer' })

const noLateOffer = (context: StepContext, state: CallState): CallStep =>
  forwardFailed(context, state, restarted)

// The timeout is our assumption. If the call still exists at the provider, it must not outlive its record.
const tellProvider = (state: CallState): CallStep =>
  state.row.wacid === null ? step(state) : step(state, hangUpAtProvider(state.row, state.row.wacid))

/** Runs all actions that are due, the earliest first. */
export function wake(context: StepContext, state: CallState): CallStep {
  const [first] = deadlines(state, context.timing).sort((a, b) => a.atMs - b.atMs)
  if (first === undefined || first.atMs > context.at.getTime()) return step(state)
  return andThen(first.act(context, state), (next) => wake(context, next))
}

/** In milliseconds since the epoch; Infinity where no deadline is left. */
const nextDeadlineMs = (state: CallState, timing: CallTiming): number =>
  Math.min(...deadlines(state, timing).map(({ atMs }) => atMs))

/** When the reaper must wake the call: at the next deadline, or earlier if the owner may be dead. */
function wakeAtMs(state: CallState, nextMs: number): number | undefined {
  const { row } = state
  let atMs = nextMs
  if (row.pendingAction !== null) atMs = Math.min(atMs, after(row.actionAt, commandCheckMs))
  if (isForwarding(state)) atMs = Math.min(atMs, after(row.forwardStartedAt, forwardCheckMs))
  return Number.isFinite(atMs) ? atMs : undefined
}

/** The last part of every turn: commits `wake_at`, and sets the owner's timer from the new state. */
export function withDeadlines(context: StepContext, taken: CallStep): CallStep {
  const nextMs = nextDeadlineMs(taken.state, context.timing)
  const state = withWakeAt(taken.state, nextMs)
  const tx = taken.tx?.map((change, index, all) =>
    index === all.length - 1 ? { ...change, row: state.row, isLast: isOver(state) } : change,
  )
  const effects = taken.effects.map((effect) =>
    effect.type === 'noteForwarded' ? { ...effect, wakeAt: state.row.wakeAt, isLast: isOver(state) } : effect,
  )
  const all = [...effects, timer(context, state, nextMs), ...leaving(state)]
  return tx ? { state, tx, effects: all } : { state, effects: all }
}

// Finish pending work before leaving: a new owner would have to repeat it.
const leaving = (state: CallState): CallOut[] => {
  const isDone = state.isDraining && state.command === null && !isForwarding(state)
  return isDone || isOver(state) ? [{ type: 'passivate' }] : []
}

/** Nothing is left to do outside Postgres, so that a new owner may act at once. */
const isOver = (state: CallState): boolean =>
  state.isTerminated && hasEnded(state.row) && !isForwarding(state)

/** Without a copy where it is the same, as after most turns. */
function withWakeAt(state: CallState, nextMs: number): CallState {
  const atMs = wakeAtMs(state, nextMs)
  if (atMs === state.row.wakeAt?.getTime()) return state
  const wakeAt = atMs === undefined ? null : new Date(atMs)
  return { ...state, row: changedRow(state.row, { wakeAt }) }
}

function timer(context: StepContext, state: CallState, nextMs: number): CallOut {
  const handOverAtMs = state.isResumed
    ? Number.POSITIVE_INFINITY
    : after(state.row.forwardStartedAt, handOverMs)
  const atMs = Math.min(nextMs, handOverAtMs)
  if (!Number.isFinite(atMs)) return { type: 'clearTimer', name: 'wake' }
  const delayMs = Math.max(0, atMs - context.at.getTime())
  return { type: 'setTimer', name: 'wake', delayMs, message: { type: 'wake' } }
}
