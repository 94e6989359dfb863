// How calls look when they begin: the first row, the first event.
import type { CallConnectUpdate } from '../contract/provider-updates.ts'
import { newId } from '../shared/ids.ts'
import type { CallState, CallTiming, TerminateFacts } from './call.messages.ts'
import { type CallProgress, type CallRow, statusBody } from './call.ts'
import { commandCheckMs, forwardCheckMs } from './call-deadlines.ts'
import type { Beginning, CallParties, Dialled, ForetoldEnd, InboundCall } from './ports.ts'
import { terminated, terminateNotes } from './provider-updates.ts'

/** A connect that is older than this has rung out at the provider: it is recorded and rings nobody. */
const staleMs = 60_000

const noProgress = {
  wacid: null,
  version: 1,
  forwardState: null,
  forwardStartedAt: null,
  lastForwardError: null,
  pendingAction: null,
  actionId: null,
  actionAt: null,
  answerHash: null,
  doubtHash: null,
  endReason: null,
  error: null,
  ringingAt: null,
  acceptedAt: null,
  endedAt: null,
  durationSeconds: null,
  heardAt: null,
  wakeAt: null,
} as const satisfies Partial<CallProgress>

const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms)

export function inboundCall(
  parties: CallParties,
  update: CallConnectUpdate,
  at: Date,
  timing: CallTiming,
): InboundCall {
  const row: CallRow = {
    ...identity(parties, at),
    ...noProgress,
    direction: 'INBOUND',
    fromName: update.fromName,
    status: 'RINGING',
    wacid: update.wacid,
    ringingAt: at,
    wakeAt: later(at, timing.ringTimeoutMs),
  }
  const notes = [{ at, kind: 'provider.connect', detail: { sentAt: update.at.toISOString() } }]
  return { ringing: { row, body: statusBody(row, at), notes }, forwardCheckAt: later(at, forwardCheckMs) }
}

/** Nobody is rung where the connect took so long. */
export const isStale = (update: CallConnectUpdate, at: Date): boolean =>
  at.getTime() - update.at.getTime() > staleMs

/** A call that had ended before we heard of it, as it would stand had it rung and then ended so. */
export function endedCall({ row, notes }: Beginning, end: ForetoldEnd | null, timing: CallTiming): Beginning {
  const at = row.createdAt
  const told = end ? terminateNotes(end.toldAt, end) : [{ at, kind: 'connect.stale' }]
  const turn = { at, replyTo: undefined, timing }
  const last = terminated(turn, stateOf(row, []), end ?? unanswered).tx?.at(-1)
  if (!last?.body) throw new Error('a ringing call that is terminated has ended')
  const ended = { ...last.row, version: 1, wakeAt: null }
  return { row: ended, body: last.body, notes: [...notes, ...told, ...last.notes] }
}

const unanswered: TerminateFacts = { durationSeconds: null, error: null }

/** A call as it stands in the memory of the process that began it. */
export const stateOf = (row: CallRow, route: CallState['route']): CallState => ({
  row,
  route,
  session: null,
  command: null,
  isResumed: true,
  mayPlace: row.direction === 'OUTBOUND',
  isDraining: false,
})

export function outboundCall(dialled: Dialled, at: Date): Beginning {
  const row: CallRow = {
    ...identity(dialled, at),
    ...noProgress,
    direction: 'OUTBOUND',
    fromName: dialled.contactName,
    status: 'INITIATED',
    pendingAction: 'PLACE',
    actionId: crypto.randomUUID(),
    actionAt: at,
    wakeAt: later(at, commandCheckMs),
  }
  return { row, body: statusBody(row, at), notes: [{ at, kind: 'place.posted' }] }
}

const identity = (parties: CallParties, createdAt: Date) => ({
  id: newId('call'),
  workspaceId: parties.workspaceId,
  conversationId: parties.conversationId,
  numberId: parties.numberId,
  contactId: parties.contactId,
  number: parties.number,
  phoneNumberId: parties.phoneNumberId,
  contactWaId: parties.waId,
  createdAt,
})
