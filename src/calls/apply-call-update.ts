// Passes call updates of the provider to the owner of the call, which decides. Creates inbound calls.

import { AppError } from '../contract/errors.ts'
import type { UpdateOutcome } from '../contract/inbound-elements.ts'
import { addressesOf, type Person } from '../contract/person.ts'
import type {
  CallConnectUpdate,
  CallStatusUpdate,
  CallTerminateUpdate,
} from '../contract/provider-updates.ts'
import type { Clock } from '../shared/clock.ts'
import { type CallId, decodeId, type EndpointId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import { endedCall, inboundCall, isStale } from './begin-call.ts'
import type { CallMessage, CallTiming, TerminateFacts } from './call.messages.ts'
import { createEarlyTerminates } from './early-terminates.ts'
import type { Beginning, Begun, BegunCall, CallLedger, CallOwners, Contacts } from './ports.ts'

export type CallUpdate = CallConnectUpdate | CallStatusUpdate | CallTerminateUpdate

export interface CallUpdatesOptions {
  readonly contacts: Contacts
  readonly ledger: CallLedger
  readonly owners: CallOwners
  readonly clock: Clock
  readonly timing: CallTiming
  readonly log: Log
  /** Opens the 24 hours for answers in the call's conversation. */
  readonly opened: (id: CallId, at: Date) => Promise<void>
  /** Hears at which endpoint the calls of a number ring, if they ring at one. */
  readonly noteEndpoints?: (phoneNumberId: string, ids: readonly EndpointId[]) => void
  /** Counts the updates of unknown numbers and calls. */
  readonly ignored?: (why: 'unknownNumber' | 'unknownCall') => void
}

const endedBeforeStart = { type: 'endedBeforeStart' } as const

/** Time for one commit and, after a takeover, the load before it. The provider repeats slower updates. */
const updateLimitMs = 5_000

/** Resolves when the content of the update is durable. Rejects where the provider must repeat the update. */
export type ApplyCallUpdate = (update: CallUpdate) => Promise<UpdateOutcome>

export function createApplyCallUpdate(options: CallUpdatesOptions): ApplyCallUpdate {
  const { ledger, owners } = options

  /** False: this process remembers the id of a call that was erased. */
  async function isTold(id: CallId, message: CallMessage): Promise<boolean> {
    try {
      await owners.ask(id, message, updateLimitMs)
      return true
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return false
      throw error
    }
  }

  /** Nothing is kept of what the provider still tells of an erased call. */
  async function tell(id: CallId, message: CallMessage): Promise<UpdateOutcome> {
    await isTold(id, message)
    return 'applied'
  }

  async function known(update: CallUpdate): Promise<CallId | undefined> {
    const { wacid, phoneNumberId } = update
    const found = await ledger.findByWacid(wacid)
    if (found) return found
    // The webhook may arrive before the answer to the request that placed the call, which tells the wacid.
    const placed = ownIdOf(update)
    return placed && ledger.findPlaced(placed, { wacid, phoneNumberId })
  }

  function ignore(why: 'unknownNumber' | 'unknownCall', { phoneNumberId, type }: CallUpdate): UpdateOutcome {
    options.ignored?.(why)
    // Without the provider's id of the call: it has the number of the customer in it.
    options.log.info({ why, phoneNumberId, update: type }, 'call.update_ignored')
    return why
  }

  const ring = createRing(options, { tell, ignore })

  async function recordEarlyTerminate(update: CallTerminateUpdate): Promise<UpdateOutcome> {
    const { wacid, phoneNumberId } = update
    const number = await options.contacts.findNumber(phoneNumberId)
    if (!number) return ignore('unknownNumber', update)
    const { workspaceId } = number
    await ledger.addEarlyTerminate({
      wacid,
      workspaceId,
      at: update.endedAt ?? update.at,
      ...factsOf(update),
    })
    const id = await ledger.findByWacid(wacid)
    return id ? tell(id, messageOf(update)) : 'early'
  }

  async function tellAll(id: CallId, update: CallUpdate): Promise<UpdateOutcome> {
    if (!(await isTold(id, messageOf(update)))) return 'applied'
    learnCalled(options, update)
    const pickedUpAt = pickedUp(update)
    if (pickedUpAt) await options.opened(id, pickedUpAt)
    return 'applied'
  }

  return async (update) => {
    if (update.type === 'callConnect' && update.direction === 'INBOUND' && update.person !== null)
      return ring(update, update.person)
    const id = await known(update)
    if (id) return tellAll(id, update)
    // One that carries our id is no early one: its call was erased.
    if (update.type === 'callTerminate' && update.direction === 'INBOUND' && ownIdOf(update) === undefined)
      return recordEarlyTerminate(update)
    return ignore('unknownCall', update)
  }
}

/** Our call id, which went with each request for the call. */
const ownIdOf = ({ opaque }: CallUpdate): CallId | undefined =>
  opaque === null ? undefined : decodeId('call', opaque)

type Named = Parameters<Contacts['resolveParties']>[0]

interface Reports {
  readonly tell: (id: CallId, message: CallMessage) => Promise<UpdateOutcome>
  readonly ignore: (why: 'unknownNumber', update: CallUpdate) => UpdateOutcome
}

/** Handles the connect of an inbound call. */
function createRing(options: CallUpdatesOptions, { tell, ignore }: Reports) {
  const { ledger, owners, clock } = options
  const endEarly = createEarlyTerminates({ ...options, tell })

  async function begin(call: BegunCall, first: CallMessage): Promise<void> {
    const { id, workspaceId, status, wacid } = call.row
    // One that is forwarded has its line then.
    if (status !== 'RINGING' || call.route.length === 0)
      options.log.info({ callId: id, workspaceId, status, direction: 'INBOUND' }, 'call.begun')
    if (status !== 'RINGING' || wacid === null) return
    const adopted = owners.adopt(call, first)
    void endEarly(id, wacid)
    // The call rings already. Wait for the SDP to be saved: the provider does not repeat an acknowledged
    // offer, and a crash with the offer only in memory would leave a call that cannot be forwarded.
    await adopted
  }

  // The call ended before its connect was handled, or the connect is stale: record the call without ringing.
  async function recordEnded(call: Beginning, wacid: string): Promise<Begun> {
    const end = await ledger.earlyTerminateOf(wacid)
    return ledger.recordEnded(endedCall(call, end ?? null, options.timing))
  }

  /** Undefined where the number is not ours. */
  async function writtenTo(update: CallConnectUpdate, named: Named): Promise<Begun | undefined> {
    const parties = await options.contacts.resolveParties(named)
    if (!parties) return undefined
    const at = new Date(clock.now())
    const call = inboundCall(parties, update, at, options.timing)
    const rung = isStale(update, at) ? endedBeforeStart : await ledger.beginInbound(call)
    return rung.type === 'endedBeforeStart' ? recordEnded(call.ringing, update.wacid) : rung
  }

  // Remembered ids first: looking them up would delay the ring. A call is never attached to the remains of a contact.
  async function written(update: CallConnectUpdate, person: Person): Promise<Begun | undefined> {
    const { phoneNumberId, at } = update
    for (let tries = 0; tries < 3; tries += 1) {
      const begun = await writtenTo(update, { phoneNumberId, person, at, isFresh: tries > 0 })
      if (begun?.type !== 'gone') return begun
    }
    throw new Error('the contact of a call was erased again and again')
  }

  // Do not look up the call first: it almost never exists, and the lookup would delay the ring.
  return async (update: CallConnectUpdate, person: Person): Promise<UpdateOutcome> => {
    const { wacid, session } = update
    const begun = await written(update, person)
    if (!begun) return ignore('unknownNumber', update)
    if (begun.type === 'begun') {
      options.noteEndpoints?.(update.phoneNumberId, begun.route.slice(0, 1))
      await begin(begun, { type: 'ringing', session })
      if (!begun.isOpen) await options.opened(begun.row.id, update.at)
    } else {
      const id = await ledger.findByWacid(wacid)
      if (id) {
        await tell(id, messageOf(update))
        await options.opened(id, update.at)
      }
    }
    return 'applied'
  }
}

/**
 * Whom we have called by one address may be named with another too: both are of one person. Not awaited: every update of
 * the call says it again. The connect of a caller is read as a whole when the call begins.
 */
function learnCalled({ contacts, log }: CallUpdatesOptions, update: CallUpdate): void {
  const { phoneNumberId, at } = update
  if (update.type !== 'callStatus' && update.direction === 'INBOUND') return
  const person = update.type === 'callStatus' ? update.recipient : update.person
  if (person === null || addressesOf(person).length < 2) return
  const learn = async () => {
    const number = await contacts.findNumber(phoneNumberId)
    if (number) await contacts.learn(number.workspaceId, { person, also: [], at, proof: 'element' })
  }
  learn().catch((error: unknown) =>
    log.warn({ phoneNumberId, error: String(error) }, 'call.person_not_learnt'),
  )
}

/** When the customer accepted a call of ours, by the provider's clock. */
function pickedUp(update: CallUpdate): Date | undefined {
  if (update.type === 'callStatus') return update.status === 'ACCEPTED' ? update.at : undefined
  if (update.type === 'callConnect' || update.direction === 'INBOUND' || update.durationSeconds === null)
    return undefined
  return update.startedAt ?? new Date(update.at.getTime() - update.durationSeconds * 1_000)
}

function messageOf(update: CallUpdate): CallMessage {
  const { wacid } = update
  switch (update.type) {
    case 'callConnect':
      return { type: 'providerConnect', wacid, session: update.session }
    case 'callStatus':
      return { type: 'providerStatus', wacid, status: update.status }
    case 'callTerminate':
      return {
        type: 'providerTerminate',
        wacid,
        toldAt: (update.endedAt ?? update.at).toISOString(),
        ...factsOf(update),
      }
  }
}

const factsOf = ({ durationSeconds, error }: CallTerminateUpdate): TerminateFacts => ({
  durationSeconds,
  error: error && { code: error.code, title: error.title },
})
