// Placing a call: one request to the provider, never repeated. Where its answer is lost, the webhooks, which carry our
// id, may still tell how it went.
import { hasEnded } from './call.machine.ts'
import type { CallMessage, CallState, ProviderRefusal, Turn } from './call.messages.ts'
import { hangUpAtProvider } from './provider-updates.ts'
import {
  andThen,
  answerWith,
  type CallStep,
  end,
  keep,
  newCommand,
  refusalNote,
  replyTo,
  settle,
} from './turn.ts'

type ProviderAnswered = Extract<CallMessage, { type: 'providerAnswered' }>

export function place(
  turn: Turn,
  state: CallState,
  { sdp }: Extract<CallMessage, { type: 'place' }>,
): CallStep {
  const { pendingAction, actionId } = state.row
  if (pendingAction !== 'PLACE' || actionId === null || !state.mayPlace)
    return answerWith(turn, state, { type: 'done' })
  // Its own SDP is not kept anywhere: a call that was perhaps placed is never placed again.
  const command = newCommand(turn, null)
  return keep(
    { ...state, command, mayPlace: false },
    { type: 'askProvider', call: state.row, request: 'place', actionId, sdp },
  )
}

export function placeOutcome(
  turn: Turn,
  state: CallState,
  { outcome, actionId }: ProviderAnswered,
): CallStep {
  const { row } = state
  if (outcome.type === 'ok' && hasEnded(row)) return stray(state, outcome.wacid)
  if (row.pendingAction !== 'PLACE' || row.actionId !== actionId) return keep(state)
  switch (outcome.type) {
    case 'ok': {
      const note = { at: turn.at, kind: 'provider.placed' }
      return settle(state, { wacid: outcome.wacid ?? null }, { type: 'done' }, note)
    }
    case 'unknown':
      return unknown(state)
    case 'refused':
    case 'notSent':
      return refused(turn, state, outcome.error)
  }
}

function refused(turn: Turn, state: CallState, error: ProviderRefusal): CallStep {
  return end(turn, state, 'FAILED', {
    patch: { endReason: 'PROVIDER_ERROR', error: { code: error.code, title: error.title } },
    note: refusalNote(turn, 'provider.refused', error),
    reply: { type: 'refused', error },
  })
}

// The row stays as it is: PLACE pending, nobody waiting, until an update or the grace ends it.
const unknown = (state: CallState): CallStep =>
  andThen(keep({ ...state, command: null }), (last) =>
    keep(last, ...(state.command?.waiting ?? []).flatMap((to) => replyTo(to, { type: 'done' }))),
  )

// We had given it up, and it was placed after all: nobody here would ever hang it up.
function stray(state: CallState, wacid: string | undefined): CallStep {
  if (wacid === undefined || state.row.wacid === wacid) return keep(state)
  return keep(state, hangUpAtProvider(state.row, wacid))
}
