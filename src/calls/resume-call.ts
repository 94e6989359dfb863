// The first turn after loading: what the former owner had begun is finished, repeated or given up, never forgotten.

import { ask, freed } from './answer-call.ts'
import { hasEnded } from './call.machine.ts'
import type { CallState, Command, Turn } from './call.messages.ts'
import { askToEnd } from './end-call.ts'
import { forward, forwardFailed, isForwarding, restarted, ringIsOldMs } from './forward-call.ts'
import { andThen, type CallStep, keep, save } from './turn.ts'

/** Younger: the former owner may just be handing over, and its own attempt still be under way. */
export const handOverMs = 500

export function resume(turn: Turn, state: CallState): CallStep {
  if (state.isResumed) return keep(state)
  if (isForwarding(state) && ageOf(turn, state) < handOverMs) return keep(state)
  return andThen(resumeForward(turn, { ...state, isResumed: true }), (last) => resumeAction(turn, last))
}

const ageOf = (turn: Turn, { row }: CallState): number =>
  turn.at.getTime() - (row.forwardStartedAt?.getTime() ?? 0)

function resumeForward(turn: Turn, state: CallState): CallStep {
  if (!isForwarding(state)) return keep(state)
  if (state.row.direction === 'INBOUND' && state.row.acceptedAt !== null)
    return save(state, { forwardState: 'OK', lastForwardError: null })
  const isOld = hasEnded(state.row) || ageOf(turn, state) > ringIsOldMs
  // The mark of a first crash: a second one does not forward a third time.
  if (isOld || !turn.timing.reforwardOnCrash || state.row.lastForwardError !== null)
    return forwardFailed(turn, state, restarted)
  // The SDP may still come: an answer that ACCEPTED overtook, or the offer, where the provider repeats what it was
  // not told we have. A deadline gives that up.
  if (state.session === null) return keep(state)
  const lastForwardError = {
    ...restarted,
    endpointId: state.route[0] ?? null,
    at: turn.at.toISOString(),
  }
  const marked = save(state, { lastForwardError }, { at: turn.at, kind: 'forward.repeated' })
  return andThen(marked, (last) => forward(turn, last))
}

function resumeAction(turn: Turn, state: CallState): CallStep {
  const { row } = state
  const action = row.pendingAction
  if (action === null || action === 'PLACE' || hasEnded(row)) return keep(state)
  const ownSdp = state.command?.ownSdp ?? null
  const command: Command = { ownSdp, waiting: [], notes: [], isRepeat: true }
  if (action === 'DECLINE' || action === 'HANG_UP') return askToEnd({ ...state, command })
  if (ownSdp === null) return freed(turn, state, sdpLost, row.answerHash)
  return ask(state, command, 'preAccept')
}

const sdpLost = {
  code: 'RESTARTED',
  title: 'the gateway restarted while answering',
  details: null,
  class: 'retry',
} as const
