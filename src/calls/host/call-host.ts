// The I/O of the call actor: rows, provider, direct events, SDP in Redis.

import type { Dispatch } from '../../contract/dispatch.ts'
import type { Provider, ProviderAccount, ProviderResult } from '../../contract/provider.ts'
import { noProviderToken } from '../../contract/provider-refusal.ts'
import type { ActorHost, EffectContext } from '../../platform/actors/actor.ts'
import type { Pool } from '../../platform/postgres/sql.ts'
import { failpoint } from '../../shared/failpoint.ts'
import { type CallId, encodeId } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import { hasEnded } from '../call.machine.ts'
import type {
  CallEffect,
  CallMessage,
  CallState,
  CallTx,
  Command,
  ForwardOutcome,
  ProviderOutcome,
  SavedSdp,
} from '../call.messages.ts'
import { notAsked } from '../place-call.ts'
import type { CallOffers, CallSessions, DirectSender } from '../ports.ts'
import type { CallsStore, TakenCall } from '../store/calls.store.ts'
import { type ActionAccounts, createActionAccounts, type ReadAccount } from './action-accounts.ts'
import { createForwardNotes, type ForwardNotes } from './forward-notes.ts'
import { createOwnForwards, type OwnForwards } from './own-forwards.ts'
import { type ReleasedRows, releasedOnce } from './released-rows.ts'
import { createUnderWay, offersOf } from './saved-sdp.ts'

export interface CallHost extends ActorHost<CallState, CallMessage, CallTx, CallEffect> {
  /** Resolves when the latest write of the call's SDP has finished or failed. */
  sdpSaved(id: string): Promise<void>
  readonly offers: CallOffers
}

export interface CallHostOptions {
  readonly sql: Pool
  readonly calls: CallsStore
  readonly sessions: CallSessions
  readonly direct: DirectSender
  readonly dispatch: Dispatch
  readonly provider: Provider
  readonly accounts: ReadAccount
  /** The HANDOVER_SILENCE setting. */
  readonly silenceMs: number
  readonly log: Log
}

type Context = EffectContext<CallMessage>
type Of<Type extends CallEffect['type']> = Extract<CallEffect, { type: Type }>

export function createCallHost(options: CallHostOptions): CallHost {
  const { calls, sessions, log } = options
  const accounts = createActionAccounts(options.accounts)
  const ask = createAsk(options, accounts)
  const readSession = sessionReader(options)

  const own = createOwnForwards()
  const forward = createForward(options, own)
  const rows = releasedOnce(calls)
  const forwards = notesOf(options, own, rows)
  const sessionsUnderWay = createUnderWay(log)

  return {
    sdpSaved: sessionsUnderWay.of,
    offers: offersOf(sessions, sessionsUnderWay.add),
    async load(id, { sid, exclusive, deadSid }) {
      const taken = await calls.take(id, { sid, exclusive, deadSid, silenceMs: options.silenceMs })
      if (!taken) return undefined
      return {
        state: { ...loadedState(taken, await readSession(taken)), isForwardedHere: own.has(id) },
        epoch: taken.epoch,
        silentMs: taken.silentMs,
      }
    },
    async commit(id, epoch, tx) {
      const last = tx.at(-1)?.row
      if (last) accounts.begin(last)
      const result = await forwards.along({ id, epoch }, tx, (all) => rows.change(id as CallId, epoch, all))
      if (result.type === 'committed' && result.deliveries.length > 0) options.dispatch(result.deliveries)
      const hasOutcome = last?.forwardState !== 'ATTEMPTING'
      if (result.type === 'committed' && hasOutcome) own.settled(id, epoch)
      return { type: result.type }
    },
    run(effect, context) {
      switch (effect.type) {
        case 'askProvider':
          return void ask(effect, context)
        case 'forward':
          return void forward(effect, context)
        case 'noteForwarded':
          return forwards.add({ ...effect, id: context.id, epoch: context.epoch })
        case 'saveSdp':
          return sessionsUnderWay.add(sessions.save(context.id, context.epoch, effect), context.id)
        case 'dropSdp':
          return sessionsUnderWay.add(sessions.drop(context.id, context.epoch), context.id)
        case 'replyOnceSdpSaved':
          return void sessionsUnderWay
            .of(context.id)
            .then(() => context.post({ type: 'sdpSaved', replyTo: effect.to }))
      }
    },
    ownerOf: calls.ownerOf,
    confirm: (owned) => calls.confirm(owned),
    async release(owned, sid) {
      // Write the pending notes first: a new owner that reads ATTEMPTING would forward again.
      await forwards.settled(owned)
      await rows.release(owned, sid)
    },
    // The first turn of every incarnation sets the timers and resumes the previous owner's unfinished work.
    activated(context, hasFirst) {
      if (!hasFirst) context.post({ type: 'wake' })
      own.adopt(context)
    },
    dropped: rows.dropped,
  }
}

function createForward({ direct, log }: CallHostOptions, own: OwnForwards) {
  return async (effect: Of<'forward'>, context: Context): Promise<void> => {
    own.begin(context)
    const outcome = await forwardTo(direct, effect)
    const { event, workspaceId } = effect
    log.info({ callId: context.id, workspaceId, eventType: event, ...toldOf(outcome) }, 'call.forwarded')
    // Without an entry, because it took so long that it was forgotten, nobody waits for it.
    own.ended(context.id, outcome)
  }
}

