// Routes a message to its actor: in this process, at the owner, or at a node that will activate the actor.
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../shared/clock.ts'
import { pause } from '../../shared/pause.ts'
import type { ActorKind } from '../actors/actor.ts'
import type { AskResult, TellResult } from '../actors/mailbox-entry.ts'
import type { NodeRef } from '../actors/ownership.ts'
import { KeyedSerial } from './keyed-serial.ts'
import { LocationCache } from './location-cache.ts'
import type { ActorsByKind, LocalActors } from './receiver.ts'
import type { RpcClient, RpcOutcome } from './rpc-client.ts'
import type { Addressee, RpcEnvelope } from './rpc-envelope.ts'

type Message = { readonly type: string }

export interface Router {
  /** Tells from this process to one actor keep their order. `accepted`: in the owner's mailbox or inbox. */
  tell(kind: ActorKind, id: string, message: Message): Promise<TellResult>
  ask(kind: ActorKind, id: string, message: Message, deadlineMs: number): Promise<AskResult>
  /** The process to which this one sent the last message for the actor: it may have moved since, also to this one. */
  lastKnown(kind: ActorKind, id: string): NodeRef | undefined
  /** Asks one process, once, and follows nobody: `unavailable` where it does not answer. */
  askAt(node: NodeRef, asked: AskedAt): Promise<Extract<AskResult, { type: 'answered' | 'unavailable' }>>
}

export interface AskedAt {
  readonly kind: Addressee
  readonly id: string
  readonly message: Message
  readonly deadlineMs: number
}

export interface RouterOptions {
  /** The actors of this process; empty in a process that hosts none. */
  readonly actors: ActorsByKind
  readonly rpc: Pick<RpcClient, 'send'>
  readonly clock: Clock
  /** The owner of the actor, or else the node that should activate it. Undefined: no node was found. */
  readonly locate: (kind: ActorKind, id: string) => Promise<NodeRef | undefined>
  /** The fallback transport. False: the session of that node is gone. Rejects while Redis is unavailable. */
  readonly viaInbox: (node: NodeRef, envelope: RpcEnvelope) => Promise<boolean>
  /** Called for a message without an answer. True: the process is gone, and others may take its actors. */
  readonly isDead: (node: NodeRef) => Promise<boolean>
}

interface RoutedMessage {
  readonly key: string
  readonly kind: ActorKind
  readonly id: string
  readonly mode: RpcEnvelope['type']
  readonly message: Message
  readonly deadlineAt: number
}

/** `moved`: the message did not arrive, and the actor must be located again. */
type RouteResult = TellResult | AskResult | { readonly type: 'moved' }

const tellPatienceMs = 5_000
/** Tries without a pause, for an actor that moves during the search. Each further round follows a pause. */
const triesAtOnce = 3
const betweenMs = 100
/** An owner that has not answered by then is asked whether it lives. A slow receiver keeps its answer, too. */
const unansweredMs = 300
const watchAgainMs = 1_000

export function createRouter(options: RouterOptions): Router {
  const { actors, clock } = options
  const locations = new LocationCache(clock)
  const serial = new KeyedSerial()
  const travel = createTravel(options, locations)

  return {
    async tell(kind, id, message) {
      const key = `${kind}:${id}`
      const here = actors.get(kind)
      if (here?.has(id) && !serial.has(key)) {
        const result = await here.tell(id, message)
        if (!isElsewhere(result)) return result
      }
      return serial.add(key, () => {
        const deadlineAt = clock.mono() + tellPatienceMs
        return travel({ key, kind, id, mode: 'tell', message, deadlineAt }) as Promise<TellResult>
      })
    },
    ask(kind, id, message, deadlineMs) {
      const deadlineAt = clock.mono() + deadlineMs
      const routed = { key: `${kind}:${id}`, kind, id, mode: 'ask' as const, message, deadlineAt }
      return travel(routed) as Promise<AskResult>
    },
    lastKnown: (kind, id) => locations.last(`${kind}:${id}`),
    async askAt(node, { deadlineMs, ...asked }) {
      const envelope = toEnvelope(node, { ...asked, mode: 'ask' }, deadlineMs)
      const outcome = await sendWatched(options, node, envelope).catch(() => undefined)
      return outcome?.type === 'answered' ? outcome : { type: 'unavailable' }
    },
  }
}

/** The message was not taken, and another node may have the actor. */
type Elsewhere = Extract<RouteResult, { readonly type: 'theirs' | 'leaving' | 'moved' }>

const isElsewhere = (route: RouteResult): route is Elsewhere =>
  ['theirs', 'leaving', 'moved'].includes(route.type)

