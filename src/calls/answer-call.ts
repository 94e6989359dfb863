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
import type { CallRow, PendingAction } from './call.ts'
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
  const { answerHash, doubtHash } = state.row
  const isPreAccepted = answerHash === message.hash
  const isRepeat = isPreAccepted || doubtHash === message.hash
  const command = { ...newCommand(turn, message.sdp), isRepeat }
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
  if (revealsAnswer(row, outcome)) return answeredBefore(turn, state, { type: 'alreadyAnswered' })
  if (!hasHappened(outcome, command)) return notTaken(turn, state, message, command)
  if (request === 'accept') return accepted(turn, state, { type: 'done' })
  return preAccepted(turn, outcome.type === 'ok' ? withoutDoubt(state) : state, command)
}

function notTaken(
  turn: Turn,
  state: CallState,
  { request, outcome }: ProviderAnswered,
  command: Command,
): CallStep {
  const { answerHash, doubtHash } = state.row
  if (outcome.type === 'ok') return keep(state)
  if (outcome.type !== 'unknown') return freed(turn, state, outcome.error, doubtHash)
  if (!command.isRepeat)
    return ask(state, { ...command, isRepeat: true }, request === 'accept' ? 'accept' : 'preAccept')
  // Perhaps this very SDP was accepted. Others may try: the provider takes one, and tells the rest that it has.
  return freed(turn, state, outcome.error, request === 'accept' ? answerHash : doubtHash)
}

// A call that takes a pre-accept is in progress with nobody.
const withoutDoubt = (state: CallState): CallState => ({ ...state, row: { ...state.row, doubtHash: null } })

/** The call is in progress, and it was another SDP that did it: the lost one has come to light. */
export const revealsAnswer = ({ doubtHash, answerHash }: CallRow, outcome: ProviderOutcome): boolean =>
  outcome.type === 'refused' &&
  outcome.error.class === 'callAnswered' &&
  doubtHash !== null &&
  doubtHash !== answerHash

export const answeredBefore = (turn: Turn, state: CallState, reply: CallReply): CallStep =>
  accepted(turn, { ...state, row: { ...state.row, answerHash: state.row.doubtHash } }, reply)

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

function accepted(turn: Turn, state: CallState, reply: CallReply): CallStep {
  const note = { at: turn.at, kind: 'provider.accept_confirmed' }
  const { notes = [], waiting = [] } = state.command ?? {}
  const cleared = { ...state, command: null, session: null }
  const settled = { pendingAction: null, actionId: null, actionAt: null, doubtHash: null }
  const noted = save(cleared, settled, ...notes, note)
  const moved = andThen(noted, (last) => move(turn, last, 'ACCEPTED', { patch: { acceptedAt: turn.at } }))
  return andThen(moved, (last) =>
    keep(last, ...waiting.flatMap((to) => replyTo(to, reply)), { type: 'dropSession' }),
  )
}

/** The call rings on, and may be answered again; `doubtHash` names an SDP that may have been taken all the same. */
export function freed(
  turn: Turn,
  state: CallState,
  error: ProviderRefusal,
  doubtHash: string | null,
): CallStep {
  const reply =
    error.class === 'callGone' ? ({ type: 'ended' } as const) : ({ type: 'refused', error } as const)
  const note = refusalNote(turn, 'provider.refused', error)
  return andThen(settle(state, { answerHash: null, doubtHash }, reply, note), (last) =>
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