/** With the forwards that are settled, and the rows that are released, by a note. */
const notesOf = ({ sql, log }: CallHostOptions, own: OwnForwards, rows: ReleasedRows): ForwardNotes =>
  createForwardNotes({
    ...{ sql, log },
    written({ id, epoch, isLast }) {
      own.settled(id, epoch)
      if (isLast) rows.released(id, epoch)
    },
  })

const toldOf = (outcome: ForwardOutcome) =>
  outcome.type === 'failed' ? { outcome: 'failed', code: outcome.code } : { outcome: 'delivered' }

/** Makes a request to the provider and posts its outcome. */
function createAsk({ provider, log }: CallHostOptions, accounts: ActionAccounts) {
  const request = createCallRequests(provider, accounts)
  return async (effect: Of<'askProvider'>, context: Context): Promise<void> => {
    failpoint('after_intent_before_provider')
    const outcome = await request(effect).catch((error: unknown): ProviderOutcome => {
      log.warn({ callId: context.id, request: effect.request, error: String(error) }, 'call.request_failed')
      return { type: 'notSent', error: notAsked }
    })
    const code = outcome.type === 'ok' ? undefined : outcome.error.code
    log.info({ callId: context.id, request: effect.request, outcome: outcome.type, code }, 'call.requested')
    context.post({ type: 'providerAnswered', request: effect.request, actionId: effect.actionId, outcome })
  }
}

// A call continues without its SDP; only the steps that need the SDP are given up.
const sessionReader =
  ({ sessions, log }: CallHostOptions) =>
  async ({ row }: TakenCall): Promise<SavedSdp> => {
    const nothing = { session: null, ownSdp: null }
    if (hasEnded(row)) return nothing
    return sessions.read(row.id).catch((error: unknown) => {
      log.warn({ callId: row.id, error: String(error) }, 'call.session_unreadable')
      return nothing
    })
  }

function loadedState({ row, route, earlyTerminate }: TakenCall, { session, ownSdp }: SavedSdp): CallState {
  const command: Command | null =
    row.pendingAction === null || ownSdp === null ? null : { ownSdp, waiting: [], notes: [], isRepeat: true }
  const unresumed = { isResumed: false, isCommandResumed: false }
  const fresh = { ...unresumed, mayPlace: false, isDraining: false, isTerminated: false }
  return { row, route, session, command, earlyTerminate, ...fresh }
}

type Asking = Extract<CallEffect, { type: 'askProvider' }>

/** Rejects where the account cannot be read; the provider was not asked then. */
function createCallRequests(provider: Provider, accounts: ActionAccounts) {
  return async (effect: Asking): Promise<ProviderOutcome> => {
    const account = await accounts.of(effect.call, effect.actionId)
    return account === null
      ? { type: 'notSent', error: noProviderToken }
      : outcomeOf(await send(provider, account, effect))
  }
}

/** Sends a direct event to one or more endpoints. Returns the first failure, which the call then shows. */
async function forwardTo(
  direct: DirectSender,
  effect: Extract<CallEffect, { type: 'forward' }>,
): Promise<ForwardOutcome> {
  const { event: kind, workspaceId, body } = effect
  const headers = effect.answerBy === null ? {} : { 'x-communication-answer-by': effect.answerBy }
  const outcomes = await Promise.all(
    effect.endpointIds.map(async (endpointId): Promise<ForwardOutcome> => {
      const sent = await direct
        .send({ endpointId, workspaceId, kind, body, headers })
        .catch((error: unknown) => ({ type: 'failed', code: 'INTERNAL', message: String(error) }) as const)
      return sent.type === 'delivered' ? sent : { ...sent, endpointId }
    }),
  )
  return outcomes.find((one) => one.type === 'failed') ?? { type: 'delivered' }
}

type Answer = Promise<ProviderResult<{ readonly wacid: string } | null>>

function send(provider: Provider, account: ProviderAccount, effect: Asking): Answer {
  // Our call id. The webhooks of the call carry it, so they find the call before its wacid is known here.
  const opaque = encodeId('call', effect.call.id)
  switch (effect.request) {
    case 'place':
      return provider.placeCall(account, { to: effect.call.contactAddress, sdp: effect.sdp, opaque })
    case 'preAccept':
      return provider.preAccept(account, effect.wacid, effect.sdp)
    case 'accept':
      return provider.accept(account, effect.wacid, effect.sdp, opaque)
    case 'reject':
      return provider.reject(account, effect.wacid)
    case 'terminate':
      return provider.terminate(account, effect.wacid)
  }
}

function outcomeOf(result: ProviderResult<{ readonly wacid: string } | null>): ProviderOutcome {
  if (result.type !== 'ok') {
    const { code, title, details, subcode, traceId, class: kind } = result.error
    return { type: result.type, error: { code, title, details, subcode, traceId, class: kind } }
  }
  return result.value === null ? { type: 'ok' } : { type: 'ok', wacid: result.value.wacid }
}