/** Follows the actor until the message is delivered or the deadline passes. Never rejects. */
function createTravel(options: RouterOptions, locations: LocationCache) {
  const { clock } = options
  const route = createRoute(options, locations)
  const learn = (key: string, elsewhere: Elsewhere) => {
    if (elsewhere.type === 'theirs') locations.set(key, elsewhere.owner)
    else locations.delete(key)
  }
  return async (routed: RoutedMessage): Promise<TellResult | AskResult> => {
    for (let tries = 1; clock.mono() < routed.deadlineAt; tries += 1) {
      const result = await route(routed).catch((): RouteResult => ({ type: 'unavailable' }))
      if (!isElsewhere(result)) return result
      learn(routed.key, result)
      // A leaving node releases its actors within moments.
      if (result.type === 'leaving' || tries % triesAtOnce === 0) await pause(clock, betweenMs)
    }
    return { type: routed.mode === 'ask' ? 'timedOut' : 'unavailable' }
  }
}

function createRoute(
  options: RouterOptions,
  locations: LocationCache,
): (routed: RoutedMessage) => Promise<RouteResult> {
  const { actors, clock, locate } = options
  const deliver = createDelivery(options)
  return async (routed) => {
    const here = actors.get(routed.kind)
    if (here?.has(routed.id)) return hand(here, routed, clock)
    const known = locations.get(routed.key)
    if (known) return deliver(known, routed)
    // The local directory claims the actor when it gets the message. A leaving process must not claim.
    if (here && !here.isDraining) return hand(here, routed, clock)
    const node = await locate(routed.kind, routed.id)
    if (!node) return { type: 'unavailable' }
    locations.set(routed.key, node)
    return deliver(node, routed)
  }
}

const hand = (
  here: LocalActors,
  { mode, id, message, deadlineAt }: RoutedMessage,
  clock: Clock,
): Promise<RouteResult> =>
  mode === 'tell' ? here.tell(id, message) : here.ask(id, message, deadlineAt - clock.mono())

function createDelivery(options: RouterOptions) {
  const { clock } = options
  return async (node: NodeRef, routed: RoutedMessage): Promise<RouteResult> => {
    const envelope = toEnvelope(node, routed, routed.deadlineAt - clock.mono())
    const outcome = await sendWatched(options, node, envelope)
    switch (outcome.type) {
      case 'restarted':
        return { type: 'moved' }
      case 'unknown':
        return { type: 'unavailable' }
      case 'refused':
      case 'unreached':
      case 'lost':
      case 'died':
        return unanswered(options, { node, envelope, deadlineAt: routed.deadlineAt, how: outcome.type })
      default:
        return outcome
    }
  }
}

interface Unanswered {
  readonly node: NodeRef
  readonly envelope: RpcEnvelope
  readonly deadlineAt: number
  readonly how: 'refused' | 'unreached' | 'lost' | 'died'
}

async function unanswered(
  options: RouterOptions,
  { node, envelope, deadlineAt, how }: Unanswered,
): Promise<RouteResult> {
  const { actors, clock, isDead } = options
  const mayBeHandled = how === 'lost' || how === 'died'
  const mayRepeat = envelope.type === 'tell' || actors.get(envelope.kind)?.repeats(envelope.message.type)
  // Whether to repeat any other ask is the asker's decision.
  if (mayBeHandled && !mayRepeat) return { type: clock.mono() < deadlineAt ? 'unavailable' : 'timedOut' }
  if (how === 'died' || (await isDead(node))) return { type: 'moved' }
  return sendAnotherWay(options, node, envelope)
}

/** Sends, and gives up the answer of a process that died meanwhile: its successor need not wait for it. */
function sendWatched(
  { rpc, clock, isDead }: RouterOptions,
  node: NodeRef,
  envelope: RpcEnvelope,
): Promise<RpcOutcome | { readonly type: 'died' }> {
  return new Promise((resolve, reject) => {
    let timer = clock.after(unansweredMs, look)
    let isSettled = false
    function look(): void {
      isDead(node).then((died) => {
        if (died) settle({ type: 'died' })
        else if (!isSettled) timer = clock.after(watchAgainMs, look)
      }, reject)
    }
    function settle(outcome: RpcOutcome | { readonly type: 'died' }): void {
      isSettled = true
      timer.cancel()
      resolve(outcome)
    }
    void rpc.send(node.address, envelope).then(settle)
  })
}

/**
 * The node may be alive but unreachable by HTTP. A tell goes to its inbox; the receiver recognises its id where
 * it came both ways. An ask pauses and tries again.
 */
async function sendAnotherWay(
  options: RouterOptions,
  node: NodeRef,
  envelope: RpcEnvelope,
): Promise<RouteResult> {
  if (envelope.type === 'tell' && (await options.viaInbox(node, envelope))) return { type: 'accepted' }
  await pause(options.clock, betweenMs)
  return { type: 'moved' }
}

type Addressed = Pick<RoutedMessage, 'id' | 'mode' | 'message'> & { readonly kind: Addressee }

const toEnvelope = (node: NodeRef, routed: Addressed, deadlineMs: number): RpcEnvelope => ({
  v: 1,
  kind: routed.kind,
  id: routed.id,
  sid: node.sid,
  msgId: randomUUID(),
  type: routed.mode,
  deadlineMs,
  message: routed.message,
})
