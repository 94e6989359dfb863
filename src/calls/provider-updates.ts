// The provider's updates about a call. Each may come twice, late and out of order: the table decides what counts, and
// what changes nothing is only noted.
import { classOfReported } from '../contract/provider-errors.ts'
import { type EndReason, hasEnded, mayBecome } from './call.machine.ts'
import type { CallMessage, CallOut, CallState, Note, TerminateFacts, Turn } from './call.messages.ts'
import type { CallProgress, CallRow } from './call.ts'
import { forward, forwardAccepted, takeSession } from './forward-call.ts'
import { andThen, type CallStep, end, keep, move, save, secondsBetween, settle } from './turn.ts'

/**
 * An outbound call that ends unanswered was declined or rang out, and only a separate update says which. A terminate
 * that overtook it waits this long, so that the order of the two does not decide the status.
 */
export const settleMs = 1_500

type MessageOf<Type extends CallMessage['type']> = Extract<CallMessage, { type: Type }>
type Update = MessageOf<'providerConnect' | 'providerStatus' | 'providerTerminate'>

export function providerUpdate(turn: Turn, state: CallState, update: Update): CallStep {
  const noted = heard(turn, state, update)
  return andThen(noted, (known) => {
    if (isStray(known, update)) return keep(known, hangUpAtProvider(known.row, update.wacid))
    switch (update.type) {
      case 'providerConnect':
        return takeSession(turn, known, update.session)
      case 'providerStatus':
        return statusUpdate(turn, known, update.status)
      case 'providerTerminate':
        return terminated(turn, known, update)
    }
  })
}

function notesOf({ at }: Turn, update: Update): Note[] {
  if (update.type === 'providerTerminate') return terminateNotes(at, update)
  const what = update.type === 'providerConnect' ? 'connect' : update.status.toLowerCase()
  return [{ at, kind: `provider.${what}` }]
}

/** Where the provider says that the audio failed, a line of its own tells of it. */
export function terminateNotes(at: Date, { durationSeconds, error }: TerminateFacts): Note[] {
  const reason = error && { code: error.code, title: error.title }
  const note = { at, kind: 'provider.terminate', detail: { durationSeconds, ...reason } }
  const hasMediaFailed = reason !== null && classOfReported(Number(reason.code)) === 'callFailed'
  return hasMediaFailed ? [note, { at, kind: 'media.failed', detail: reason }] : [note]
}

// An update that knows our id may overtake the answer to our own request, or be all that is left of it.
function heard(turn: Turn, state: CallState, update: Update): CallStep {
  const { wacid, pendingAction } = state.row
  const patch = { wacid: wacid ?? update.wacid, heardAt: turn.at }
  const notes = notesOf(turn, update)
  return wacid === null && pendingAction === 'PLACE'
    ? settle(state, patch, { type: 'done' }, ...notes)
    : save(state, patch, ...notes)
}

// Given up without knowing whether it was placed. It was, and nobody here would ever hang it up.
const isStray = ({ row }: CallState, update: Update): boolean =>
  row.endReason === 'OUTCOME_UNKNOWN' && hasEnded(row) && update.type !== 'providerTerminate'

/** Nobody waits for it: it only makes the provider agree with us. */
export const hangUpAtProvider = (call: CallRow, wacid: string): CallOut => ({
  type: 'askProvider',
  call,
  request: 'terminate',
  actionId: null,
  wacid,
})

function statusUpdate(turn: Turn, state: CallState, status: 'RINGING' | 'ACCEPTED' | 'REJECTED'): CallStep {
  // Only placed calls have statuses: an inbound call is accepted by us and by nobody else.
  if (state.row.direction === 'INBOUND') return keep(state)
  switch (status) {
    case 'RINGING':
      return move(turn, state, 'RINGING', { patch: { ringingAt: turn.at } })
    case 'REJECTED':
      return end(turn, state, 'REJECTED', { patch: { endReason: 'CUSTOMER_DECLINED', error: null } })
    case 'ACCEPTED':
      // A repeat must not forward again what the first one forwarded.
      if (!mayBecome(state.row, 'ACCEPTED')) return keep(state)
      return andThen(pickedUp(turn, state, turn.at), (answered) =>
        isSettling(answered) ? over(turn, answered, null) : forward(turn, answered),
      )
  }
}

