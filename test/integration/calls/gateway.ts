import type { CallMessage } from '../../../src/calls/call.messages.ts'
import { type Calls, createCalls } from '../../../src/calls/calls.module.ts'
import type { CallSessions, DirectSender } from '../../../src/calls/ports.ts'
import type { WrittenDelivery } from '../../../src/contract/dispatch.ts'
import { personAt } from '../../../src/contract/person.ts'
import type { Provider, ProviderError, ProviderResult } from '../../../src/contract/provider.ts'
import type { CallConnectUpdate, CallTerminateUpdate } from '../../../src/contract/provider-updates.ts'
import type { AskResult, TellResult } from '../../../src/platform/actors/mailbox-entry.ts'
import type { Ownership } from '../../../src/platform/actors/ownership.ts'
import type { UpdateRouter } from '../../../src/platform/cluster/update-handover.ts'
import { createRestoreWatch, type RestoreWatch } from '../../../src/platform/postgres/restore-watch.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import { type Clock, systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { after } from '../../support/harness.ts'
import { testContacts } from '../../support/message-store.ts'
import type { Workspace } from './rows.ts'

type Request = 'place' | 'preAccept' | 'accept' | 'reject' | 'terminate'
type Handler = () => Promise<ProviderResult<null>>

export const providerOk = { type: 'ok', value: null } as const
export const providerError = (patch: Partial<ProviderError>): ProviderResult<never> => ({
  type: 'refused',
  error: {
    ...{ code: '100', title: 'Invalid parameter', details: null, httpStatus: 400 },
    ...{ class: 'permanent', retryAfterMs: null },
    ...patch,
  },
})

/** A scripted provider: it accepts every request unless a handler says otherwise. */
class ScriptedProvider {
  readonly requests: { readonly request: Request; readonly wacid: string; readonly sdp: string }[] = []
  readonly #handlers = new Map<Request, Handler>()

  on(request: Request, handler: Handler): void {
    this.#handlers.set(request, handler)
  }

  kinds(): string[] {
    return this.requests.map(({ request }) => request)
  }

  get port(): Provider {
    const answer = (request: Request, wacid: string, sdp = '') => {
      this.requests.push({ request, wacid, sdp })
      return this.#handlers.get(request)?.() ?? Promise.resolve(providerOk)
    }
    const calls: Pick<Provider, 'placeCall' | 'preAccept' | 'accept' | 'reject' | 'terminate'> = {
      placeCall: async (_account, { opaque, sdp }) => {
        const result = await answer('place', opaque, sdp)
        return result.type === 'ok' ? { type: 'ok', value: { wacid: `wacid.${opaque}` } } : result
      },
      preAccept: (_account, wacid, sdp) => answer('preAccept', wacid, sdp),
      accept: (_account, wacid, sdp) => answer('accept', wacid, sdp),
      reject: (_account, wacid) => answer('reject', wacid),
      terminate: (_account, wacid) => answer('terminate', wacid),
    }
    return calls as Provider
  }
}

export interface Node extends Calls {
  readonly sid: string
  /** Like a crash: the node no longer acts, answers or releases anything. */
  kill(): void
}

const quiet = { info: () => undefined, warn: () => undefined }
const noSessions: CallSessions = {
  save: () => Promise.resolve(),
  drop: () => Promise.resolve(),
  read: () => Promise.resolve({ session: null, ownSdp: null }),
}

export interface ClusterOptions {
  /** Whether each node watches for a restore of Postgres. */
  readonly watchesRestores?: boolean
  readonly sessions?: CallSessions
  readonly clock?: Clock
  readonly confirmEveryMs?: number
  readonly silenceMs?: number
}

