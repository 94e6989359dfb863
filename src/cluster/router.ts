// Gets a message to its actor, wherever that lives: here, at the node that has it, or where it is activated now.
import { randomUUID } from 'node:crypto'
import type { ActorKind } from '../actors/actor.ts'
import type { AskResult, TellResult } from '../actors/letter.ts'
import type { NodeRef } from '../actors/ownership.ts'
import type { Clock } from '../shared/clock.ts'
import { pause } from '../shared/pause.ts'
import type { Envelope } from './envelope.ts'
import { Lanes } from './lanes.ts'
import { LocationCache } from './location-cache.ts'
import type { ActorsByKind, LocalActors } from './receiver.ts'
import type { RpcClient } from './rpc-client.ts'

type Message = { readonly type: string }

export interface Router {
  /** Tells from this process to one actor keep their order. `accepted`: in the mailbox of its owner. */
  tell(kind: ActorKind, id: string, message: Message): Promise<TellResult>
  ask(kind: ActorKind, id: string, message: Message, deadlineMs: number): Promise<AskResult>
}

export interface RouterOptions {
  /** The actors of this process; empty in one that owns none. */
  readonly actors: ActorsByKind
  readonly rpc: RpcClient
  readonly clock: Clock
  /** Who owns the actor, or else who shall take it. Undefined: nobody can be found. */
  readonly locate: (kind: ActorKind, id: string) => Promise<NodeRef | undefined>
  /** The second way. False: the session of that node is gone. Rejects while Redis is away. */
  readonly viaInbox: (node: NodeRef, envelope: Envelope) => Promise<boolean>
  /** After a refused connection: is its process gone for certain? */
  readonly isDead: (node: NodeRef) => Promise<boolean>
}

interface Parcel {
  readonly key: string
  readonly kind: ActorKind
  readonly id: string
  readonly mode: Envelope['type']
  readonly message: Message
  readonly deadlineAt: number
}

/** What a hop may end with. `moved`: it did not arrive, and must be looked for again. */
type Hop = TellResult | AskResult | { readonly type: 'moved' }

const tellPatienceMs = 5_000
/** So many hops at once, for an actor that moves while it is looked for; then it is given time. */
const hopsAtOnce = 3
const betweenMs = 100

export function createRouter(options: RouterOptions): Router {
  const { actors, clock } = options
  const locations = new LocationCache(clock)
  const lanes = new Lanes()
  const travel = createTravel(options, locations)

  return {
    async tell(kind, id, message) {
      const key = `${kind}:${id}`
      const here = actors.get(kind)
      if (here?.has(id) && !lanes.has(key)) {
        const result = await here.tell(id, message)
        if (!isElsewhere(result)) return result
      }
      return lanes.add(key, () => {
        const deadlineAt = clock.mono() + tellPatienceMs
        return travel({ key, kind, id, mode: 'tell', message, deadlineAt }) as Promise<TellResult>
      })
    },
    ask(kind, id, message, deadlineMs) {
      const deadlineAt = clock.mono() + deadlineMs
      const parcel = { key: `${kind}:${id}`, kind, id, mode: 'ask' as const, message, deadlineAt }
      return travel(parcel) as Promise<AskResult>
    },
  }
}

/** It was not taken, and another node may have the actor. */
type Elsewhere = Extract<Hop, { readonly type: 'theirs' | 'leaving' | 'moved' }>

const isElsewhere = (hop: Hop): hop is Elsewhere => ['theirs', 'leaving', 'moved'].includes(hop.type)

/** Goes after the actor until it is found or the deadline has passed. Never rejects. */
function createTravel(options: RouterOptions, locations: LocationCache) {
  const { clock } = options
  const hop = createHop(options, locations)
  const learn = (key: string, elsewhere: Elsewhere) => {
    if (elsewhere.type === 'theirs') locations.set(key, elsewhere.owner)
    else locations.delete(key)
  }
  return async (parcel: Parcel): Promise<TellResult | AskResult> => {
    for (let hops = 1; clock.mono() < parcel.deadlineAt; hops += 1) {
      const result = await hop(parcel).catch((): Hop => ({ type: 'unavailable' }))
      if (!isElsewhere(result)) return result
      learn(parcel.key, result)
      // A node that is leaving gives its actors back within moments.
      if (result.type === 'leaving' || hops % hopsAtOnce === 0) await pause(clock, betweenMs)
    }
    return { type: parcel.mode === 'ask' ? 'timedOut' : 'unavailable' }
  }
}

function createHop(options: RouterOptions, locations: LocationCache): (parcel: Parcel) => Promise<Hop> {
  const { actors, clock, locate } = options
  const deliver = createDelivery(options)
  return async (parcel) => {
    const here = actors.get(parcel.kind)
    if (here?.has(parcel.id)) return hand(here, parcel, clock)
    const known = locations.get(parcel.key)
    if (known) return deliver(known, parcel)
    // Claims only through the directory of this process, which does so when it is told; never while it is leaving.
    if (here && !here.isDraining) return hand(here, parcel, clock)
    const node = await locate(parcel.kind, parcel.id)
    if (!node) return { type: 'unavailable' }
    locations.set(parcel.key, node)
    return deliver(node, parcel)
  }
}

const hand = (here: LocalActors, { mode, id, message, deadlineAt }: Parcel, clock: Clock): Promise<Hop> =>
  mode === 'tell' ? here.tell(id, message) : here.ask(id, message, deadlineAt - clock.mono())

function createDelivery(options: RouterOptions) {
  const { rpc, clock } = options
  return async (node: NodeRef, parcel: Parcel): Promise<Hop> => {
    const envelope = toEnvelope(node, parcel, parcel.deadlineAt - clock.mono())
    const outcome = await rpc.send(node.address, envelope)
    switch (outcome.type) {
      case 'restarted':
        return { type: 'moved' }
      case 'unknown':
        return { type: 'unavailable' }
      case 'refused':
        if (await options.isDead(node)) return { type: 'moved' }
        return unheard(options, node, envelope)
      case 'unreached':
        return unheard(options, node, envelope)
      case 'lost':
        // It may have been acted on. A tell that comes twice is known by its id; an ask is its asker's to repeat.
        if (envelope.type === 'tell') return unheard(options, node, envelope)
        return { type: clock.mono() < parcel.deadlineAt ? 'unavailable' : 'timedOut' }
      default:
        return outcome
    }
  }
}

/** The node may live without being reached by HTTP: a tell takes the other way, an ask waits for a better moment. */
async function unheard(options: RouterOptions, node: NodeRef, envelope: Envelope): Promise<Hop> {
  if (envelope.type === 'tell' && (await options.viaInbox(node, envelope))) return { type: 'accepted' }
  await pause(options.clock, betweenMs)
  return { type: 'moved' }
}

const toEnvelope = (node: NodeRef, parcel: Parcel, deadlineMs: number): Envelope => ({
  v: 1,
  kind: parcel.kind,
  id: parcel.id,
  sid: node.sid,
  msgId: randomUUID(),
  type: parcel.mode,
  deadlineMs,
  message: parcel.message,
})
