// Declining a ringing call and hanging up: the status changes once the provider has agreed.

import { answeredBefore, revealsAnswer } from './answer-call.ts'
import { hasEnded } from './call.machine.ts'
import type { CallMessage, CallReply, CallState, ProviderOutcome, Turn } from './call.messages.ts'
import type { CallRow, PendingAction } from './call.ts'
import { cancelled, completed, declined, isSettling } from './provider-updates.ts'
import {
  andThen,
  answerWith,
  type CallStep,
  join,
  keep,
  newCommand,
  refusalNote,
  save,
  settle,
} from './turn.ts'

type End = Extract<CallMessage, { type: 'decline' | 'hangUp' }>
type ProviderAnswered = Extract<CallMessage, { type: 'providerAnswered' }>
type EndAction = Extract<PendingAction, 'DECLINE' | 'HANG_UP'>

export function decline(turn: Turn, state: CallState, message: End): CallStep {
  const { row } = state
  if (row.status === 'DECLINED') return answerWith(turn, state, { type: 'done' })
  if (hasEnded(row)) return answerWith(turn, state, { type: 'ended' })
  if (row.direction === 'OUTBOUND' || row.status !== 'RINGING')
    return answerWith(turn, state, { type: 'notRinging' })
  if (row.pendingAction === 'DECLINE') return join(turn, state)
  if (row.pendingAction === 'ANSWER') return answerWith(turn, state, { type: 'alreadyAnswered' })
  if (row.pendingAction !== null) return answerWith(turn, state, wrongState(row))
  return begin(turn, state, message, 'DECLINE')
}

export function hangUp(turn: Turn, state: CallState, message: End): CallStep {
  const { row } = state
  if (hasEnded(row)) {
    const byUs = row.endReason === 'WORKSPACE_HUNG_UP'
    return answerWith(turn, state, { type: byUs ? 'done' : 'ended' })
  }
  if (isSettling(state)) return answerWith(turn, state, { type: 'ended' })
  if (row.pendingAction === 'HANG_UP') return join(turn, state)
  const rings = row.direction === 'INBOUND' && row.status !== 'ACCEPTED'
  if (rings || row.pendingAction !== null || row.wacid === null)
    return answerWith(turn, state, wrongState(row))
  return begin(turn, state, message, 'HANG_UP')
}

const wrongState = ({ status, pendingAction: pending }: CallRow): CallReply => ({
  type: 'wrongState',
  status,
  pending,
})

function begin(turn: Turn, state: CallState, { actionId }: End, action: EndAction): CallStep {
  const intent = save(
    { ...state, command: newCommand(turn, null) },
    { pendingAction: action, actionId, actionAt: turn.at },
    { at: turn.at, kind: action === 'DECLINE' ? 'decline.posted' : 'hang_up.posted' },
  )
  return andThen(intent, askToEnd)
}

/** Puts the pending ending to the provider. */
export function askToEnd(state: CallState): CallStep {
  const { actionId, wacid, pendingAction } = state.row
  if (actionId === null || wacid === null) return keep(state)
  const request = pendingAction === 'DECLINE' ? 'reject' : 'terminate'
  return keep(state, { type: 'askProvider', call: state.row, request, actionId, wacid })
}

export function endOutcome(turn: Turn, state: CallState, message: ProviderAnswered): CallStep {
  const { outcome } = message
  const { row, command } = state
  if (row.actionId !== message.actionId || command === null) return keep(state)
  if (outcome.type === 'ok' || isRepeatedEnd(outcome, command.isRepeat)) return agreed(turn, state)
  if (outcome.type === 'unknown' && !command.isRepeat)
    return askToEnd({ ...state, command: { ...command, isRepeat: true } })
  if (revealsAnswer(row, outcome)) return answeredBefore(turn, state, { type: 'notRinging' })
  const { error } = outcome
  const reply =
    error.class === 'callGone' ? ({ type: 'ended' } as const) : ({ type: 'refused', error } as const)
  return settle(state, {}, reply, refusalNote(turn, 'provider.refused', error))
}

// The first request's answer was lost, and the call is gone: that was us.
const isRepeatedEnd = (outcome: ProviderOutcome, isRepeat: boolean): boolean =>
  outcome.type === 'refused' && isRepeat && outcome.error.class === 'callGone'

function agreed(turn: Turn, state: CallState): CallStep {
  if (state.row.pendingAction === 'DECLINE') return declined(turn, state)
  return state.row.status === 'ACCEPTED' ? completed(turn, state, null) : cancelled(turn, state)
}