/** Nodes over one database, with owners in memory, a scripted provider and recorded deliveries. */
export class Cluster {
  readonly provider = new ScriptedProvider()
  readonly dispatched: WrittenDelivery[] = []
  readonly direct: Parameters<DirectSender['send']>[0][] = []
  directResult: Awaited<ReturnType<DirectSender['send']>> = { type: 'delivered' }
  directMs = 0
  accountReads = 0
  readonly watches: RestoreWatch[] = []
  readonly restored = { rewritten: 0, lost: 0 }
  /** Awaited before the directory of owners gets a claim. */
  beforeClaim: () => Promise<void> = () => Promise.resolve()
  /** Awaited before a direct event is answered. */
  beforeDirect: () => Promise<void> = () => Promise.resolve()
  readonly #sql: Pool
  readonly #options: ClusterOptions
  readonly #owners = new Map<string, string>()
  readonly #directories = new Map<string, Calls['directory']>()
  readonly #updates = new Map<string, Calls['updates']>()
  /** Who owns all endpoints, by its sid. */
  endpointOwner: string | undefined
  /** What is handed over arrives, and its sender hears of no answer. */
  losesAnswers = false

  constructor(sql: Pool, options: ClusterOptions = {}) {
    this.#sql = sql
    this.#options = options
  }

  /** Adds a node, with its own pool when one is given. */
  node(sql = this.#sql): Node {
    const sid = newId('attempt')
    const { sessions = noSessions, clock = systemClock } = this.#options
    const { confirmEveryMs = 1_000, silenceMs = 50 } = this.#options
    const calls: Calls = createCalls({
      sql,
      urgent: sql,
      contacts: testContacts(sql),
      sessions,
      provider: this.provider.port,
      accounts: async (workspaceId, phoneNumberId) => {
        this.accountReads += 1
        return { workspaceId, phoneNumberId, wabaId: null, accessToken: 'token' }
      },
      ownership: this.#ownership(sid),
      router: { ...this.#router(() => calls.directory), ...this.#updateRouter() },
      session: {
        get state() {
          return calls.directory.isDraining ? 'draining' : 'serving'
        },
      },
      endpoints: { has: () => this.endpointOwner === sid },
      direct: {
        send: async (event) => {
          this.direct.push(event)
          await new Promise((resolve) => setTimeout(resolve, this.directMs))
          await this.beforeDirect()
          return this.directResult
        },
      },
      dispatch: (deliveries) => this.dispatched.push(...deliveries),
      ...(this.#options.watchesRestores && { restores: this.#watch(sql, clock) }),
      clock,
      settings: {
        ...{ RING_TIMEOUT: 90_000, CALL_TIMEOUT: 14_400_000, REFORWARD_ON_CRASH: true },
        ...{ HANDOVER_SILENCE: silenceMs, GUARD: 40, SESSION_RENEW: confirmEveryMs },
        ...{ ICE_SERVERS: [], TURN_SECRET: undefined, TURN_TTL: 0 },
      },
      log: quiet,
    })
    this.#directories.set(sid, calls.directory)
    this.#updates.set(sid, calls.updates)
    after(() => calls.directory.close())
    return { ...calls, sid, kill: () => this.#kill(sid) }
  }

  statuses(): string[] {
    return this.dispatched.map(({ body }) => JSON.parse(Buffer.from(body).toString()).data.status)
  }

  #watch(sql: Pool, clock: Clock): RestoreWatch {
    const restores = createRestoreWatch({
      ...{ sql, clock, log: quiet },
      count: (result, rows) => {
        this.restored[result] += rows
      },
    })
    after(() => restores.stop())
    this.watches.push(restores)
    return restores
  }

  #kill(sid: string): void {
    this.#directories.delete(sid)
    this.#updates.delete(sid)
    for (const [id, owner] of this.#owners) if (owner === sid) this.#owners.delete(id)
  }

  #ownership(sid: string): Ownership {
    return {
      sid,
      claim: async (_kind, id) => {
        await this.beforeClaim()
        const owner = this.#owners.get(id) ?? sid
        this.#owners.set(id, owner)
        return owner === sid
          ? { type: 'mine' }
          : { type: 'theirs', owner: { nodeId: owner, sid: owner, address: '' } }
      },
      recall: () => ({ type: 'expired' }),
      resumedAt: () => Number.NEGATIVE_INFINITY,
      recordEpoch: () => undefined,
      release: async (_kind, ids) => {
        for (const id of ids) if (this.#owners.get(id) === sid) this.#owners.delete(id)
      },
    }
  }

  #updateRouter(): UpdateRouter {
    return {
      lastKnown: () => {
        const owner = this.endpointOwner
        return owner === undefined ? undefined : { nodeId: owner, sid: owner, address: '' }
      },
      askAt: async ({ sid }, { id, message }) => {
        const sent = JSON.parse(JSON.stringify(message))
        const answer = this.#updates.get(sid)?.ask(id, sent)
        return answer && !this.losesAnswers ? answer : { type: 'unavailable' }
      },
    }
  }

  #router(directory: () => Calls['directory']) {
    const ask = async (_kind: 'call', id: string, message: CallMessage, ms: number): Promise<AskResult> => {
      const here = await directory().ask(id, message, ms)
      const there = this.#elsewhere(here, message)
      return there === 'here' ? here : (there?.ask(id, message, ms) ?? { type: 'unavailable' })
    }
    const tell = async (_kind: 'call', id: string, message: CallMessage): Promise<TellResult> => {
      const here = await directory().tell(id, message)
      const there = this.#elsewhere(here, message)
      return there === 'here' ? here : (there?.tell(id, message) ?? { type: 'unavailable' })
    }
    return { ask, tell }
  }

