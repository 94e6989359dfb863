// POST /conversations/:id/call: places a call at most once for each Idempotency-Key.

import { stoppedText } from '../contract/account-health.ts'
import { permissionAt } from '../contract/call-permission.ts'
import { AppError, notFound, withDetail } from '../contract/errors.ts'
import type { SessionDescription } from '../contract/events.ts'
import type { CallRecord } from '../contract/records/call.ts'
import { checkSameRequest, type Made, type RequestKey, requestKey } from '../contract/request-key.ts'
import { type CallId, type ConversationId, encodeId, type KeyId, type WorkspaceId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import { outboundCall } from './begin-call.ts'
import type { CallReply } from './call.messages.ts'
import { checkSdp } from './check-sdp.ts'
import type { BegunCall, CallClock, CallLedger, CallOwners, Dialled } from './ports.ts'
import { noCallPermission } from './refuse.ts'

export interface PlaceInput {
  readonly session: SessionDescription
  /** Names this request: repeated with the same session, it finds the call and places none. */
  readonly idempotencyKey: string | null
}

/** Errors after the call was written name it in their details, as `callId`. */
export type PlaceCommand = (
  caller: { readonly workspaceId: WorkspaceId; readonly apiKeyId: KeyId | null },
  conversationId: ConversationId,
  input: PlaceInput,
) => Promise<Made<CallRecord>>

export interface PlaceCommandOptions {
  readonly ledger: CallLedger
  readonly owners: CallOwners
  readonly clock: CallClock
  readonly log: Log
  /** How long to wait for the provider's answer. */
  readonly limitMs: number
  /** The record of the call, or the error that the reply means. */
  readonly done: (workspaceId: WorkspaceId, id: CallId, reply: CallReply) => Promise<CallRecord>
}

export function createPlaceCommand(options: PlaceCommandOptions): PlaceCommand {
  const { ledger, owners, clock, done } = options

  async function replay(workspaceId: WorkspaceId, key: RequestKey): Promise<Made<CallRecord> | undefined> {
    const earlier = await ledger.earlier(workspaceId, key.key)
    if (!earlier) return undefined
    checkSameRequest(earlier, key)
    return { record: await done(workspaceId, earlier.id as CallId, { type: 'done' }), replayed: true }
  }

  async function dial(begun: BegunCall, { sdp }: SessionDescription): Promise<CallRecord> {
    const { id, workspaceId } = begun.row
    if (!(await owners.adopt(begun))) throw withDetail(notPlaced(), calledById(id))
    try {
      const reply = await owners.ask(id, { type: 'place', sdp }, options.limitMs)
      options.log.info({ callId: id, workspaceId, reply: reply.type }, 'call.placed')
      return await done(workspaceId, id, reply)
    } catch (error) {
      throw namingCall(error, id)
    }
  }

  return async function place({ workspaceId, apiKeyId }, conversationId, { session, idempotencyKey }) {
    const key = requestKey(idempotencyKey, { conversationId, session })
    const made = key && (await replay(workspaceId, key))
    if (made) return made
    checkSdp(session.sdp)
    const dialled = await ledger.dialled(workspaceId, conversationId)
    const at = new Date(clock.now())
    checkDialled(dialled, at)
    if (owners.isLeaving()) throw leaving()
    const begun = await ledger.beginOutbound(outboundCall(dialled, at), { apiKeyId, key })
    if (begun.type === 'begun') return { record: await dial(begun, session), replayed: false }
    if (begun.type === 'gone') throw changed()
    const other = key && (await replay(workspaceId, key))
    if (other) return other
    throw new AppError('INTERNAL', 'a new call exists already')
  }
}

/** The call has a row and events by now: whoever gets the error finds them by this id. */
function namingCall(error: unknown, id: CallId): unknown {
  if (!(error instanceof AppError)) return error
  const said =
    error.code === 'UNAVAILABLE'
      ? new AppError('UNAVAILABLE', 'the outcome is not known yet; look at the call before you place another')
      : error
  return withDetail(said, calledById(id))
}

const calledById = (id: CallId) => ({ path: 'callId', message: encodeId('call', id) })

/** The contact was erased, or was found to be one with another, since the conversation was read. */
const changed = () =>
  new AppError(
    'UNAVAILABLE',
    'the contact changed at this moment, and no call was placed; repeat the request',
    {
      retryAfterSeconds: 1,
    },
  )

const leaving = () =>
  new AppError('UNAVAILABLE', 'this gateway takes no calls at the moment; repeat the request', {
    retryAfterSeconds: 1,
  })

const notPlaced = () =>
  new AppError(
    'UNAVAILABLE',
    'this gateway stopped taking calls, so this one was not placed; place another, with a new Idempotency-Key',
  )

function checkDialled(dialled: Dialled | undefined, at: Date): asserts dialled is Dialled {
  if (!dialled) throw notFound('conversation')
  checkStopped(dialled)
  checkPermission(dialled, at)
}

function checkStopped({ stopped }: Dialled): void {
  if (!stopped) return
  throw new AppError('CALLING_RESTRICTED', stoppedText(stopped))
}

// An unknown permission is no refusal: it may have been granted before we received webhooks. The provider
// decides.
function checkPermission({ callPermission }: Dialled, at: Date): void {
  if (callPermission === null || permissionAt(callPermission, at).granted) return
  if (!callPermission.granted) throw noCallPermission()
  throw new AppError(
    'CALL_PERMISSION_REQUIRED',
    'the permission to call this contact has expired; ask for it again',
  )
}
