// The call actor: a pure function from state and message to commit and effects. Reads no clock, does no I/O.
import type { ActorDefinition } from '../platform/actors/actor.ts'
import { answer, answerOutcome } from './answer-call.ts'
import { hasEnded } from './call.machine.ts'
import type {
  CallEffect,
  CallMessage,
  CallOut,
  CallState,
  CallTiming,
  CallTx,
  StepContext,
} from './call.messages.ts'
import { wake, withDeadlines } from './call-deadlines.ts'
import { andThen, answerWith, type CallStep, replyTo, step } from './call-step.ts'
import { decline, endOutcome, hangUp } from './end-call.ts'
import { endedBefore, forwarded, isForwarding, ringing } from './forward-call.ts'
import { place, placeOutcome } from './place-call.ts'
import { providerTerminated, providerUpdate } from './provider-updates.ts'
import { resume } from './resume-call.ts'

export type CallActor = ActorDefinition<CallState, CallMessage, CallTx, CallEffect>

/**
 * A call leaves memory with the terminate of the provider. One that we have ended waits this long for it, and one
 * that was being answered for the outcome. A later update loads it again but cannot change its status.
 */
const afterEndMs = 5_000
const quietCallMs = 120_000

/**
 * What the API, the webhooks of the provider and the sweep send, and `ringing` from a process that has begun a call but
 * takes it in no more. A call is placed only by the process that has begun it.
 */
const fromOthers: ReadonlySet<CallMessage['type']> = new Set([
  'ringing',
  'providerConnect',
  'providerStatus',
  'providerTerminate',
  'answer',
  'preAccept',
  'decline',
  'hangUp',
  'offer',
  'wake',
])

export const callActor = (timing: CallTiming): CallActor => ({
  kind: 'call',
  mailboxLimit: 64,
  fromOthers,
  repeatable: new Set(),
  drain: { type: 'drain' },
  idleAfterMs(state) {
    if (hasEnded(state.row)) return isForwarding(state) ? undefined : afterEndMs
    const isQuiet = state.row.status === 'ACCEPTED' && state.command === null && !isForwarding(state)
    return isQuiet ? quietCallMs : undefined
  },
  isGuarded: (effect: CallOut) => effect.type === 'askProvider' || effect.type === 'forward',
  insteadOf: (effect: CallOut, { row }) =>
    effect.type === 'forward' && hasEnded(row)
      ? { type: 'forwarded', outcome: { type: 'failed', ...endedBefore } }
      : undefined,
  handle(state, { message, at, replyTo: waiting }) {
    const context = { at, replyTo: waiting, timing }
    const resumed = resume({ at, replyTo: undefined, timing }, state)
    return withDeadlines(
      context,
      andThen(resumed, (known) => react(context, known, message)),
    )
  },
})

function react(context: StepContext, state: CallState, message: CallMessage): CallStep {
  switch (message.type) {
    case 'providerConnect':
      return andThen(providerUpdate(context, state, message), (last) =>
        step(last, ...replyToConnect(context, last)),
      )
    case 'sdpSaved':
      return step(state, ...replyTo(message.replyTo, { type: 'done' }))
    case 'providerStatus':
      return andThen(providerUpdate(context, state, message), (last) =>
        step(last, ...replyTo(context.replyTo, { type: 'done' })),
      )
    case 'providerTerminate':
      return andThen(providerTerminated(context, state, message), (last) =>
        step(last, ...replyTo(context.replyTo, { type: 'done' })),
      )
    case 'providerAnswered':
      return providerAnswered(context, state, message)
    case 'forwarded':
      return forwarded(context, state, message)
    case 'ringing':
      return ringing(context, state, message)
    case 'drain':
      return step({ ...state, isDraining: true })
    case 'wake':
      return andThen(wake(context, state), (last) =>
        step(last, ...replyTo(context.replyTo, { type: 'done' })),
      )
    default:
      return command(context, state, message)
  }
}

// Reply only after the SDP is saved: the provider does not repeat an acknowledged update, so the SDP must not
// exist only in our memory. An ended call takes no SDP, and may leave memory with this turn.
const replyToConnect = ({ replyTo: to }: StepContext, { row }: CallState): CallOut[] => {
  if (to === undefined) return []
  return hasEnded(row) ? replyTo(to, { type: 'done' }) : [{ type: 'replyOnceSdpSaved', to }]
}

type CommandMessage = Extract<
  CallMessage,
  { type: 'place' | 'answer' | 'preAccept' | 'decline' | 'hangUp' | 'offer' }
>

function command(context: StepContext, state: CallState, message: CommandMessage): CallStep {
  switch (message.type) {
    case 'place':
      return place(context, state, message)
    case 'answer':
    case 'preAccept':
      return answer(context, state, message)
    case 'decline':
      return decline(context, state, message)
    case 'hangUp':
      return hangUp(context, state, message)
    case 'offer':
      return offer(context, state)
  }
}

function providerAnswered(
  context: StepContext,
  state: CallState,
  message: Extract<CallMessage, { type: 'providerAnswered' }>,
): CallStep {
  switch (message.request) {
    case 'place':
      return placeOutcome(context, state, message)
    case 'preAccept':
    case 'accept':
      return answerOutcome(context, state, message)
    case 'reject':
    case 'terminate':
      return message.actionId === null ? step(state) : endOutcome(context, state, message)
  }
}

/** The provider has no renegotiation, so only a ringing inbound call has an offer to return. */
function offer(context: StepContext, state: CallState): CallStep {
  if (hasEnded(state.row)) return answerWith(context, state, { type: 'ended' })
  const isOffered = state.row.direction === 'INBOUND' && state.row.status === 'RINGING'
  if (!isOffered || state.session === null) return answerWith(context, state, { type: 'offerUnavailable' })
  return answerWith(context, state, { type: 'offer', session: state.session })
}