  /** Undefined: nobody takes the message. */
  #elsewhere(result: AskResult | TellResult, { type }: CallMessage): Calls['directory'] | 'here' | undefined {
    if (result.type !== 'theirs' && result.type !== 'leaving') return 'here'
    const others = [...this.#directories.values()].filter(({ isDraining }) => !isDraining)
    const owner = result.type === 'theirs' ? this.#directories.get(result.owner.sid) : others[0]
    return owner?.takes(type) ? owner : undefined
  }
}

let lastCall = 0

export function connectUpdate(
  { phoneNumberId }: Workspace,
  patch: Partial<CallConnectUpdate> = {},
): CallConnectUpdate {
  lastCall += 1
  return {
    type: 'callConnect',
    wacid: `wacid.IN${process.pid}.${lastCall}`,
    phoneNumberId,
    at: new Date(),
    opaque: null,
    direction: 'INBOUND',
    person: personAt('15551230000', 'Ines Prado'),
    session: { sdpType: 'offer', sdp: offerSdp },
    ...patch,
  }
}

export const terminateUpdate = (
  { phoneNumberId, wacid }: CallConnectUpdate,
  patch: Partial<CallTerminateUpdate> = {},
): CallTerminateUpdate => ({
  type: 'callTerminate',
  wacid,
  phoneNumberId,
  at: new Date(),
  opaque: null,
  direction: 'INBOUND',
  person: personAt('15551230000'),
  outcome: 'COMPLETED',
  durationSeconds: null,
  startedAt: null,
  endedAt: null,
  error: null,
  ...patch,
})

const sdpOf = (origin: string, setup: string): string =>
  [
    ...['v=0', `o=- ${origin} 2 IN IP4 127.0.0.1`, 's=-', 't=0 0'],
    ...['m=audio 40012 UDP/TLS/RTP/SAVPF 111', 'c=IN IP4 203.0.113.60', 'a=ice-ufrag:simU'],
    ...['a=ice-pwd:simPassword0123456789abcd', `a=fingerprint:sha-256 ${'AB:'.repeat(31)}AB`],
    ...[`a=setup:${setup}`, 'a=rtpmap:111 opus/48000/2', ''],
  ].join('\r\n')

export const offerSdp = sdpOf('77001', 'actpass')
export const answerOf = (name: number) => ({ sdpType: 'answer', sdp: sdpOf(String(name), 'active') }) as const

/** Polls, for changes that no promise announces. Only a failing test reaches the limit. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('it never came')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
