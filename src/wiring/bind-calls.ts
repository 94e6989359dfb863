// The calls domain, assembled: its actor, its rows, its commands.
import { ActorDirectory, type DirectoryEvent } from '../actors/directory.ts'
import { readClock } from '../actors/guard.ts'
import type { AskResult, TellResult } from '../actors/letter.ts'
import type { Ownership } from '../actors/ownership.ts'
import { type CallUpdatesOptions, createApplyCallUpdate } from '../calls/apply-call-update.ts'
import { stateOf } from '../calls/begin-call.ts'
import { callActor } from '../calls/call.actor.ts'
import type { CallMessage, CallReply, CallTiming } from '../calls/call.messages.ts'
import { createCallCommands } from '../calls/commands.ts'
import type {
  Begun,
  CallLedger,
  CallLog,
  CallOwners,
  CallSessions,
  Contacts,
  DirectSender,
  ForetoldEnd,
} from '../calls/ports.ts'
import type { Dispatch } from '../contract/dispatch.ts'
import { AppError } from '../contract/errors.ts'
import type { Provider, ProviderAccount } from '../contract/provider.ts'
import { Batcher } from '../shared/batcher.ts'
import type { Clock } from '../shared/clock.ts'
import type { CallId, WorkspaceId } from '../shared/ids.ts'
import { type BegunHere, createCallBeginStore } from '../store/call-begin.store.ts'
import { createCallsStore } from '../store/calls.store.ts'
import type { Pool } from '../store/sql.ts'
import { type CallHost, createCallHost } from './call-host.ts'

/** RING_TIMEOUT and the like; all in milliseconds. */
export interface CallSettings extends CallTiming {
  readonly handoverSilenceMs: number
  readonly guardMs: number
  readonly confirmEveryMs: number
}

/** Finds the owner of a call, here or on another node. */
export interface CallRouter {
  ask(kind: 'call', id: string, message: CallMessage, deadlineMs: number): Promise<AskResult>
  tell(kind: 'call', id: string, message: CallMessage): Promise<TellResult>
}

export interface CallsOptions {
  readonly sql: Pool
  readonly contacts: Contacts
  readonly sessions: CallSessions
  readonly provider: Provider
  readonly accounts: (workspaceId: WorkspaceId, phoneNumberId: string) => Promise<ProviderAccount | null>
  readonly ownership: Ownership
  readonly router: CallRouter
  readonly direct: DirectSender
  readonly dispatch: Dispatch
  readonly clock: Clock
  readonly settings: CallSettings
  readonly log: CallLog
  readonly ignored?: CallUpdatesOptions['ignored']
  readonly observe?: (event: DirectoryEvent) => void
}

export type CallDirectory = ReturnType<typeof directoryOf>
export type Calls = ReturnType<typeof createCalls>

export function createCalls(options: CallsOptions) {
  const { clock, log, contacts, settings: timing } = options
  const calls = createCallsStore(options.sql)
  const { router } = options
  const host = createCallHost({ ...options, calls, silenceMs: timing.handoverSilenceMs })
  const directory = directoryOf(options, host)
  const ledger = ledgerOf(options, calls)
  const owners = ownersOf({ directory, host, router })
  return {
    directory,
    commands: createCallCommands({ ledger, owners, clock, log }),
    applyCallUpdate: createApplyCallUpdate({
      contacts,
      ledger,
      owners,
      clock,
      timing,
      log,
      ...(options.ignored && { ignored: options.ignored }),
    }),
  }
}

const directoryOf = (options: CallsOptions, host: CallHost) =>
  new ActorDirectory({
    definition: callActor(options.settings),
    host,
    ownership: options.ownership,
    clock: options.clock,
    guardMs: options.settings.guardMs,
    confirmEveryMs: options.settings.confirmEveryMs,
    forward: (id, message) => {
      void options.router.tell('call', id, message)
      return true
    },
    ...(options.observe && { observe: options.observe }),
  })

const tombstoneLingerMs = 50

function ledgerOf(options: CallsOptions, calls: ReturnType<typeof createCallsStore>): CallLedger {
  const begin = createCallBeginStore(options.sql)
  const { sid } = options.ownership
  async function begun(statement: () => Promise<BegunHere>): Promise<Begun> {
    const asked = readClock(options.clock)
    const result = await statement()
    if (result.type !== 'begun') return result
    // The ring first: it is what somebody waits for.
    if (result.deliveries.length > 0) setImmediate(() => options.dispatch(result.deliveries))
    return { ...result, asked }
  }
  // It follows every inbound call, off its path, so it waits for company.
  const tombstones = new Batcher<string, ForetoldEnd | undefined>({
    maxItems: 200,
    maxWaiting: 10_000,
    lingerMs: tombstoneLingerMs,
    flush: async (wacids) => {
      const found = await calls.tombstonesOf(wacids)
      return wacids.map((wacid) => found.get(wacid))
    },
  })
  return {
    ...calls,
    tombstoneOf: async (wacid) => (await calls.tombstonesOf([wacid])).get(wacid),
    tombstoneSoon: (wacid) => tombstones.add(wacid),
    dialled: begin.dialled,
    async beginInbound(call) {
      const { id, wacid } = call.ringing.row
      // Meanwhile, so that whoever finds the row, such as a repeat of the connect on another node, finds us beside it.
      const claimed = options.ownership.claim('call', id)
      const result = await begun(() => begin.inbound(call, sid))
      if (result.type === 'begun' && wacid !== null) calls.remember(wacid, id)
      if (result.type === 'begun') return { ...result, claimed }
      void options.ownership.release('call', [id])
      return result
    },
    recordEnded: (call) => begun(() => begin.ended(call)),
    beginOutbound: (call, apiKeyId) => begun(() => begin.outbound(call, { sid, apiKeyId })),
  }
}

interface Owning {
  readonly directory: CallDirectory
  readonly host: CallHost
  readonly router: CallRouter
}

function ownersOf({ directory, host, router }: Owning): CallOwners {
  return {
    async adopt(call, first) {
      const loaded = { state: stateOf(call.row, call.route), epoch: call.epoch, silentMs: 0 }
      await directory.adopt(call.row.id, loaded, { first, asked: call.asked, claimed: call.claimed })
      await host.kept(call.row.id)
    },
    async ask(id: CallId, message, deadlineMs) {
      const result = await router.ask('call', id, message, deadlineMs)
      if (result.type !== 'answered') throw unanswered(result)
      return result.value as CallReply
    },
  }
}

function unanswered({ type }: Exclude<AskResult, { type: 'answered' }>): AppError {
  const options = { retryAfterSeconds: 1 }
  if (type === 'notFound') return new AppError('NOT_FOUND', 'there is no such call')
  if (type === 'full') return new AppError('OVERLOADED', 'too much is waiting for this call', options)
  return new AppError('UNAVAILABLE', 'the outcome is not known yet; repeat the request', options)
}
