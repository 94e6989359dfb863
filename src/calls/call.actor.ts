// The call actor: one pure function from what a call is told to what is committed and done. Reads no clock, does no I/O.
import type { ActorDefinition } from '../actors/actor.ts'
import { answer, answerOutcome } from './answer-call.ts'
import { hasEnded } from './call.machine.ts'
import type {
  CallEffect,
  CallMessage,
  CallOut,
  CallState,
  CallTiming,
  CallTx,
  Turn,
} from './call.messages.ts'
import { wake, withDeadlines } from './call-deadlines.ts'
import { decline, endOutcome, hangUp } from './end-call.ts'
import { forwarded, isForwarding, ringing } from './forward-call.ts'
import { place, placeOutcome } from './place-call.ts'
import { providerUpdate } from './provider-updates.ts'
import { resume } from './resume-call.ts'
import { andThen, answerWith, type CallStep, keep, replyTo } from './turn.ts'

export type CallActor = ActorDefinition<CallState, CallMessage, CallTx, CallEffect>

/** Late updates of an ended call change nothing, and load it again if they come later than this. */
const afterEndMs = 5_000
const quietCallMs = 120_000

export const callActor = (timing: CallTiming): CallActor => ({
  kind: 'call',
  mailboxLimit: 64,
  drain: { type: 'drain' },
  idleAfterMs(state) {
    if (hasEnded(state.row)) return isForwarding(state) ? undefined : afterEndMs
    const isQuiet = state.row.status === 'ACCEPTED' && state.command === null && !isForwarding(state)
    return isQuiet ? quietCallMs : undefined
  },
  isGuarded: (effect: CallOut) => effect.type === 'askProvider' || effect.type === 'forward',
  handle(state, { message, at, replyTo: waiting }) {
    const turn = { at, replyTo: waiting, timing }
    const resumed = resume({ ...turn, replyTo: undefined }, state)
    return withDeadlines(
      turn,
      andThen(resumed, (known) => react(turn, known, message)),
    )
  },
})

function react(turn: Turn, state: CallState, message: CallMessage): CallStep {
  switch (message.type) {
    case 'providerConnect':
      // The provider does not repeat what it was told we have: its SDP must not be in our memory alone by then.
      return andThen(providerUpdate(turn, state, message), (last) => keep(last, ...replyOnceKept(turn)))
    case 'sessionKept':
      return keep(state, ...replyTo(message.replyTo, { type: 'done' }))
    case 'providerStatus':
    case 'providerTerminate':
      return andThen(providerUpdate(turn, state, message), (last) =>
        keep(last, ...replyTo(turn.replyTo, { type: 'done' })),
      )
    case 'providerAnswered':
      return providerAnswered(turn, state, message)
    case 'forwarded':
      return forwarded(turn, state, message)
    case 'ringing':
      return ringing(turn, state, message)
    case 'drain':
      return keep({ ...state, isDraining: true })
    case 'wake':
      return andThen(wake(turn, state), (last) => keep(last, ...replyTo(turn.replyTo, { type: 'done' })))
    default:
      return command(turn, state, message)
  }
}

const replyOnceKept = ({ replyTo: to }: Turn): CallOut[] =>
  to === undefined ? [] : [{ type: 'replyOnceKept', to }]

type CommandMessage = Extract<
  CallMessage,
  { type: 'place' | 'answer' | 'preAccept' | 'decline' | 'hangUp' | 'offer' }
>

function command(turn: Turn, state: CallState, message: CommandMessage): CallStep {
  switch (message.type) {
    case 'place':
      return place(turn, state, message)
    case 'answer':
    case 'preAccept':
      return answer(turn, state, message)
    case 'decline':
      return decline(turn, state, message)
    case 'hangUp':
      return hangUp(turn, state, message)
    case 'offer':
      return offer(turn, state)
  }
}

function providerAnswered(
  turn: Turn,
  state: CallState,
  message: Extract<CallMessage, { type: 'providerAnswered' }>,
): CallStep {
  switch (message.request) {
    case 'place':
      return placeOutcome(turn, state, message)
    case 'preAccept':
    case 'accept':
      return answerOutcome(turn, state, message)
    case 'reject':
    case 'terminate':
      return message.actionId === null ? keep(state) : endOutcome(turn, state, message)
  }
}

/** The provider has no renegotiation: only the offer of a call that rings can be given again. */
function offer(turn: Turn, state: CallState): CallStep {
  if (hasEnded(state.row)) return answerWith(turn, state, { type: 'ended' })
  const isOffered = state.row.direction === 'INBOUND' && state.row.status === 'RINGING'
  if (!isOffered || state.session === null) return answerWith(turn, state, { type: 'offerUnavailable' })
  return answerWith(turn, state, { type: 'offer', session: state.session })
}
