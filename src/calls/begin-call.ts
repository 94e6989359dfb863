// How calls look when they begin: the first row, the first event.
import type { CallConnectUpdate } from '../contract/provider-updates.ts'
import { newId } from '../shared/ids.ts'
import type { EndReason } from './call.machine.ts'
import type { CallTiming } from './call.messages.ts'
import { type CallProgress, type CallRow, statusBody } from './call.ts'
import { commandCheckMs, forwardCheckMs } from './call-deadlines.ts'
import type { Beginning, CallParties, Dialled, InboundCall } from './ports.ts'

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
  endReason: null,
  error: null,
  ringingAt: null,
  acceptedAt: null,
  endedAt: null,
  durationSeconds: null,
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
  const endReason: EndReason = 'CALLER_GAVE_UP'
  const missed: CallRow = { ...row, status: 'MISSED', endReason, endedAt: at, wakeAt: null }
  const isStale = at.getTime() - update.at.getTime() > staleMs
  const notes = [
    { at, kind: 'provider.connect', detail: { sentAt: update.at.toISOString() } },
    ...(isStale ? [{ at, kind: 'connect.stale' }] : []),
  ]
  return {
    ringing: { row, body: statusBody(row, at), notes },
    missed: { row: missed, body: statusBody(missed, at), notes },
    isStale,
    forwardCheckAt: later(at, forwardCheckMs),
  }
}

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
