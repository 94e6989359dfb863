// The provider's updates, brought to the owner of their call. Makes inbound calls; decides nothing about them.
import type {
  CallConnectUpdate,
  CallStatusUpdate,
  CallTerminateUpdate,
} from '../contract/provider-updates.ts'
import { type CallId, decodeId } from '../shared/ids.ts'
import { endedCall, inboundCall, isStale } from './begin-call.ts'
import type { CallMessage, CallTiming, TerminateFacts } from './call.messages.ts'
import type {
  Beginning,
  Begun,
  BegunCall,
  CallClock,
  CallLedger,
  CallLog,
  CallOwners,
  Contacts,
} from './ports.ts'

export type CallUpdate = CallConnectUpdate | CallStatusUpdate | CallTerminateUpdate

export interface CallUpdatesOptions {
  readonly contacts: Contacts
  readonly ledger: CallLedger
  readonly owners: CallOwners
  readonly clock: CallClock
  readonly timing: CallTiming
  readonly log: CallLog
  /** Counted: updates that concern nobody here. */
  readonly ignored?: (why: 'unknownNumber' | 'unknownCall') => void
}

const entombed = { type: 'entombed' } as const

/** A commit, and behind a takeover the load before it. The provider repeats what takes longer. */
const updateLimitMs = 5_000

/** What the update carried is durable when this resolves; it rejects where the provider shall repeat it. */
export type ApplyCallUpdate = (update: CallUpdate) => Promise<void>

export function createApplyCallUpdate(options: CallUpdatesOptions): ApplyCallUpdate {
  const { ledger, owners } = options

  async function tell(id: CallId, message: CallMessage): Promise<void> {
    await owners.ask(id, message, updateLimitMs)
  }

  async function known({ wacid, phoneNumberId, opaque }: CallUpdate): Promise<CallId | undefined> {
    const found = await ledger.findByWacid(wacid)
    if (found) return found
    // Our own id, given along when the call was placed: the webhook may overtake the answer that names the call.
    const placed = opaque === null ? undefined : decodeId('call', opaque)
    return placed && ledger.findPlaced(placed, { wacid, phoneNumberId })
  }

  function ignore(why: 'unknownNumber' | 'unknownCall', { phoneNumberId, type, wacid }: CallUpdate): void {
    options.ignored?.(why)
    options.log.info({ why, phoneNumberId, wacid, update: type }, 'call.update_ignored')
  }

  const ring = createRing(options, { tell, ignore })

  async function entomb(update: CallTerminateUpdate): Promise<void> {
    const { wacid, phoneNumberId } = update
    const number = await options.contacts.findNumber(phoneNumberId)
    if (!number) return ignore('unknownNumber', update)
    const { workspaceId } = number
    await ledger.addTombstone({ wacid, workspaceId, at: update.endedAt ?? update.at, ...factsOf(update) })
    const id = await ledger.findByWacid(wacid)
    if (id) await tell(id, messageOf(update))
  }

  return async (update) => {
    if (update.type === 'callConnect' && update.direction === 'INBOUND' && update.from !== null)
      return ring(update, update.from)
    const id = await known(update)
    if (id) return tell(id, messageOf(update))
    if (update.type === 'callTerminate' && update.direction === 'INBOUND') return entomb(update)
    ignore('unknownCall', update)
  }
}

interface Reports {
  readonly tell: (id: CallId, message: CallMessage) => Promise<void>
  readonly ignore: (why: 'unknownNumber', update: CallUpdate) => void
}

/** What a connect of an inbound call sets off. */
function createRing(options: CallUpdatesOptions, { tell, ignore }: Reports) {
  const { ledger, owners } = options

  async function begin(call: BegunCall, first: CallMessage): Promise<void> {
    const { id, workspaceId, status, wacid } = call.row
    options.log.info({ callId: id, workspaceId, status, direction: 'INBOUND' }, 'call.begun')
    if (status !== 'RINGING' || wacid === null) return
    const adopted = owners.adopt(call, first)
    lookForTombstone(id, wacid).catch((error: unknown) => {
      options.log.warn({ callId: id, error: String(error) }, 'call.tombstone_check_failed')
    })
    // It rings already. The provider, once answered, does not repeat the offer: were it nowhere but in our memory, a
    // crash now would leave a call that nobody can be told of.
    await adopted
  }

  // A terminate on another node may commit its tombstone while our insert runs, and neither statement sees the other.
  // It looks for the call after its tombstone, we look for the tombstone after the call: one of the two finds it.
  async function lookForTombstone(id: CallId, wacid: string): Promise<void> {
    const end = await ledger.tombstoneSoon(wacid)
    if (!end) return
    const { durationSeconds, error } = end
    await tell(id, { type: 'providerTerminate', wacid, durationSeconds, error })
  }

  // It had ended before we heard of it: it rings nobody.
  async function recordEnded(call: Beginning, wacid: string): Promise<Begun> {
    const end = await ledger.tombstoneOf(wacid)
    return ledger.recordEnded(endedCall(call, end ?? null, options.timing))
  }

  // Without asking first whether the call exists: nearly always it does not, and it rings now.
  return async (update: CallConnectUpdate, from: string): Promise<void> => {
    const { phoneNumberId, wacid, session, fromName: name } = update
    const parties = await options.contacts.resolveParties({ phoneNumberId, waId: from, name })
    if (!parties) return ignore('unknownNumber', update)
    const at = new Date(options.clock.now())
    const call = inboundCall(parties, update, at, options.timing)
    const rung = isStale(update, at) ? entombed : await ledger.beginInbound(call)
    const begun = rung.type === 'entombed' ? await recordEnded(call.ringing, wacid) : rung
    if (begun.type === 'begun') return begin(begun, { type: 'ringing', session })
    const id = await ledger.findByWacid(wacid)
    if (id) await tell(id, messageOf(update))
  }
}

function messageOf(update: CallUpdate): CallMessage {
  const { wacid } = update
  switch (update.type) {
    case 'callConnect':
      return { type: 'providerConnect', wacid, session: update.session }
    case 'callStatus':
      return { type: 'providerStatus', wacid, status: update.status }
    case 'callTerminate':
      return { type: 'providerTerminate', wacid, ...factsOf(update) }
  }
}

const factsOf = ({ durationSeconds, error }: CallTerminateUpdate): TerminateFacts => ({
  durationSeconds,
  error: error && { code: error.code, title: error.title },
})
