// Handles the provider's updates of a call. Each may come twice, late or out of order: the table of statuses
// decides what applies, and an update that changes nothing is only noted.

import { classOfReported } from '../contract/provider-errors.ts'
import { type EndReason, hasEnded, mayBecome } from './call.machine.ts'
import type { CallMessage, CallOut, CallState, Note, StepContext, TerminateFacts } from './call.messages.ts'
import type { CallProgress, CallRow } from './call.ts'
import { changedRow } from './call-row.ts'
import { andThen, type CallStep, end, move, save, secondsBetween, settle, step } from './call-step.ts'
import { forward, forwardAccepted, takeSession } from './forward-call.ts'
import { happenedAt } from './happened-at.ts'

/**
 * An outbound call that ends unanswered was declined or rang out, and only a separate update says which. A
 * terminate that arrives before that update waits this long, so that their order does not decide the status.
 */
export const settleMs = 1_500

type MessageOf<Type extends CallMessage['type']> = Extract<CallMessage, { type: Type }>
type Update = MessageOf<'providerConnect' | 'providerStatus' | 'providerTerminate'>

export function providerUpdate(context: StepContext, state: CallState, update: Update): CallStep {
  const noted = heard(context, state, update)
  return andThen(noted, (known) => {
    if (isStray(known, update)) return step(known, hangUpAtProvider(known.row, update.wacid))
    switch (update.type) {
      case 'providerConnect':
        return takeSession(context, known, update.session)
      case 'providerStatus':
        return statusUpdate(context, known, update.status)
      case 'providerTerminate':
        return terminated({ ...context, at: endOf(update, known.row, context.at) }, known, update)
    }
  })
}

/** The terminate may come late, but the call has not ended before what is known of it. */
function endOf({ toldAt }: MessageOf<'providerTerminate'>, row: CallRow, at: Date): Date {
  if (toldAt === undefined) return at
  const known = row.acceptedAt ?? row.ringingAt ?? row.createdAt
  return new Date(Math.max(happenedAt(new Date(toldAt), at).getTime(), known.getTime()))
}

/** What the terminate does, and that it was the last word of the provider. */
export const providerTerminated = (
  context: StepContext,
  state: CallState,
  update: MessageOf<'providerTerminate'>,
): CallStep =>
  andThen(providerUpdate(context, state, update), (last) =>
    // Not while the provider is being asked: an accept that succeeds after the end has to be taken back.
    step({ ...last, isTerminated: state.row.pendingAction === null }),
  )

function notesOf({ at }: StepContext, update: Update): Note[] {
  if (update.type === 'providerTerminate') return terminateNotes(at, update)
  const what = update.type === 'providerConnect' ? 'connect' : update.status.toLowerCase()
  return [{ at, kind: `provider.${what}` }]
}

/** The notes of a terminate. An audio failure gets a note of its own. */
export function terminateNotes(at: Date, { durationSeconds, error }: TerminateFacts): Note[] {
  const reason = error && { code: error.code, title: error.title }
  const note = { at, kind: 'provider.terminate', detail: { durationSeconds, ...reason } }
  const hasMediaFailed = reason !== null && classOfReported(Number(reason.code)) === 'callFailed'
  return hasMediaFailed ? [note, { at, kind: 'media.failed', detail: reason }] : [note]
}

// An update with our id may arrive before the answer to our place request, or instead of a lost answer.
function heard(context: StepContext, state: CallState, update: Update): CallStep {
  const { wacid, pendingAction } = state.row
  const patch = { wacid: wacid ?? update.wacid, heardAt: context.at }
  const notes = notesOf(context, update)
  return wacid === null && pendingAction === 'PLACE'
    ? settle(state, patch, { type: 'done' }, ...notes)
    : save(state, patch, ...notes)
}

// The call was given up without a known outcome, and this update shows that it was placed: hang it up now,
// because no owner would do it later.
const isStray = ({ row }: CallState, update: Update): boolean =>
  row.endReason === 'OUTCOME_UNKNOWN' && hasEnded(row) && update.type !== 'providerTerminate'

/** Ends the call at the provider too. No command waits for the outcome. */
export const hangUpAtProvider = (call: CallRow, wacid: string): CallOut => ({
  type: 'askProvider',
  call,
  request: 'terminate',
  actionId: null,
  wacid,
})

