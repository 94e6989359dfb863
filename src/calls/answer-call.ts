// Answering an inbound call: one SDP wins, is pre-accepted, then accepted; the others hear that they were late.
import { hasEnded } from './call.machine.ts'
import type {
  CallMessage,
  CallReply,
  CallState,
  Command,
  ProviderOutcome,
  ProviderRefusal,
  Turn,
} from './call.messages.ts'
import type { CallProgress, CallRow, PendingAction } from './call.ts'
import {
  andThen,
  answerWith,
  type CallStep,
  join,
  keep,
  move,
  newCommand,
  refusalNote,
  replyTo,
  save,
  settle,
} from './turn.ts'

type Answer = Extract<CallMessage, { type: 'answer' | 'preAccept' }>
type ProviderAnswered = Extract<CallMessage, { type: 'providerAnswered' }>

export function answer(turn: Turn, state: CallState, message: Answer): CallStep {
  const wanted = message.type === 'answer' ? 'ANSWER' : 'PRE_ACCEPT'
  const verdict = judge(state.row, wanted, state.row.answerHash === message.hash)
  if (verdict === 'join') return join(turn, state)
  return verdict === 'begin' ? begin(turn, state, message, wanted) : answerWith(turn, state, verdict)
}

type Verdict = CallReply | 'join' | 'begin'

function judge(row: CallRow, wanted: 'ANSWER' | 'PRE_ACCEPT', isSame: boolean): Verdict {
  if (hasEnded(row)) return { type: 'ended' }
  if (row.direction === 'OUTBOUND') return { type: 'notRinging' }
  // A pre-accept holds the call too: the provider takes no other SDP after it.
  if (row.answerHash !== null && !isSame) return { type: 'alreadyAnswered' }
  if (row.status === 'ACCEPTED') return { type: isSame ? 'done' : 'alreadyAnswered' }
  return row.pendingAction === null ? idle(wanted, isSame) : busy(row, wanted, isSame)
}

const idle = (wanted: 'ANSWER' | 'PRE_ACCEPT', isSame: boolean): Verdict =>
  isSame && wanted === 'PRE_ACCEPT' ? { type: 'done' } : 'begin'

const busy = (row: CallRow, wanted: 'ANSWER' | 'PRE_ACCEPT', isSame: boolean): Verdict =>
  isSame && row.pendingAction === wanted
    ? 'join'
    : { type: 'wrongState', status: row.status, pending: row.pendingAction }

function begin(turn: Turn, state: CallState, message: Answer, action: PendingAction): CallStep {
  const isPreAccepted = state.row.answerHash === message.hash
  const command = { ...newCommand(turn, message.sdp), isRepeat: isPreAccepted }
  const intent = save(
    { ...state, command },
    { pendingAction: action, actionId: message.actionId, actionAt: turn.at, answerHash: message.hash },
    { at: turn.at, kind: action === 'ANSWER' ? 'answer.posted' : 'pre_accept.posted' },
  )
  return andThen(intent, (started) =>
    andThen(keep(started, { type: 'keepSession', session: started.session, ownSdp: message.sdp }), (known) =>
      ask(known, command, isPreAccepted ? 'accept' : 'preAccept'),
    ),
  )
}

/** Puts the pending SDP to the provider; the guard holds it until this owner may act. */
export function ask(state: CallState, command: Command, request: 'preAccept' | 'accept'): CallStep {
  const { actionId, wacid } = state.row
  if (actionId === null || wacid === null || command.ownSdp === null) return keep(state)
  return keep(
    { ...state, command },
    { type: 'askProvider', call: state.row, request, actionId, wacid, sdp: command.ownSdp },
  )
}

export function answerOutcome(turn: Turn, state: CallState, message: ProviderAnswered): CallStep {
  const { request, outcome } = message
  const { row, command } = state
  if (row.actionId !== message.actionId || command === null) return tooLate(state, message)
  if (request === 'preAccept' && hasHappened(outcome, command)) return preAccepted(turn, state, command)
  if (request === 'accept' && hasHappened(outcome, command)) return accepted(turn, state)
  if (outcome.type === 'ok') return keep(state)
  if (outcome.type === 'unknown' && !command.isRepeat)
    return ask(state, { ...command, isRepeat: true }, request === 'accept' ? 'accept' : 'preAccept')
  // Perhaps this very SDP was accepted: no other may answer, the same may be posted again.
  return outcome.type === 'unknown'
    ? refused(turn, state, outcome.error, {})
    : freed(turn, state, outcome.error)
}

// A repeat that the provider refuses because the call is in progress found the first request's effect.
const hasHappened = (outcome: ProviderOutcome, command: Command): boolean =>
  outcome.type === 'ok' ||
  (outcome.type === 'refused' && command.isRepeat && outcome.error.class === 'callAnswered')

function preAccepted(turn: Turn, state: CallState, command: Command): CallStep {
  const note = { at: turn.at, kind: 'provider.pre_accepted' }
  if (state.row.pendingAction !== 'ANSWER') return settle(state, {}, { type: 'done' }, note)
  // The note waits for the outcome: a commit between the two requests would only delay the caller's first word.
  return ask(state, { ...command, notes: [...command.notes, note] }, 'accept')
}

function accepted(turn: Turn, state: CallState): CallStep {
  const note = { at: turn.at, kind: 'provider.accept_confirmed' }
  const { notes = [], waiting = [] } = state.command ?? {}
  const cleared = { ...state, command: null, session: null }
  const noted = save(cleared, { pendingAction: null, actionId: null, actionAt: null }, ...notes, note)
  const moved = andThen(noted, (last) => move(turn, last, 'ACCEPTED', { patch: { acceptedAt: turn.at } }))
  return andThen(moved, (last) =>
    keep(last, ...waiting.flatMap((to) => replyTo(to, { type: 'done' })), { type: 'dropSession' }),
  )
}

/** The call rings on, and may be answered again. */
export const freed = (turn: Turn, state: CallState, error: ProviderRefusal): CallStep =>
  refused(turn, state, error, { answerHash: null })

function refused(
  turn: Turn,
  state: CallState,
  error: ProviderRefusal,
  patch: Partial<CallProgress>,
): CallStep {
  const reply =
    error.class === 'callGone' ? ({ type: 'ended' } as const) : ({ type: 'refused', error } as const)
  const note = refusalNote(turn, 'provider.refused', error)
  return andThen(settle(state, patch, reply, note), (last) =>
    keep(last, { type: 'keepSession', session: last.session, ownSdp: null }),
  )
}

// The caller gave up, or a timer did, while the provider was accepting: nobody is there to talk to.
function tooLate(state: CallState, { request, outcome }: ProviderAnswered): CallStep {
  const { row } = state
  const isStray = request === 'accept' && outcome.type === 'ok' && hasEnded(row)
  if (!isStray || row.wacid === null) return keep(state)
  return keep(state, {
    type: 'askProvider',
    call: state.row,
    request: 'terminate',
    actionId: null,
    wacid: row.wacid,
  })
}
