// The call commands of the API. Each one checks that the call belongs to the workspace, asks the owner of the
// call, and returns the record as it is afterwards.

import { createHash, randomUUID } from 'node:crypto'
import { notFound } from '../contract/errors.ts'
import type { SessionDescription } from '../contract/events.ts'
import type { CallRecord } from '../contract/records/call.ts'
import { type CallId, encodeId, type WorkspaceId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import type { CallMessage, CallReply, OwnSdp } from './call.messages.ts'
import { type CallRow, toCallRecord } from './call.ts'
import { checkSdp } from './check-sdp.ts'
import { createPlaceCommand, type PlaceCommand } from './place-command.ts'
import type { CallClock, CallLedger, CallOwners } from './ports.ts'
import { refuse } from './refuse.ts'

export type CallAction =
  | { readonly action: 'PRE_ACCEPT'; readonly session: SessionDescription }
  | { readonly action: 'DECLINE' | 'HANG_UP' }

export interface CallOffer {
  readonly callId: string
  readonly session: SessionDescription
  readonly fetchedAt: string
}

export interface CallCommands {
  /** Resolves once the provider has accepted the answer. */
  answer(workspaceId: WorkspaceId, id: CallId, session: SessionDescription): Promise<CallRecord>
  act(workspaceId: WorkspaceId, id: CallId, action: CallAction): Promise<CallRecord>
  offer(workspaceId: WorkspaceId, id: CallId): Promise<CallOffer>
  readonly place: PlaceCommand
}

export interface CallCommandsOptions {
  readonly ledger: CallLedger
  readonly owners: CallOwners
  readonly clock: CallClock
  readonly log: Log
}

/** Time for two round trips to the provider, and for a possible takeover before them. */
const commandLimitMs = 12_000
const offerLimitMs = 5_000

export function createCallCommands(options: CallCommandsOptions): CallCommands {
  const { ledger, owners, clock } = options

  async function find(workspaceId: WorkspaceId, id: CallId): Promise<CallRow> {
    const row = await ledger.find(workspaceId, id)
    if (!row) throw notFound('call')
    return row
  }

  /** Nothing is read where the call lives here: a call stays in its workspace. */
  async function check(workspaceId: WorkspaceId, id: CallId): Promise<void> {
    const known = owners.workspaceOf(id)
    if (known === undefined) await find(workspaceId, id)
    else if (known !== workspaceId) throw notFound('call')
  }

  async function ask(workspaceId: WorkspaceId, id: CallId, message: CallMessage): Promise<CallRecord> {
    await check(workspaceId, id)
    const startedAt = clock.now()
    const reply = await owners.ask(id, message, commandLimitMs)
    const fields = { callId: id, workspaceId, command: message.type, reply: reply.type }
    options.log.info({ ...fields, tookMs: clock.now() - startedAt }, 'call.commanded')
    return done(workspaceId, id, reply)
  }

  async function done(workspaceId: WorkspaceId, id: CallId, reply: CallReply): Promise<CallRecord> {
    if (reply.type !== 'done') throw refuse(reply)
    return toCallRecord(await find(workspaceId, id))
  }

  return {
    async answer(workspaceId, id, session) {
      checkSdp(session.sdp)
      return ask(workspaceId, id, { type: 'answer', actionId: randomUUID(), ...ownSdp(session) })
    },

    async act(workspaceId, id, wanted) {
      if (wanted.action === 'PRE_ACCEPT') checkSdp(wanted.session.sdp)
      return ask(workspaceId, id, messageOf(wanted))
    },

    async offer(workspaceId, id) {
      await check(workspaceId, id)
      const reply = await owners.ask(id, { type: 'offer' }, offerLimitMs)
      if (reply.type !== 'offer') throw refuse(reply)
      const fetchedAt = new Date(clock.now()).toISOString()
      return { callId: encodeId('call', id), session: reply.session, fetchedAt }
    },

    place: createPlaceCommand({ ...options, limitMs: commandLimitMs, done }),
  }
}

function messageOf(wanted: CallAction): CallMessage {
  const actionId = randomUUID()
  switch (wanted.action) {
    case 'PRE_ACCEPT':
      return { type: 'preAccept', actionId, ...ownSdp(wanted.session) }
    case 'DECLINE':
      return { type: 'decline', actionId }
    case 'HANG_UP':
      return { type: 'hangUp', actionId }
  }
}

const ownSdp = ({ sdp }: SessionDescription): OwnSdp => ({
  sdp,
  hash: createHash('sha256').update(sdp).digest('hex'),
})
