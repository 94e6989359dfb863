// Declines a ringing call and hangs up. The status changes only after the provider has agreed.

import { answeredBefore, revealsAnswer } from './answer-call.ts'
import { hasEnded } from './call.machine.ts'
import type { CallMessage, CallState, ProviderOutcome, StepContext } from './call.messages.ts'
import type { CallRow, PendingAction } from './call.ts'
import {
  andThen,
  answerWith,
  type CallStep,
  join,
  newCommand,
  refusalNote,
  save,
  settle,
  step,
} from './call-step.ts'
import { cancelled, completed, declined, isSettling } from './provider-updates.ts'

type End = Extract<CallMessage, { type: 'decline' | 'hangUp' }>
type ProviderAnswered = Extract<CallMessage, { type: 'providerAnswered' }>
type EndAction = Extract<PendingAction, 'DECLINE' | 'HANG_UP'>

export function decline(context: StepContext, state: CallState, message: End): CallStep {
  const { row } = state
  if (row.status === 'DECLINED') return answerWith(context, state, { type: 'done' })
  if (hasEnded(row)) return answerWith(context, state, { type: 'ended' })
  if (row.direction === 'OUTBOUND' || row.status !== 'RINGING')
    return answerWith(context, state, hangUpInstead)
  if (row.pendingAction === 'DECLINE') return join(context, state)
  if (row.pendingAction === 'ANSWER') return answerWith(context, state, { type: 'alreadyAnswered' })
  if (row.pendingAction !== null) return answerWith(context, state, wrongState(row))
  return begin(context, state, message, 'DECLINE')
}

export function hangUp(context: StepContext, state: CallState, message: End): CallStep {
  const { row } = state
  if (hasEnded(row)) {
    const byUs = row.endReason === 'WORKSPACE_HUNG_UP'
    return answerWith(context, state, { type: byUs ? 'done' : 'ended' })
  }
  if (isSettling(state)) return answerWith(context, state, { type: 'ended' })
  if (row.pendingAction === 'HANG_UP') return join(context, state)
  const rings = row.direction === 'INBOUND' && row.status !== 'ACCEPTED'
  if (rings && row.pendingAction === null)
    return answerWith(context, state, { ...wrongState(row), instead: 'DECLINE' })
  if (rings || row.pendingAction !== null || row.wacid === null)
    return answerWith(context, state, wrongState(row))
  return begin(context, state, message, 'HANG_UP')
}

/** To a decline of a call that is answered or was placed by us. */
const hangUpInstead = { type: 'notRinging', instead: 'HANG_UP' } as const

const wrongState = ({ status, pendingAction: pending }: CallRow) => ({
  type: 'wrongState' as const,
  status,
  pending,
})

function begin(context: StepContext, state: CallState, { actionId }: End, action: EndAction): CallStep {
  const intent = save(
    { ...state, command: newCommand(context, null) },
    { pendingAction: action, actionId, actionAt: context.at },
    { at: context.at, kind: action === 'DECLINE' ? 'decline.posted' : 'hang_up.posted' },
  )
  return andThen(intent, askToEnd)
}

/** Sends the pending reject or terminate to the provider. */
export function askToEnd(state: CallState): CallStep {
  const { actionId, wacid, pendingAction } = state.row
  if (actionId === null || wacid === null) return step(state)
  const request = pendingAction === 'DECLINE' ? 'reject' : 'terminate'
  return step(state, { type: 'askProvider', call: state.row, request, actionId, wacid })
}

export function endOutcome(context: StepContext, state: CallState, message: ProviderAnswered): CallStep {
  const { outcome } = message
  const { row, command } = state
  if (row.actionId !== message.actionId || command === null) return step(state)
  if (outcome.type === 'ok' || isRepeatedEnd(outcome, command.isRepeat)) return agreed(context, state)
  if (outcome.type === 'unknown' && !command.isRepeat)
    return askToEnd({ ...state, command: { ...command, isRepeat: true } })
  if (revealsAnswer(row, outcome)) return answeredBefore(context, state, hangUpInstead)
  const { error } = outcome
  const reply =
    error.class === 'callGone' ? ({ type: 'ended' } as const) : ({ type: 'refused', error } as const)
  return settle(state, {}, reply, refusalNote(context, 'provider.refused', error))
}

// The answer to the first request was lost, and the call is gone: the first request ended it.
const isRepeatedEnd = (outcome: ProviderOutcome, isRepeat: boolean): boolean =>
  outcome.type === 'refused' && isRepeat && outcome.error.class === 'callGone'

function agreed(context: StepContext, state: CallState): CallStep {
  if (state.row.pendingAction === 'DECLINE') return declined(context, state)
  return state.row.status === 'ACCEPTED' ? completed(context, state, null) : cancelled(context, state)
}
