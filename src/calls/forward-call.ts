// Direct events: forwards call.ringing and call.accepted to endpoints, and records failures on the call.

import type { ForwardError } from '../contract/records/call.ts'
import { hasEnded } from './call.machine.ts'
import type { CallMessage, CallOut, CallState, ForwardOutcome, Note, StepContext } from './call.messages.ts'
import { type CallProgress, forwardBody } from './call.ts'
import { changedRow } from './call-row.ts'
import { andThen, type CallStep, save, step } from './call-step.ts'

/** The provider rings for 30 to 60 s; the answer-by header promises the shorter time. */
const answerWithinMs = 30_000
/** After this age the ring is nearly over: nothing is forwarded again. */
export const ringIsOldMs = 20_000
/** How long an answered outbound call waits for its SDP answer where ACCEPTED arrived first. */
export const lateAnswerMs = 10_000

export const restarted = { code: 'RESTARTED', message: 'gateway restarted during forwarding' }
/** Nobody is told of a call that is over. After a crash, the forward may have arrived all the same. */
export const endedBefore = {
  code: 'CALL_ENDED',
  message: 'the call ended before the receiver had confirmed it',
}

type MessageOf<Type extends CallMessage['type']> = Extract<CallMessage, { type: Type }>

/** Starts an inbound call: its row is committed, so the receiver may answer from now on. */
export function ringing(context: StepContext, state: CallState, { session }: MessageOf<'ringing'>): CallStep {
  // A repeated connect, or a resume, may have started it already.
  if (hasEnded(state.row) || (state.isResumed && state.session !== null)) return step(state)
  // Who began the call has the offer saved already: a message that came first may have loaded it.
  return forward(context, { ...state, isResumed: true, session: state.session ?? session })
}

/** Takes the provider's SDP. It normally comes once; a repeat is used only where the SDP is missing. */
export function takeSession(
  context: StepContext,
  state: CallState,
  session: MessageOf<'providerConnect'>['session'],
): CallStep {
  const { direction, status } = state.row
  const awaitsAnswer = direction === 'OUTBOUND' && !(status === 'ACCEPTED' && !isForwarding(state))
  const isOfUse = direction === 'INBOUND' ? status === 'RINGING' : awaitsAnswer
  if (hasEnded(state.row) || !isOfUse || state.session !== null || session === null) return step(state)
  return andThen(withSession(state, session), (kept) =>
    isLate(kept) ? forward(context, { ...kept, isResumed: true }) : step(kept),
  )
}

// The forward waited for this SDP: the call was answered before it came, or a new owner found no saved offer.
const isLate = (state: CallState): boolean =>
  state.row.direction === 'OUTBOUND' ? state.row.status === 'ACCEPTED' : isForwarding(state)

const withSession = (state: CallState, session: CallState['session']): CallStep =>
  session === null
    ? step(state)
    : step({ ...state, session }, { type: 'saveSdp', session, ownSdp: state.command?.ownSdp ?? null })

export const isForwarding = (state: CallState): boolean => state.row.forwardState === 'ATTEMPTING'

/** The changes that start the forward of an answered outbound call. */
export const forwardAccepted = (context: StepContext, state: CallState): Partial<CallProgress> =>
  state.route.length === 0 ? {} : { forwardState: 'ATTEMPTING', forwardStartedAt: context.at }

/** Sends the direct event of the current status, where one is due and the SDP is known. */
export function forward(context: StepContext, state: CallState): CallStep {
  if (!isForwarding(state)) return afterForward(state)
  if (state.session !== null) return step(state, ...forwardEffect(state, state.session))
  // The SDP answer to an outbound call may still come. An inbound call without an offer cannot be forwarded.
  return state.row.direction === 'OUTBOUND'
    ? step(state)
    : forwardFailed(context, state, { code: 'NO_OFFER', message: 'the provider sent no usable SDP offer' })
}

function forwardEffect(state: CallState, session: NonNullable<CallState['session']>): CallOut[] {
  const { row, route } = state
  const rings = row.direction === 'INBOUND'
  const event = rings ? 'call.ringing' : 'call.accepted'
  const answerBy = rings && row.ringingAt ? new Date(row.ringingAt.getTime() + answerWithinMs) : null
  return [
    {
      type: 'forward',
      workspaceId: row.workspaceId,
      event,
      endpointIds: route,
      body: forwardBody(event, row, session),
      answerBy: answerBy?.toISOString() ?? null,
    },
  ]
}

export function forwarded(
  context: StepContext,
  state: CallState,
  { outcome }: MessageOf<'forwarded'>,
): CallStep {
  if (!isForwarding(state)) return step(state)
  if (outcome.type === 'failed') return forwardFailed(context, state, outcome)
  const row = changedRow(state.row, { forwardState: 'OK', lastForwardError: null })
  const notes = [attempted(context, state), { at: context.at, kind: 'forward.delivered' }]
  const noted = step(
    { ...state, row },
    {
      type: 'noteForwarded',
      workspaceId: row.workspaceId,
      wakeAt: row.wakeAt,
      notes,
      isLast: false,
    },
  )
  return andThen(noted, afterForward)
}

export function forwardFailed(
  context: StepContext,
  state: CallState,
  reason: Pick<Extract<ForwardOutcome, { type: 'failed' }>, 'code' | 'message'> & {
    readonly endpointId?: string
  },
): CallStep {
  const { code, message } = reason
  const endpointId = reason.endpointId ?? state.row.lastForwardError?.endpointId ?? state.route[0] ?? null
  const lastForwardError: ForwardError = { code, message, endpointId, at: context.at.toISOString() }
  const note = { at: context.at, kind: 'forward.failed', detail: { code, message, endpointId } }
  return andThen(
    save(state, { forwardState: 'FAILED', lastForwardError }, attempted(context, state), note),
    afterForward,
  )
}

// Written with the outcome: a separate commit would delay the ring.
const attempted = (context: StepContext, { row }: CallState): Note => ({
  at: row.forwardStartedAt ?? context.at,
  kind: 'forward.attempted',
})

// Keep an offer until the call is answered. After its forward, the SDP answer to our call is not needed.
const afterForward = (state: CallState): CallStep =>
  state.row.direction === 'OUTBOUND' && state.session !== null
    ? step({ ...state, session: null }, { type: 'dropSdp' })
    : step(state)
