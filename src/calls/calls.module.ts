// The calls feature, built from its parts: actors, rows, commands and provider updates.

import type { Dispatch } from '../contract/dispatch.ts'
import type { Provider } from '../contract/provider.ts'
import { ActorDirectory } from '../platform/actors/directory.ts'
import type { DirectoryEvent } from '../platform/actors/directory-options.ts'
import { noRestores, outliveRestore } from '../platform/actors/outlive-restore.ts'
import type { Ownership } from '../platform/actors/ownership.ts'
import type { HandoverGround } from '../platform/cluster/update-handover.ts'
import type { Settings } from '../platform/config/settings.ts'
import type { RestoreWatch } from '../platform/postgres/restore-watch.ts'
import { connectPool, type Pool } from '../platform/postgres/sql.ts'
import type { Clock } from '../shared/clock.ts'
import type { Log } from '../shared/log.ts'
import { type CallUpdatesOptions, createApplyCallUpdate } from './apply-call-update.ts'
import { createCallLedger } from './begin-call.ts'
import { callActor } from './call.actor.ts'
import type { CallTiming } from './call.messages.ts'
import { createCallCommands } from './commands.ts'
import { type CallHost, type CallHostOptions, createCallHost } from './host/call-host.ts'
import { type CallRouter, createCallOwners } from './host/call-owners.ts'
import { createCallHandover } from './host/handed-updates.ts'
import { restoreCalls } from './host/restore-calls.ts'
import { wakeOverdueCalls } from './host/wake-overdue-calls.ts'
import { createIceServers } from './ice-servers.ts'
import type { CallSessions, Contacts, DirectSender } from './ports.ts'
import { createCallBeginStore } from './store/call-begin.store.ts'
import { createCallTimelineStore } from './store/call-timeline.store.ts'
import { createCallWindowStore } from './store/call-windows.store.ts'
import { createCallsStore } from './store/calls.store.ts'
import { createCallReader } from './store/calls-read.store.ts'

type CallSettings = Pick<
  Settings,
  | 'RING_TIMEOUT'
  | 'CALL_TIMEOUT'
  | 'REFORWARD_ON_CRASH'
  | 'HANDOVER_SILENCE'
  | 'GUARD'
  | 'SESSION_RENEW'
  | 'ICE_SERVERS'
  | 'TURN_SECRET'
  | 'TURN_TTL'
>

/**
 * For calls and for what a ring waits for: whatever else the process does, nothing stands before them. The pool opens
 * its connections when they are first needed.
 */
export const openUrgentPool = (url: string): Pool => connectPool({ url, max: 4, name: 'switchboard-calls' })

export interface CallsOptions {
  /** For lists. */
  readonly sql: Pool
  readonly urgent: Pool
  readonly contacts: Contacts
  readonly sessions: CallSessions
  readonly provider: Provider
  readonly accounts: CallHostOptions['accounts']
  readonly ownership: Ownership
  readonly router: CallRouter & HandoverGround['router']
  readonly session: HandoverGround['session']
  readonly endpoints: HandoverGround['endpoints']
  readonly taken?: HandoverGround['taken']
  readonly direct: DirectSender
  readonly dispatch: Dispatch
  readonly clock: Clock
  readonly settings: CallSettings
  readonly log: Log
  readonly ignored?: CallUpdatesOptions['ignored']
  /** Without it, calls do not outlive a restore of Postgres. */
  readonly restores?: RestoreWatch
  readonly observe?: (event: DirectoryEvent) => void
}

/** Readers of calls and their timelines. */
export const createCallRecords = (sql: Pool) => ({
  records: createCallReader(sql),
  timelines: createCallTimelineStore(sql),
})

/** Calls in a process without actors: wakes overdue calls and deletes old early terminates. */
export const createCallSweep = (sql: Pool, router: Pick<CallRouter, 'tell'>) => {
  const calls = createCallsStore(sql)
  return {
    /** True where a full round was due, so more calls may be overdue. */
    wakeOverdue: () => wakeOverdueCalls({ calls, router }),
    forgetEarlyTerminates: calls.forgetEarlyTerminates,
  }
}

export type Calls = ReturnType<typeof createCalls>

export function createCalls(options: CallsOptions) {
  const { clock, log, contacts, router, settings, urgent } = options
  const timing = timingOf(settings)
  const calls = createCallsStore(urgent)
  const { host, epochOf } = outliveRestore(
    createCallHost({ ...options, sql: urgent, calls, silenceMs: settings.HANDOVER_SILENCE }),
    options.restores ?? noRestores,
  )
  const { offers } = host
  const directory = directoryOf(options, host)
  options.restores?.onRestored(() =>
    restoreCalls({
      ...{ sql: urgent, sid: options.ownership.sid, dispatch: options.dispatch, clock, log, epochOf },
      states: () => directory.states(),
    }),
  )
  const { ownership, dispatch } = options
  const begin = createCallBeginStore(urgent)
  const ledger = createCallLedger({ calls, begin, ownership, offers, dispatch, clock })
  const owners = createCallOwners({ directory, host, router, ownership, clock, timing, log })
  const handover = createCallHandover({ ...options, isKnown: calls.isRemembered })
  const applyHere = createApplyCallUpdate({
    opened: createCallWindowStore(urgent).opened,
    ...{ contacts, ledger, owners, clock, timing, log },
    noteEndpoints: handover.noteEndpoints,
    ...(options.ignored && { ignored: options.ignored }),
  })
  return {
    ...createCallRecords(options.sql),
    ice: createIceServers({
      urls: settings.ICE_SERVERS,
      turnSecrets: settings.TURN_SECRET ?? [],
      ttlMs: settings.TURN_TTL,
      clock,
    }),
    directory,
    commands: createCallCommands({ ledger, owners, clock, log }),
    applyCallUpdate: handover.through(applyHere),
    /** For the updates that other gateways hand over. */
    updates: handover.asked(applyHere),
  }
}

const timingOf = (settings: CallSettings): CallTiming => ({
  ringTimeoutMs: settings.RING_TIMEOUT,
  callTimeoutMs: settings.CALL_TIMEOUT,
  reforwardOnCrash: settings.REFORWARD_ON_CRASH,
})

const directoryOf = (options: CallsOptions, host: CallHost) =>
  new ActorDirectory({
    definition: callActor(timingOf(options.settings)),
    host,
    ownership: options.ownership,
    clock: options.clock,
    guardMs: options.settings.GUARD,
    confirmEveryMs: options.settings.SESSION_RENEW * 2,
    // Nearly every call that leaves has ended: nobody is about to take it over.
    releaseLingerMs: 50,
    forward: (id, message) => {
      void options.router.tell('call', id, message)
      return true
    },
    ...(options.observe && { observe: options.observe }),
  })
