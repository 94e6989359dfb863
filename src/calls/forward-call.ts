// Direct events: who gets call.ringing and call.accepted, and what their failure leaves on the call.
import type { ForwardError } from '../contract/records/call.ts'
import { hasEnded } from './call.machine.ts'
import type { CallMessage, CallOut, CallState, ForwardOutcome, Note, Turn } from './call.messages.ts'
import { type CallProgress, forwardBody } from './call.ts'
import { andThen, type CallStep, keep, save } from './turn.ts'

/** The provider rings for 30 to 60 s; the header promises the shorter. */
const answerWithinMs = 30_000
/** Past it the ring is nearly over: nothing is forwarded again. */
export const ringIsOldMs = 20_000
/** How long an answered call waits for the SDP answer that its ACCEPTED overtook. */
export const lateAnswerMs = 10_000

export const restarted = { code: 'RESTARTED', message: 'gateway restarted during forwarding' }

type MessageOf<Type extends CallMessage['type']> = Extract<CallMessage, { type: Type }>

/** The first turn of an inbound call: its row stands, so the receiver may answer from now on. */
export function ringing(turn: Turn, state: CallState, { session }: MessageOf<'ringing'>): CallStep {
  // A repeat of the connect, on its way here since another node lost the insert, may have brought the offer already.
  if (hasEnded(state.row) || state.session !== null) return keep(state)
  return andThen(withSession({ ...state, isResumed: true }, session), (kept) => forward(turn, kept))
}

/** The provider's SDP comes once; what repeats it only fills a gap. */
export function takeSession(
  turn: Turn,
  state: CallState,
  session: MessageOf<'providerConnect'>['session'],
): CallStep {
  const { direction, status } = state.row
  const awaitsAnswer = direction === 'OUTBOUND' && !(status === 'ACCEPTED' && !isForwarding(state))
  const isOfUse = direction === 'INBOUND' ? status === 'RINGING' : awaitsAnswer
  if (hasEnded(state.row) || !isOfUse || state.session !== null || session === null) return keep(state)
  return andThen(withSession(state, session), (kept) =>
    isLate(kept) ? forward(turn, { ...kept, isResumed: true }) : keep(kept),
  )
}

// Answered before its SDP came, or loaded by a new owner who found no offer: the forward waited for this.
const isLate = (state: CallState): boolean =>
  state.row.direction === 'OUTBOUND' ? state.row.status === 'ACCEPTED' : isForwarding(state)

const withSession = (state: CallState, session: CallState['session']): CallStep =>
  session === null
    ? keep(state)
    : keep({ ...state, session }, { type: 'keepSession', session, ownSdp: state.command?.ownSdp ?? null })

export const isForwarding = (state: CallState): boolean => state.row.forwardState === 'ATTEMPTING'

/** What an answered outbound call adds to its row. */
export const forwardAccepted = (turn: Turn, state: CallState): Partial<CallProgress> =>
  state.route.length === 0 ? {} : { forwardState: 'ATTEMPTING', forwardStartedAt: turn.at }

/** Sends the direct event of the present status, where one is due and there is SDP to send. */
export function forward(turn: Turn, state: CallState): CallStep {
  if (!isForwarding(state)) return afterForward(state)
  if (state.session !== null) return keep(state, ...forwardEffect(state, state.session))
  // The answer to an outbound call may still come; an inbound call without an offer cannot be forwarded at all.
  return state.row.direction === 'OUTBOUND'
    ? keep(state)
    : forwardFailed(turn, state, { code: 'NO_OFFER', message: 'the provider sent no usable SDP offer' })
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

export function forwarded(turn: Turn, state: CallState, { outcome }: MessageOf<'forwarded'>): CallStep {
  if (!isForwarding(state)) return keep(state)
  if (outcome.type === 'failed') return forwardFailed(turn, state, outcome)
  const row = { ...state.row, forwardState: 'OK' as const, lastForwardError: null }
  const notes = [attempted(turn, state), { at: turn.at, kind: 'forward.delivered' }]
  const noted = keep(
    { ...state, row },
    {
      type: 'noteForwarded',
      workspaceId: row.workspaceId,
      wakeAt: row.wakeAt,
      notes,
    },
  )
  return andThen(noted, afterForward)
}

export function forwardFailed(
  turn: Turn,
  state: CallState,
  reason: Pick<Extract<ForwardOutcome, { type: 'failed' }>, 'code' | 'message'> & {
    readonly endpointId?: string
  },
): CallStep {
  const { code, message } = reason
  const endpointId = reason.endpointId ?? state.row.lastForwardError?.endpointId ?? state.route[0] ?? null
  const lastForwardError: ForwardError = { code, message, endpointId, at: turn.at.toISOString() }
  const note = { at: turn.at, kind: 'forward.failed', detail: { code, message, endpointId } }
  return andThen(
    save(state, { forwardState: 'FAILED', lastForwardError }, attempted(turn, state), note),
    afterForward,
  )
}

// Written with the outcome: a commit of its own would delay the ring.
const attempted = (turn: Turn, { row }: CallState): Note => ({
  at: row.forwardStartedAt ?? turn.at,
  kind: 'forward.attempted',
})

// An offer stays until somebody answers; the answer to our own call has done its work.
const afterForward = (state: CallState): CallStep =>
  state.row.direction === 'OUTBOUND' && state.session !== null
    ? keep({ ...state, session: null }, { type: 'dropSession' })
    : keep(state)
