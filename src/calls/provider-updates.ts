// The provider's updates about a call. Each may come twice, late and out of order: the table decides what counts, and
// what changes nothing is only noted.
import { type EndReason, hasEnded, mayBecome } from './call.machine.ts'
import type { CallMessage, CallState, Note, TerminateFacts, Turn } from './call.messages.ts'
import type { CallProgress } from './call.ts'
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
  const noted = named(state, update.wacid, noteOf(turn, update))
  return andThen(noted, (known) => {
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

function noteOf(turn: Turn, update: Update): Note {
  if (update.type === 'providerConnect') return { at: turn.at, kind: 'provider.connect' }
  if (update.type === 'providerStatus')
    return { at: turn.at, kind: `provider.${update.status.toLowerCase()}` }
  const { durationSeconds, error } = update
  const detail = { durationSeconds, ...(error && { code: error.code, title: error.title }) }
  return { at: turn.at, kind: 'provider.terminate', detail }
}

// An update that knows our id may overtake the answer to our own request, or be all that is left of it.
const named = (state: CallState, wacid: string, note: Note): CallStep =>
  state.row.wacid === null && state.row.pendingAction === 'PLACE'
    ? settle(state, { wacid }, { type: 'done' }, note)
    : save(state, { wacid: state.row.wacid ?? wacid }, note)

function statusUpdate(turn: Turn, state: CallState, status: 'RINGING' | 'ACCEPTED' | 'REJECTED'): CallStep {
  // Only placed calls have statuses: an inbound call is accepted by us and by nobody else.
  if (state.row.direction === 'INBOUND') return keep(state)
  switch (status) {
    case 'RINGING':
      return move(turn, state, 'RINGING', { patch: { ringingAt: turn.at } })
    case 'REJECTED':
      return end(turn, state, 'REJECTED', { patch: { endReason: 'CUSTOMER_DECLINED' } })
    case 'ACCEPTED':
      // A repeat must not forward again what the first one forwarded.
      if (!mayBecome(state.row, 'ACCEPTED')) return keep(state)
      return andThen(pickedUp(turn, state, turn.at), (answered) =>
        isSettling(answered) ? completed(turn, answered, null) : forward(turn, answered),
      )
  }
}

/** A live call whose terminate came, without saying how it ended. */
export const isSettling = (state: CallState): boolean => state.row.endedAt !== null && !hasEnded(state.row)

/** Nobody said that the customer declined: it rang out. */
export const rangOut = (turn: Turn, state: CallState, reason: EndReason): CallStep =>
  end(turn, state, 'NO_ANSWER', { patch: { endReason: reason, endedAt: state.row.endedAt ?? turn.at } })

function pickedUp(turn: Turn, state: CallState, acceptedAt: Date): CallStep {
  if (!mayBecome(state.row, 'ACCEPTED')) return keep(state)
  const forwards = state.row.direction === 'OUTBOUND' && state.row.endedAt === null
  return move(turn, state, 'ACCEPTED', {
    patch: { acceptedAt, ...(forwards && forwardAccepted(turn, state)) },
  })
}

function terminated(turn: Turn, state: CallState, facts: TerminateFacts): CallStep {
  const { durationSeconds, error } = facts
  if (hasEnded(state.row)) return keep(state)
  if (state.row.status !== 'ACCEPTED' && durationSeconds === null) return unanswered(turn, state, error)
  const ended = { ...state, row: { ...state.row, endedAt: turn.at } }
  const acceptedAt = new Date(turn.at.getTime() - (durationSeconds ?? 0) * 1_000)
  return andThen(pickedUp(turn, ended, acceptedAt), (answered) =>
    error === null ? completed(turn, answered, durationSeconds) : failed(turn, answered, facts),
  )
}

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

function failed(turn: Turn, state: CallState, { durationSeconds, error }: TerminateFacts): CallStep {
  return end(turn, state, 'FAILED', {
    patch: { endReason: 'PROVIDER_ERROR', error, durationSeconds },
  })
}

function unanswered(turn: Turn, state: CallState, error: TerminateFacts['error']): CallStep {
  const { direction, pendingAction } = state.row
  // The provider confirms our own ending by terminate before it answers our request, or after.
  if (pendingAction === 'DECLINE') return declined(turn, state)
  if (pendingAction === 'HANG_UP') return cancelled(turn, state)
  if (error !== null) return failed(turn, state, { durationSeconds: null, error })
  if (direction === 'INBOUND') return missed(turn, state, 'CALLER_GAVE_UP')
  return state.row.endedAt === null ? save(state, { endedAt: turn.at }) : keep(state)
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
