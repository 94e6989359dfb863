// Creates calls: the first row, the first event, and the ledger that makes both durable.

import type { Dispatch } from '../contract/dispatch.ts'
import type { CallConnectUpdate } from '../contract/provider-updates.ts'
import { readClock } from '../platform/actors/guard.ts'
import type { Ownership } from '../platform/actors/ownership.ts'
import { Batcher } from '../shared/batcher.ts'
import type { Clock } from '../shared/clock.ts'
import { newId } from '../shared/ids.ts'
import type { CallState, CallTiming, TerminateFacts } from './call.messages.ts'
import { type CallRow, statusBody } from './call.ts'
import { commandCheckMs, forwardCheckMs } from './call-deadlines.ts'
import { changedRow } from './call-row.ts'
import { happenedAt } from './happened-at.ts'
import type {
  Beginning,
  Begun,
  BegunHere,
  CallBeginRows,
  CallLedger,
  CallOffers,
  CallParties,
  CallRows,
  Dialled,
  EarlyTerminate,
  InboundCall,
} from './ports.ts'
import { terminated, terminateNotes } from './provider-updates.ts'

/** A connect older than this has rung out at the provider: the call is recorded and rings no endpoint. */
const staleMs = 60_000

const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms)

export function inboundCall(
  parties: CallParties,
  update: CallConnectUpdate,
  at: Date,
  timing: CallTiming,
): InboundCall {
  const ringingAt = happenedAt(update.at, at)
  const row = newRow(parties, at, {
    direction: 'INBOUND',
    fromName: update.person?.name ?? null,
    status: 'RINGING',
    wacid: update.wacid,
    actionId: null,
    ringingAt,
    wakeAt: later(at, timing.ringTimeoutMs),
  })
  const notes = [{ at, kind: 'provider.connect', detail: { sentAt: update.at.toISOString() } }]
  const ringing = { row, body: statusBody(row, ringingAt, at), notes }
  const { session } = update
  return { ringing, calledAt: update.at, forwardCheckAt: later(at, forwardCheckMs), session }
}

/** True where the connect came too late to ring. */
export const isStale = (update: CallConnectUpdate, at: Date): boolean =>
  at.getTime() - update.at.getTime() > staleMs

/**
 * The first row of a call that ended before its connect was handled: as if it had rung and then ended. Where nobody told
 * when, it has rung for as long as the provider lets it.
 */
export function endedCall(
  { row, notes }: Beginning,
  end: EarlyTerminate | null,
  timing: CallTiming,
): Beginning {
  const at = row.createdAt
  const told = end ? terminateNotes(end.toldAt, end) : [{ at, kind: 'connect.stale' }]
  const endedAt = happenedAt(end?.endedAt ?? later(row.ringingAt ?? at, staleMs), at)
  const context = { at: endedAt, replyTo: undefined, timing }
  const last = terminated(context, stateOf(row, []), end ?? unanswered).tx?.at(-1)
  if (!last?.body) throw new Error('a ringing call that is terminated has ended')
  const ended = changedRow(last.row, { version: 1, wakeAt: null })
  // The timeline is by our clock.
  const noted = last.notes.map((note) => ({ ...note, at }))
  return { row: ended, body: statusBody(ended, endedAt, at), notes: [...notes, ...told, ...noted] }
}

const unanswered: TerminateFacts = { durationSeconds: null, error: null }

/** The actor state of a call in the process that began it. */
export const stateOf = (row: CallRow, route: CallState['route']): CallState => ({
  row,
  route,
  session: null,
  command: null,
  isResumed: true,
  isCommandResumed: true,
  mayPlace: row.direction === 'OUTBOUND',
  isDraining: false,
  isTerminated: false,
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
 * Lists every field by name: an object with this many fields that is built by spreading is kept in dictionary
 * mode, and each turn of the call then copies it at ten times the cost.
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
    contactAddress: parties.address,
    userId: parties.userId,
    username: parties.username,
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

export interface LedgerPorts {
  readonly calls: CallRows
  readonly begin: CallBeginRows
  readonly ownership: Pick<Ownership, 'sid' | 'claim' | 'release'>
  readonly offers: CallOffers
  readonly dispatch: Dispatch
  readonly clock: Clock
}

const earlyTerminateLingerMs = 50

/**
 * The rows of calls. When a promise of `begin...` or `recordEnded` resolves, the call is durable and its
 * deliveries are scheduled for dispatch.
 */
export function createCallLedger(ports: LedgerPorts): CallLedger {
  const { calls, begin, ownership, offers, dispatch, clock } = ports
  const { sid } = ownership
  async function begun(statement: () => Promise<BegunHere>): Promise<Begun> {
    const asked = readClock(clock)
    const result = await statement()
    if (result.type !== 'begun') return result
    // Ring first, then dispatch: the caller waits for the ring. Both share a write.
    if (result.deliveries.length > 0) process.nextTick(() => dispatch(result.deliveries))
    return { ...result, asked }
  }
  // This lookup follows every inbound call and delays nothing, so it waits to be batched.
  const earlyTerminates = new Batcher<string, EarlyTerminate | undefined>({
    maxItems: 200,
    maxWaiting: 10_000,
    lingerMs: earlyTerminateLingerMs,
    flush: async (wacids) => {
      const found = await calls.earlyTerminatesOf(wacids)
      return wacids.map((wacid) => found.get(wacid))
    },
  })
  return {
    ...calls,
    earlyTerminateOf: async (wacid) => (await calls.earlyTerminatesOf([wacid])).get(wacid),
    earlyTerminateSoon: (wacid) => earlyTerminates.add(wacid),
    dialled: begin.dialled,
    async beginInbound(call) {
      const { id, wacid } = call.ringing.row
      // Claim while the statement runs: another node that finds the row, for example through a repeated
      // connect, then also finds this owner. Keep the offer meanwhile, too: no ring waits for it then.
      if (call.session) offers.keep(id, call.session)
      const claimed = ownership.claim('call', id)
      const result = await begun(() => begin.inbound(call, sid))
      if (result.type === 'begun' && wacid !== null) calls.remember(wacid, id)
      if (result.type === 'begun') return { ...result, claimed }
      void ownership.release('call', [id])
      if (call.session) offers.forget(id)
      return result
    },
    recordEnded: (call) => begun(() => begin.ended(call)),
    beginOutbound: (call, by) => begun(() => begin.outbound(call, { ...by, sid })),
    earlier: begin.earlier,
  }
}
