// Answers an inbound call. The first SDP wins: it is pre-accepted, then accepted. Others are refused.

import { hasEnded } from './call.machine.ts'
import type {
  CallMessage,
  CallReply,
  CallState,
  Command,
  ProviderOutcome,
  ProviderRefusal,
  StepContext,
} from './call.messages.ts'
import type { CallRow, PendingAction } from './call.ts'
import { changedRow } from './call-row.ts'
import {
  andThen,
  answerWith,
  type CallStep,
  join,
  move,
  newCommand,
  refusalNote,
  replyTo,
  save,
  settle,
  step,
} from './call-step.ts'

type Answer = Extract<CallMessage, { type: 'answer' | 'preAccept' }>
type ProviderAnswered = Extract<CallMessage, { type: 'providerAnswered' }>

export function answer(context: StepContext, state: CallState, message: Answer): CallStep {
  const wanted = message.type === 'answer' ? 'ANSWER' : 'PRE_ACCEPT'
  const verdict = judge(state.row, wanted, state.row.answerHash === message.hash)
  if (verdict === 'join') return join(context, state)
  return verdict === 'begin' ? begin(context, state, message, wanted) : answerWith(context, state, verdict)
}

type Verdict = CallReply | 'join' | 'begin'

function judge(row: CallRow, wanted: 'ANSWER' | 'PRE_ACCEPT', isSame: boolean): Verdict {
  if (hasEnded(row)) return { type: 'ended' }
  if (row.direction === 'OUTBOUND') return { type: 'notRinging' }
  // A pre-accept reserves the call too: the provider takes no other SDP after it.
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

function begin(context: StepContext, state: CallState, message: Answer, action: PendingAction): CallStep {
  const { answerHash, doubtHash } = state.row
  const isPreAccepted = answerHash === message.hash
  const isRepeat = isPreAccepted || doubtHash === message.hash
  const command = { ...newCommand(context, message.sdp), isRepeat }
  const intent = save(
    { ...state, command },
    { pendingAction: action, actionId: message.actionId, actionAt: context.at, answerHash: message.hash },
    { at: context.at, kind: action === 'ANSWER' ? 'answer.posted' : 'pre_accept.posted' },
  )
  return andThen(intent, (started) =>
    andThen(step(started, { type: 'saveSdp', session: started.session, ownSdp: message.sdp }), (known) =>
      ask(known, command, isPreAccepted ? 'accept' : 'preAccept'),
    ),
  )
}

/** Sends the pending SDP to the provider. The guard delays the request until this owner may act. */
export function ask(state: CallState, command: Command, request: 'preAccept' | 'accept'): CallStep {
  const { actionId, wacid } = state.row
  if (actionId === null || wacid === null || command.ownSdp === null) return step(state)
  return step(
    { ...state, command },
    { type: 'askProvider', call: state.row, request, actionId, wacid, sdp: command.ownSdp },
  )
}

export function answerOutcome(context: StepContext, state: CallState, message: ProviderAnswered): CallStep {
  const { request, outcome } = message
  const { row, command } = state
  if (row.actionId !== message.actionId || command === null) return tooLate(state, message)
  if (revealsAnswer(row, outcome)) return answeredBefore(context, state, { type: 'alreadyAnswered' })
  if (!hasHappened(outcome, command)) return notTaken(context, state, message, command)
  if (request === 'accept') return accepted(context, state, { type: 'done' })
  return preAccepted(context, outcome.type === 'ok' ? withoutDoubt(state) : state, command)
}

function notTaken(
  context: StepContext,
  state: CallState,
  { request, outcome }: ProviderAnswered,
  command: Command,
): CallStep {
  const { answerHash, doubtHash } = state.row
  if (outcome.type === 'ok') return step(state)
  if (outcome.type !== 'unknown') return freed(context, state, outcome.error, doubtHash)
  if (!command.isRepeat)
    return ask(state, { ...command, isRepeat: true }, request === 'accept' ? 'accept' : 'preAccept')
  // The provider may have accepted this SDP. Free the call for other SDPs: the provider takes only one, and
  // tells the others that the call is answered.
  return freed(context, state, outcome.error, request === 'accept' ? answerHash : doubtHash)
}

// The provider takes a pre-accept only while no SDP has been accepted, so the doubt is resolved.
const withoutDoubt = (state: CallState): CallState => ({
  ...state,
  row: changedRow(state.row, { doubtHash: null }),
})

/** True where the refusal shows that the SDP of `doubtHash`, whose outcome was lost, answered the call. */
export const revealsAnswer = ({ doubtHash, answerHash }: CallRow, outcome: ProviderOutcome): boolean =>
  outcome.type === 'refused' &&
  outcome.error.class === 'callAnswered' &&
  doubtHash !== null &&
  doubtHash !== answerHash

export const answeredBefore = (context: StepContext, state: CallState, reply: CallReply): CallStep =>
  accepted(context, { ...state, row: changedRow(state.row, { answerHash: state.row.doubtHash }) }, reply)

// Where the provider refuses a repeat because the call is in progress, the first request took effect.
const hasHappened = (outcome: ProviderOutcome, command: Command): boolean =>
  outcome.type === 'ok' ||
  (outcome.type === 'refused' && command.isRepeat && outcome.error.class === 'callAnswered')

function preAccepted(context: StepContext, state: CallState, command: Command): CallStep {
  const note = { at: context.at, kind: 'provider.pre_accepted' }
  if (state.row.pendingAction !== 'ANSWER') return settle(state, {}, { type: 'done' }, note)
  // Write the note with the outcome: a commit between the two requests would delay the start of the audio.
  return ask(state, { ...command, notes: [...command.notes, note] }, 'accept')
}

function accepted(context: StepContext, state: CallState, reply: CallReply): CallStep {
  const note = { at: context.at, kind: 'provider.accept_confirmed' }
  const { notes = [], waiting = [] } = state.command ?? {}
  const cleared = { ...state, command: null, session: null }
  const settled = { pendingAction: null, actionId: null, actionAt: null, doubtHash: null }
  const noted = save(cleared, settled, ...notes, note)
  const moved = andThen(noted, (last) =>
    move(context, last, 'ACCEPTED', { patch: { acceptedAt: context.at } }),
  )
  return andThen(moved, (last) =>
    step(last, ...waiting.flatMap((to) => replyTo(to, reply)), { type: 'dropSdp' }),
  )
}

/** The call keeps ringing and may be answered again. The SDP of `doubtHash` may have been accepted. */
export function freed(
  context: StepContext,
  state: CallState,
  error: ProviderRefusal,
  doubtHash: string | null,
): CallStep {
  const reply =
    error.class === 'callGone' ? ({ type: 'ended' } as const) : ({ type: 'refused', error } as const)
  const note = refusalNote(context, 'provider.refused', error)
  return andThen(settle(state, { answerHash: null, doubtHash }, reply, note), (last) =>
    step(last, { type: 'saveSdp', session: last.session, ownSdp: null }),
  )
}

// The caller or a timer ended the call while the provider was accepting it: terminate it at the provider too.
function tooLate(state: CallState, { request, outcome }: ProviderAnswered): CallStep {
  const { row } = state
  const isStray = request === 'accept' && outcome.type === 'ok' && hasEnded(row)
  if (!isStray || row.wacid === null) return step(state)
  return step(state, {
    type: 'askProvider',
    call: state.row,
    request: 'terminate',
    actionId: null,
    wacid: row.wacid,
  })
}
