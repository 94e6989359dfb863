// How calls look when they begin: the first row, the first event.
import type { CallConnectUpdate } from '../contract/provider-updates.ts'
import { newId } from '../shared/ids.ts'
import type { CallState, CallTiming, TerminateFacts } from './call.messages.ts'
import { type CallRow, statusBody } from './call.ts'
import { commandCheckMs, forwardCheckMs } from './call-deadlines.ts'
import type { Beginning, CallParties, Dialled, ForetoldEnd, InboundCall } from './ports.ts'
import { terminated, terminateNotes } from './provider-updates.ts'

/** A connect that is older than this has rung out at the provider: it is recorded and rings nobody. */
const staleMs = 60_000

const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms)

export function inboundCall(
  parties: CallParties,
  update: CallConnectUpdate,
  at: Date,
  timing: CallTiming,
): InboundCall {
  const row = newRow(parties, at, {
    direction: 'INBOUND',
    fromName: update.fromName,
    status: 'RINGING',
    wacid: update.wacid,
    actionId: null,
    ringingAt: at,
    wakeAt: later(at, timing.ringTimeoutMs),
  })
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
  const row = newRow(dialled, at, {
    direction: 'OUTBOUND',
    fromName: dialled.contactName,
    status: 'INITIATED',
    wacid: null,
    actionId: crypto.randomUUID(),
    ringingAt: null,
    wakeAt: later(at, commandCheckMs),
  })
  return { row, body: statusBody(row, at), notes: [{ at, kind: 'place.posted' }] }
}

type Start = Pick<
  CallRow,
  'direction' | 'fromName' | 'status' | 'wacid' | 'actionId' | 'ringingAt' | 'wakeAt'
>

/**
 * Every field by its name: put together from parts, an object of so many is kept as a dictionary, and each turn of the
 * call copies it at ten times the cost.
 */
function newRow(parties: CallParties, at: Date, start: Start): CallRow {
  return {
    id: newId('call'),
    workspaceId: parties.workspaceId,
    conversationId: parties.conversationId,
    numberId: parties.numberId,
    contactId: parties.contactId,
    number: parties.number,
    phoneNumberId: parties.phoneNumberId,
    contactWaId: parties.waId,
    createdAt: at,
    direction: start.direction,
    fromName: start.fromName,
    status: start.status,
    wacid: start.wacid,
    version: 1,
    forwardState: null,
    forwardStartedAt: null,
    lastForwardError: null,
    pendingAction: start.actionId === null ? null : 'PLACE',
    actionId: start.actionId,
    actionAt: start.actionId === null ? null : at,
    answerHash: null,
    doubtHash: null,
    endReason: null,
    error: null,
    ringingAt: start.ringingAt,
    acceptedAt: null,
    endedAt: null,
    durationSeconds: null,
    heardAt: null,
    wakeAt: start.wakeAt,
  }
}
