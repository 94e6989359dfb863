// The first turns after loading: they finish, repeat or give up what the previous owner had begun.

import { ask, freed } from './answer-call.ts'
import { hasEnded } from './call.machine.ts'
import type { CallState, Command, StepContext } from './call.messages.ts'
import type { CallRow } from './call.ts'
import { andThen, type CallStep, save, step } from './call-step.ts'
import { askToEnd } from './end-call.ts'
import { endedBefore, forward, forwardFailed, isForwarding, restarted, ringIsOldMs } from './forward-call.ts'
import { providerTerminated } from './provider-updates.ts'

/** A younger forward is left alone: the previous owner may be handing over while its attempt still runs. */
export const handOverMs = 500

export function resume(context: StepContext, state: CallState): CallStep {
  if (state.isResumed) return step(state)
  // First: what has ended is not taken up again.
  return andThen(endEarly(context, state), (known) => takeUp(context, known))
}

function endEarly(context: StepContext, { earlyTerminate, ...state }: CallState): CallStep {
  const { wacid } = state.row
  if (!earlyTerminate || wacid === null || hasEnded(state.row)) return step(state)
  return providerTerminated(context, state, { type: 'providerTerminate', wacid, ...earlyTerminate })
}

function takeUp(context: StepContext, state: CallState): CallStep {
  // In the first turn: later, the pending command may be one that this owner has begun.
  const acted = state.isCommandResumed
    ? step(state)
    : resumeAction(context, { ...state, isCommandResumed: true })
  return andThen(acted, (known) => resumeForwardInTime(context, known))
}

function resumeForwardInTime(context: StepContext, state: CallState): CallStep {
  // The outcome of our own forward is still to come, or comes next.
  if (state.isForwardedHere) return step({ ...state, isResumed: true })
  if (isForwarding(state) && ageOf(context, state) < handOverMs) return step(state)
  return resumeForward(context, { ...state, isResumed: true })
}

const ageOf = (context: StepContext, { row }: CallState): number =>
  context.at.getTime() - (row.forwardStartedAt?.getTime() ?? 0)

function resumeForward(context: StepContext, state: CallState): CallStep {
  if (!isForwarding(state)) return step(state)
  if (hasReacted(state.row)) return save(state, { forwardState: 'OK', lastForwardError: null })
  // A caller who gives up at once may be heard of before the offer is passed on, without any crash.
  if (hasEnded(state.row)) return forwardFailed(context, state, endedBefore)
  const isOld = ageOf(context, state) > ringIsOldMs
  // `lastForwardError` marks the first crash: after a second crash the event is not forwarded a third time.
  if (isOld || !context.timing.reforwardOnCrash || state.row.lastForwardError !== null)
    return forwardFailed(context, state, restarted)
  // The SDP may still come: the answer where ACCEPTED arrived first, or the offer where the provider repeats
  // a connect that we did not acknowledge. A deadline ends this wait.
  if (state.session === null) return step(state)
  const lastForwardError = {
    ...restarted,
    endpointId: state.route[0] ?? null,
    at: context.at.toISOString(),
  }
  const marked = save(state, { lastForwardError }, { at: context.at, kind: 'forward.repeated' })
  return andThen(marked, (last) => forward(context, last))
}

/** Somebody answers or declines the call, or did: it need not ring again, whatever became of that. */
const hasReacted = (row: CallRow): boolean =>
  row.direction === 'INBOUND' &&
  (row.acceptedAt !== null ||
    row.answerHash !== null ||
    row.doubtHash !== null ||
    row.pendingAction !== null ||
    row.status === 'DECLINED')

function resumeAction(context: StepContext, state: CallState): CallStep {
  const { row } = state
  const action = row.pendingAction
  if (action === null || action === 'PLACE' || hasEnded(row)) return step(state)
  const ownSdp = state.command?.ownSdp ?? null
  const command: Command = { ownSdp, waiting: [], notes: [], isRepeat: true }
  if (action === 'DECLINE' || action === 'HANG_UP') return askToEnd({ ...state, command })
  if (ownSdp === null) return freed(context, state, sdpLost, row.answerHash)
  return ask(state, command, 'preAccept')
}

const sdpLost = {
  code: 'RESTARTED',
  title: 'the gateway restarted while answering',
  details: null,
  class: 'retry',
} as const