/** A live call whose terminate came, without saying how it ended. */
export const isSettling = (state: CallState): boolean => state.row.endedAt !== null && !hasEnded(state.row)

/** Nobody said that the customer declined: it failed, or it rang out. */
export function unanswered(turn: Turn, state: CallState, reason: EndReason): CallStep {
  const endedAt = state.row.endedAt ?? turn.at
  return state.row.error === null
    ? end(turn, state, 'NO_ANSWER', { patch: { endReason: reason, endedAt } })
    : failed(turn, state, { endedAt })
}

const failed = (turn: Turn, state: CallState, patch: Partial<CallProgress>): CallStep =>
  end(turn, state, 'FAILED', { patch: { endReason: 'PROVIDER_ERROR', ...patch } })

function pickedUp(turn: Turn, state: CallState, acceptedAt: Date): CallStep {
  if (!mayBecome(state.row, 'ACCEPTED')) return keep(state)
  const forwards = state.row.direction === 'OUTBOUND' && state.row.endedAt === null
  return move(turn, state, 'ACCEPTED', {
    patch: { acceptedAt, ...(forwards && forwardAccepted(turn, state)) },
  })
}

export function terminated(
  turn: Turn,
  state: CallState,
  { durationSeconds, error }: TerminateFacts,
): CallStep {
  if (hasEnded(state.row)) return keep(state)
  if (state.row.status !== 'ACCEPTED' && durationSeconds === null) return notPickedUp(turn, state, error)
  const acceptedAt = new Date(turn.at.getTime() - (durationSeconds ?? 0) * 1_000)
  const ended = { ...state, row: { ...state.row, error, endedAt: turn.at } }
  return andThen(pickedUp(turn, ended, acceptedAt), (answered) => over(turn, answered, durationSeconds))
}

/** A conversation is over: well, or by the error that the row keeps. */
const over = (turn: Turn, state: CallState, durationSeconds: number | null): CallStep =>
  state.row.error === null
    ? completed(turn, state, durationSeconds)
    : failed(turn, state, { durationSeconds })

export function completed(
  turn: Turn,
  state: CallState,
  durationSeconds: number | null,
  reason?: EndReason,
): CallStep {
  const { acceptedAt, endedAt, pendingAction } = state.row
  const hungUp = pendingAction === 'HANG_UP'
  const patch: Partial<CallProgress> = {
    durationSeconds: durationSeconds ?? secondsBetween(acceptedAt, endedAt ?? turn.at),
    endReason: reason ?? (hungUp ? 'WORKSPACE_HUNG_UP' : 'HUNG_UP'),
    endedAt: endedAt ?? turn.at,
  }
  return end(turn, state, 'COMPLETED', { patch, ...(hungUp && { reply: { type: 'done' } }) })
}

function notPickedUp(turn: Turn, state: CallState, error: TerminateFacts['error']): CallStep {
  const { direction, pendingAction, endedAt } = state.row
  // The provider confirms our own ending by terminate before it answers our request, or after.
  if (pendingAction === 'DECLINE') return declined(turn, state)
  if (pendingAction === 'HANG_UP') return cancelled(turn, state)
  if (direction === 'INBOUND')
    return error === null ? missed(turn, state, 'CALLER_GAVE_UP') : failed(turn, state, { error })
  return endedAt === null ? save(state, { endedAt: turn.at, error }) : keep(state)
}

export const declined = (turn: Turn, state: CallState): CallStep =>
  end(turn, state, 'DECLINED', { patch: { endReason: 'DECLINED' }, reply: { type: 'done' } })

export const cancelled = (turn: Turn, state: CallState): CallStep =>
  end(turn, state, 'CANCELLED', { patch: { endReason: 'WORKSPACE_HUNG_UP' }, reply: { type: 'done' } })

/** Where the receiver never heard of the call, that is why nobody answered. */
export const missed = (turn: Turn, state: CallState, reason: EndReason): CallStep =>
  end(turn, state, 'MISSED', {
    patch: { endReason: state.row.lastForwardError === null ? reason : 'FORWARD_FAILED' },
  })
