// How the call actor touches the world: rows, the provider, endpoints, SDP in Redis.
import type { ActorHost, EffectContext } from '../actors/actor.ts'
import { hasEnded } from '../calls/call.machine.ts'
import type {
  CallEffect,
  CallMessage,
  CallState,
  CallTx,
  Command,
  KeptSession,
  ProviderOutcome,
} from '../calls/call.messages.ts'
import type { CallLog, CallSessions, DirectSender } from '../calls/ports.ts'
import type { Dispatch } from '../contract/dispatch.ts'
import { failpoint } from '../shared/failpoint.ts'
import type { CallId } from '../shared/ids.ts'
import type { CallsStore, TakenCall } from '../store/calls.store.ts'
import type { Pool } from '../store/sql.ts'
import { type CallRequestsOptions, createCallRequests, forwardTo, notAsked } from './call-requests.ts'
import { createForwardNotes } from './forward-notes.ts'

export interface CallHost extends ActorHost<CallState, CallMessage, CallTx, CallEffect> {
  /** Resolves when the SDP of the call is where a successor finds it, or could not be brought there. */
  kept(id: string): Promise<void>
}

export interface CallHostOptions extends CallRequestsOptions {
  readonly sql: Pool
  readonly calls: CallsStore
  readonly sessions: CallSessions
  readonly direct: DirectSender
  readonly dispatch: Dispatch
  /** HANDOVER_SILENCE. */
  readonly silenceMs: number
  readonly log: CallLog
}

type Context = EffectContext<CallMessage>
type Of<Type extends CallEffect['type']> = Extract<CallEffect, { type: Type }>

export function createCallHost(options: CallHostOptions): CallHost {
  const { calls, sessions, log } = options
  const request = createCallRequests(options)
  const readSession = sessionReader(options)

  async function ask(effect: Of<'askProvider'>, context: Context): Promise<void> {
    failpoint('after_intent_before_provider')
    const outcome = await request(effect).catch((error: unknown): ProviderOutcome => {
      log.warn({ callId: context.id, request: effect.request, error: String(error) }, 'call.request_failed')
      return { type: 'notSent', error: notAsked }
    })
    const code = outcome.type === 'ok' ? undefined : outcome.error.code
    log.info({ callId: context.id, request: effect.request, outcome: outcome.type, code }, 'call.requested')
    context.post({ type: 'providerAnswered', request: effect.request, actionId: effect.actionId, outcome })
  }

  async function forward(effect: Of<'forward'>, context: Context): Promise<void> {
    const outcome = await forwardTo(options.direct, effect)
    log.info({ callId: context.id, event: effect.event, outcome: outcome.type }, 'call.forwarded')
    context.post({ type: 'forwarded', outcome })
  }

  const forwards = createForwardNotes(options.sql, log)
  const sessionsUnderWay = createUnderWay(log)

  return {
    kept: sessionsUnderWay.of,
    async load(id, { sid, exclusive, deadSid }) {
      const taken = await calls.take(id, { sid, exclusive, deadSid, silenceMs: options.silenceMs })
      if (!taken) return undefined
      return {
        state: loadedState(taken, await readSession(taken)),
        epoch: taken.epoch,
        silentMs: taken.silentMs,
      }
    },
    async commit(id, epoch, tx) {
      const result = await calls.change(id as CallId, epoch, tx)
      if (result.type === 'committed' && result.deliveries.length > 0) options.dispatch(result.deliveries)
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
        case 'keepSession':
          return sessionsUnderWay.add(sessions.keep(context.id, context.epoch, effect), context.id)
        case 'dropSession':
          return sessionsUnderWay.add(sessions.drop(context.id, context.epoch), context.id)
        case 'replyOnceKept':
          return void sessionsUnderWay
            .of(context.id)
            .then(() => context.post({ type: 'sessionKept', replyTo: effect.to }))
      }
    },
    confirm: (ids) => calls.confirm(ids),
    async release(owned, sid) {
      // A successor that read ATTEMPTING would forward again.
      await forwards.drain()
      await calls.release(owned, sid)
    },
    // The first turn of every incarnation: timers again, and what the former owner left undone.
    activated: (context) => context.post({ type: 'wake' }),
    dropped: () => undefined,
    park: (id, message, error) =>
      log.warn({ callId: id, message: message.type, error: String(error) }, 'call.message_parked'),
  }
}

/** The latest write of a call's SDP, so that somebody can wait for it. */
function createUnderWay(log: CallLog) {
  const underWay = new Map<string, Promise<void>>()
  return {
    of: (id: string): Promise<void> => underWay.get(id) ?? Promise.resolve(),
    add(work: Promise<void>, id: string): void {
      const kept = work
        .catch((error: unknown) => log.warn({ callId: id, error: String(error) }, 'call.session_not_kept'))
        .finally(() => {
          if (underWay.get(id) === kept) underWay.delete(id)
        })
      underWay.set(id, kept)
    },
  }
}

// Without its SDP a call goes on; only what needs it is given up.
const sessionReader =
  ({ sessions, log }: CallHostOptions) =>
  async ({ row }: TakenCall): Promise<KeptSession> => {
    const nothing = { session: null, ownSdp: null }
    if (hasEnded(row)) return nothing
    return sessions.read(row.id).catch((error: unknown) => {
      log.warn({ callId: row.id, error: String(error) }, 'call.session_unreadable')
      return nothing
    })
  }

function loadedState({ row, route }: TakenCall, { session, ownSdp }: KeptSession): CallState {
  const command: Command | null =
    row.pendingAction === null || ownSdp === null ? null : { ownSdp, waiting: [], notes: [], isRepeat: true }
  return { row, route, session, command, isResumed: false, mayPlace: false, isDraining: false }
}
