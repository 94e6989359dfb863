// Places a call with one request to the provider, which is never repeated. Where the answer is lost, webhooks
// may still tell the outcome, because they carry our id.
import { hasEnded } from './call.machine.ts'
import type { CallMessage, CallState, CallTx, ProviderRefusal, StepContext } from './call.messages.ts'
import { withDeadlines } from './call-deadlines.ts'
import {
  andThen,
  answerWith,
  type CallStep,
  end,
  newCommand,
  refusalNote,
  replyTo,
  settle,
  step,
} from './call-step.ts'
import { hangUpAtProvider } from './provider-updates.ts'

type ProviderAnswered = Extract<CallMessage, { type: 'providerAnswered' }>

export function place(
  context: StepContext,
  state: CallState,
  { sdp }: Extract<CallMessage, { type: 'place' }>,
): CallStep {
  const { pendingAction, actionId } = state.row
  if (pendingAction !== 'PLACE' || actionId === null || !state.mayPlace)
    return answerWith(context, state, { type: 'done' })
  // The SDP is not saved for a later owner: a call that may have been placed is never placed again.
  const command = newCommand(context, null)
  return step(
    { ...state, command, mayPlace: false },
    { type: 'askProvider', call: state.row, request: 'place', actionId, sdp },
  )
}

export function placeOutcome(
  context: StepContext,
  state: CallState,
  { outcome, actionId }: ProviderAnswered,
): CallStep {
  const { row } = state
  if (outcome.type === 'ok' && hasEnded(row)) return stray(state, outcome.wacid)
  if (row.pendingAction !== 'PLACE' || row.actionId !== actionId) return step(state)
  switch (outcome.type) {
    case 'ok': {
      const note = { at: context.at, kind: 'provider.placed' }
      return settle(state, { wacid: outcome.wacid ?? null }, { type: 'done' }, note)
    }
    case 'unknown':
      return unknown(state)
    case 'refused':
    case 'notSent':
      return refused(context, state, outcome.error)
  }
}

function refused(context: StepContext, state: CallState, error: ProviderRefusal): CallStep {
  return end(context, state, 'FAILED', {
    patch: { endReason: 'PROVIDER_ERROR', error: { code: error.code, title: error.title } },
    note: refusalNote(context, 'provider.refused', error),
    reply: { type: 'refused', error },
  })
}

export const notAsked = {
  code: 'UNAVAILABLE',
  title: 'the provider could not be asked',
  details: null,
  class: 'retry',
} as const

/** What ends a call whose first owner never lived: nobody has asked the provider for it. */
export const neverPlaced = (context: StepContext, state: CallState): CallTx =>
  withDeadlines(context, refused(context, { ...state, isTerminated: true }, notAsked)).tx ?? []

// The row keeps PLACE pending, and no request waits, until an update or the grace period ends that.
const unknown = (state: CallState): CallStep =>
  andThen(step({ ...state, command: null }), (last) =>
    step(last, ...(state.command?.waiting ?? []).flatMap((to) => replyTo(to, { type: 'done' }))),
  )

// The call was given up here but was placed after all: hang it up now, because no owner would do it later.
function stray(state: CallState, wacid: string | undefined): CallStep {
  if (wacid === undefined || state.row.wacid === wacid) return step(state)
  return step(state, hangUpAtProvider(state.row, wacid))
}
