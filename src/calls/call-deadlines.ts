// When a call needs attention although nobody writes: silence of the provider, and crashes of the owner.
import { hasEnded } from './call.machine.ts'
import type { CallOut, CallState, CallTiming, Turn } from './call.messages.ts'
import type { CallRow } from './call.ts'
import { forwardFailed, isForwarding, lateAnswerMs, restarted, ringIsOldMs } from './forward-call.ts'
import { completed, hangUpAtProvider, isSettling, missed, settleMs, unanswered } from './provider-updates.ts'
import { handOverMs } from './resume-call.ts'
import { andThen, type CallStep, end, keep } from './turn.ts'

/** Longer than a request to the provider may take, and than its webhooks usually need. */
const placeGraceMs = 20_000
/** A pending command or forward that is older than this needs a look: its owner may be dead. */
export const commandCheckMs = 5_000
export const forwardCheckMs = 2_000

const after = (at: Date | null, ms: number): number => (at?.getTime() ?? 0) + ms

interface Deadline {
  readonly atMs: number
  readonly act: (turn: Turn, state: CallState) => CallStep
}

function deadlines(state: CallState, timing: CallTiming): Deadline[] {
  const { row } = state
  if (hasEnded(row)) return isForwarding(state) ? [unforwarded(row)] : []
  const due: Deadline[] = [silence(row, timing)]
  if (isSettling(state))
    due.push({
      atMs: after(row.endedAt, settleMs),
      act: (turn, known) => unanswered(turn, known, 'RANG_OUT'),
    })
  if (row.pendingAction === 'PLACE')
    due.push({ atMs: after(row.actionAt, placeGraceMs), act: outcomeUnknown })
  if (isForwarding(state) && state.session === null) due.push(lateSdp(row))
  return due
}

// The outcome of a forward is awaited beyond the end of the call; where there was nothing to forward yet, none comes.
const unforwarded = (row: CallRow): Deadline => ({
  atMs: after(row.forwardStartedAt, ringIsOldMs),
  act: (turn, state) =>
    forwardFailed(turn, state, { code: 'CALL_ENDED', message: 'the call ended before it was forwarded' }),
})

const lateSdp = (row: CallRow): Deadline =>
  row.direction === 'OUTBOUND'
    ? { atMs: after(row.acceptedAt, lateAnswerMs), act: noLateAnswer }
    : { atMs: after(row.forwardStartedAt, ringIsOldMs), act: noLateOffer }

function silence(row: CallRow, timing: CallTiming): Deadline {
  if (row.status === 'ACCEPTED') return { atMs: after(lastHeard(row), timing.callTimeoutMs), act: silentCall }
  return { atMs: after(row.ringingAt ?? row.createdAt, timing.ringTimeoutMs), act: silentRing }
}

const lastHeard = ({ acceptedAt, heardAt }: CallRow): Date | null =>
  acceptedAt !== null && heardAt !== null && heardAt > acceptedAt ? heardAt : acceptedAt

const silentCall = (turn: Turn, state: CallState): CallStep =>
  andThen(completed(turn, state, null, 'TIMEOUT'), tellProvider)

const silentRing = (turn: Turn, state: CallState): CallStep =>
  andThen(
    state.row.direction === 'INBOUND' ? missed(turn, state, 'TIMEOUT') : unanswered(turn, state, 'TIMEOUT'),
    tellProvider,
  )

const outcomeUnknown = (turn: Turn, state: CallState): CallStep =>
  end(turn, state, 'FAILED', { patch: { endReason: 'OUTCOME_UNKNOWN' } })

const noLateAnswer = (turn: Turn, state: CallState): CallStep =>
  forwardFailed(turn, state, { code: 'NO_ANSWER_SDP', message: 'the provider sent no SDP answer' })

const noLateOffer = (turn: Turn, state: CallState): CallStep => forwardFailed(turn, state, restarted)

// We only stopped believing in it: where the call still stands at the provider, it must not outlive its record.
const tellProvider = (state: CallState): CallStep =>
  state.row.wacid === null ? keep(state) : keep(state, hangUpAtProvider(state.row, state.row.wacid))

/** Does what is due, the earliest first. */
export function wake(turn: Turn, state: CallState): CallStep {
  const [first] = deadlines(state, turn.timing).sort((a, b) => a.atMs - b.atMs)
  if (first === undefined || first.atMs > turn.at.getTime()) return keep(state)
  return andThen(first.act(turn, state), (next) => wake(turn, next))
}

/** Infinity where nothing is due any more. */
const nextDeadlineMs = (state: CallState, timing: CallTiming): number =>
  Math.min(...deadlines(state, timing).map(({ atMs }) => atMs))

/** When the reaper shall look: at the next deadline, or sooner where a dead owner would leave something undone. */
function wakeAt(state: CallState, timing: CallTiming): Date | null {
  const { row } = state
  let atMs = nextDeadlineMs(state, timing)
  if (row.pendingAction !== null) atMs = Math.min(atMs, after(row.actionAt, commandCheckMs))
  if (isForwarding(state)) atMs = Math.min(atMs, after(row.forwardStartedAt, forwardCheckMs))
  return Number.isFinite(atMs) ? new Date(atMs) : null
}

/** The end of every turn: `wake_at` goes with the commit, and the owner's own timer follows the state. */
export function withDeadlines(turn: Turn, step: CallStep): CallStep {
  const state = withWakeAt(step.state, turn.timing)
  const tx = step.tx?.map((change, index, all) =>
    index === all.length - 1 ? { ...change, row: state.row } : change,
  )
  const effects = step.effects.map((effect) =>
    effect.type === 'noteForwarded' ? { ...effect, wakeAt: state.row.wakeAt } : effect,
  )
  return { state, ...(tx && { tx }), effects: [...effects, timer(turn, state), ...leaving(state)] }
}

// A new owner would have to repeat what is under way, so it is finished first.
const leaving = (state: CallState): CallOut[] =>
  state.isDraining && state.command === null && !isForwarding(state) ? [{ type: 'passivate' }] : []

const withWakeAt = (state: CallState, timing: CallTiming): CallState => ({
  ...state,
  row: { ...state.row, wakeAt: wakeAt(state, timing) },
})

const timerMs = (state: CallState, timing: CallTiming): number =>
  state.isResumed
    ? nextDeadlineMs(state, timing)
    : Math.min(nextDeadlineMs(state, timing), after(state.row.forwardStartedAt, handOverMs))

function timer(turn: Turn, state: CallState): CallOut {
  const atMs = timerMs(state, turn.timing)
  if (!Number.isFinite(atMs)) return { type: 'clearTimer', name: 'wake' }
  const delayMs = Math.max(0, atMs - turn.at.getTime())
  return { type: 'setTimer', name: 'wake', delayMs, message: { type: 'wake' } }
}