function statusUpdate(
  context: StepContext,
  state: CallState,
  status: 'RINGING' | 'ACCEPTED' | 'REJECTED',
): CallStep {
  // Only placed calls get status updates: an inbound call is accepted only by us.
  if (state.row.direction === 'INBOUND') return step(state)
  switch (status) {
    case 'RINGING':
      return move(context, state, 'RINGING', { patch: { ringingAt: context.at } })
    case 'REJECTED':
      return end(context, state, 'REJECTED', { patch: { endReason: 'CUSTOMER_DECLINED', error: null } })
    case 'ACCEPTED':
      // A repeated update must not forward the call again.
      if (!mayBecome(state.row, 'ACCEPTED')) return step(state)
      return andThen(pickedUp(context, state, context.at), (answered) =>
        isSettling(answered) ? over(context, answered, null) : forward(context, answered),
      )
  }
}

/** A live call whose terminate arrived without saying how the call ended. */
export const isSettling = (state: CallState): boolean => state.row.endedAt !== null && !hasEnded(state.row)

/** Ends a call that the customer did not decline: FAILED where the provider gave an error, else NO_ANSWER. */
export function unanswered(context: StepContext, state: CallState, reason: EndReason): CallStep {
  const endedAt = state.row.endedAt ?? context.at
  return state.row.error === null
    ? end(context, state, 'NO_ANSWER', { patch: { endReason: reason, endedAt } })
    : failed(context, state, { endedAt })
}

const failed = (context: StepContext, state: CallState, patch: Partial<CallProgress>): CallStep =>
  end(context, state, 'FAILED', { patch: { endReason: 'PROVIDER_ERROR', ...patch } })

function pickedUp(context: StepContext, state: CallState, acceptedAt: Date): CallStep {
  if (!mayBecome(state.row, 'ACCEPTED')) return step(state)
  const forwards = state.row.direction === 'OUTBOUND' && state.row.endedAt === null
  return move(context, state, 'ACCEPTED', {
    patch: { acceptedAt, ...(forwards && forwardAccepted(context, state)) },
  })
}

export function terminated(
  context: StepContext,
  state: CallState,
  { durationSeconds, error }: TerminateFacts,
): CallStep {
  if (hasEnded(state.row)) return step(state)
  if (state.row.status !== 'ACCEPTED' && durationSeconds === null) return notPickedUp(context, state, error)
  const acceptedAt = new Date(context.at.getTime() - (durationSeconds ?? 0) * 1_000)
  const ended = { ...state, row: changedRow(state.row, { error, endedAt: context.at }) }
  return andThen(pickedUp(context, ended, acceptedAt), (answered) => over(context, answered, durationSeconds))
}

/** Ends an answered call: FAILED where the row has an error, else COMPLETED. */
const over = (context: StepContext, state: CallState, durationSeconds: number | null): CallStep =>
  state.row.error === null
    ? completed(context, state, durationSeconds)
    : failed(context, state, { durationSeconds })

export function completed(
  context: StepContext,
  state: CallState,
  durationSeconds: number | null,
  reason?: EndReason,
): CallStep {
  const { acceptedAt, endedAt, pendingAction } = state.row
  const hungUp = pendingAction === 'HANG_UP'
  const patch: Partial<CallProgress> = {
    durationSeconds: durationSeconds ?? secondsBetween(acceptedAt, endedAt ?? context.at),
    endReason: reason ?? (hungUp ? 'WORKSPACE_HUNG_UP' : 'HUNG_UP'),
    endedAt: endedAt ?? context.at,
  }
  return end(context, state, 'COMPLETED', { patch, ...(hungUp && { reply: { type: 'done' } }) })
}

function notPickedUp(context: StepContext, state: CallState, error: TerminateFacts['error']): CallStep {
  const { direction, pendingAction, endedAt } = state.row
  // The terminate may confirm our own reject or hang-up before the provider answers that request.
  if (pendingAction === 'DECLINE') return declined(context, state)
  if (pendingAction === 'HANG_UP') return cancelled(context, state)
  if (direction === 'INBOUND')
    return error === null ? missed(context, state, 'CALLER_GAVE_UP') : failed(context, state, { error })
  return endedAt === null ? save(state, { endedAt: context.at, error }) : step(state)
}

export const declined = (context: StepContext, state: CallState): CallStep =>
  end(context, state, 'DECLINED', { patch: { endReason: 'DECLINED' }, reply: { type: 'done' } })

export const cancelled = (context: StepContext, state: CallState): CallStep =>
  end(context, state, 'CANCELLED', { patch: { endReason: 'WORKSPACE_HUNG_UP' }, reply: { type: 'done' } })

/** Ends the call as MISSED. A failed forward is the reason: the receiver never heard of the call. */
export const missed = (context: StepContext, state: CallState, reason: EndReason): CallStep =>
  end(context, state, 'MISSED', {
    patch: { endReason: state.row.lastForwardError === null ? reason : 'FORWARD_FAILED' },
  })
