// Hands the provider's updates to the gateway that owns the endpoint of their number. What they begin then lives where it
// is delivered, and its events do not cross from one process to another. This only saves work: what is not taken there is
// applied here, and what may have been is applied here again, as if the provider had repeated it.

import type { UpdateOutcome } from '../../contract/inbound-elements.ts'
import type { ProviderUpdate } from '../../contract/provider-updates.ts'
import { orderKey } from '../../contract/update-order.ts'
import type { Clock } from '../../shared/clock.ts'
import type { EndpointId } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import { Lru } from '../../shared/lru.ts'
import type { AskResult } from '../actors/mailbox-entry.ts'
import type { NodeRef } from '../actors/ownership.ts'
import type { Addressee } from './rpc-envelope.ts'

/** About a number of ours. */
export type NumberUpdate = Extract<ProviderUpdate, { readonly phoneNumberId: string }>

/** From one gateway to another. It is for a process, not for an actor: the id beside it is that of the endpoint. */
export interface HandedUpdate<Update> {
  readonly type: 'apply'
  readonly update: Update
}

export interface UpdateRouter {
  lastKnown(kind: 'endpoint', id: string): NodeRef | undefined
  /** Never rejects. */
  askAt(
    owner: NodeRef,
    asked: {
      readonly kind: Addressee
      readonly id: string
      readonly message: HandedUpdate<unknown>
      readonly deadlineMs: number
    },
  ): Promise<AskResult>
}

/** What a process offers those who hand updates over and take them. */
export interface HandoverGround {
  readonly router: UpdateRouter
  /** Takes none while it joins, leaves or cannot reach Postgres. */
  readonly session: { readonly state: string }
  /** The endpoints that this process owns. */
  readonly endpoints: { has(id: string): boolean }
  /** Counts the updates that were applied here for another process. */
  readonly taken?: ((kind: string) => void) | undefined
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

export interface UpdateHandoverOptions<Update> extends HandoverGround {
  /** Who takes the updates in another process. */
  readonly kind: Addressee
  /** To one process. More at once show that it is busy: they are then applied here, which shares the work. */
  readonly mostUnderWay: number
  /** An update as it was before its way as JSON, on which dates have become texts. */
  readonly revive: (update: Update) => Update
}

export type Apply<Update> = (update: Update) => Promise<UpdateOutcome>

interface Peer {
  underWay: number
  answers: number
  leftAloneUntil: number
}

/** The answer to an update that was applied. */
interface Taken {
  readonly outcome: UpdateOutcome
  /** Where the events of the number go, or that they go nowhere; absent where that is not known. */
  readonly endpointId?: EndpointId | null | undefined
}

const maxNumbers = 10_000
const maxPeers = 128
/** Time for a commit. A process that is dead or stands still is given up sooner. */
const limitMs = 2_000
/** Where a process does not answer: it may be leaving, or of a version that takes no updates. */
const leftAloneMs = 5_000

export function createUpdateHandover<Update extends NumberUpdate>(options: UpdateHandoverOptions<Update>) {
  const { kind, router, endpoints, clock } = options
  /** The endpoint to which the events of a number go, by its id at the provider; null: to none. */
  const places = new Lru<EndpointId | null>(maxNumbers)
  const askPeer = createPeers(clock, options.mostUnderWay)
  const chains = createChains()

  /** Undefined: the update is to be applied here. What it begins here finds the present owner. */
  async function handOver(
    update: Update,
    id: EndpointId,
    follows: boolean,
  ): Promise<UpdateOutcome | undefined> {
    const owner = router.lastKnown('endpoint', id)
    if (!owner) return undefined
    const message = { type: 'apply', update } as const
    const asked = { kind, id, message, deadlineMs: limitMs }
    const result = await askPeer(owner, follows, () => router.askAt(owner, asked))
    if (result?.type !== 'answered') return undefined
    const answer = result.value as Taken | null
    if (answer === null) places.delete(update.phoneNumberId)
    else if (answer.endpointId !== undefined) places.set(update.phoneNumberId, answer.endpointId)
    return answer?.outcome
  }

  /** What follows on an update that is on its way goes the same way, or else waits for it. */
  async function follow(
    update: Update,
    { elsewhere, before }: { elsewhere: EndpointId | undefined; before: Promise<UpdateOutcome> | undefined },
    here: Apply<Update>,
  ): Promise<UpdateOutcome> {
    const outcome = elsewhere && (await handOver(update, elsewhere, before !== undefined))
    if (outcome) return outcome
    await before?.catch(() => undefined)
    return here(update)
  }

  return {
    /** The events of the number go to these endpoints, or to none. One that is here wants no handover. */
    noteEndpoints(phoneNumberId: string, ids: readonly EndpointId[]): void {
      const [least = null] = ids.length > 1 ? [...ids].sort() : ids
      const place = ids.find((id) => endpoints.has(id)) ?? least
      if (places.get(phoneNumberId) !== place) places.set(phoneNumberId, place)
    },
    /** Applies an update at the owner of the endpoint, or else by `here`. */
    through:
      (here: Apply<Update>): Apply<Update> =>
      (update) => {
        const id = places.get(update.phoneNumberId)
        const elsewhere = id && !endpoints.has(id) ? id : undefined
        // With one gateway nothing is ever on its way: what each text passes asks for no key.
        if (!elsewhere && chains.areNone()) return here(update)
        const key = orderKey(update)
        const before = chains.last(key)
        if (!elsewhere && !before) return here(update)
        return chains.add(key, follow(update, { elsewhere, before }, here))
      },
    /** What other processes ask of this one. */
    asked: (here: Apply<Update>) => createTaker(options, here, (phoneNumberId) => places.get(phoneNumberId)),
  }
}

/** There are no actors behind it. */
function createTaker<Update extends NumberUpdate>(
  { session, endpoints, taken, revive, log }: UpdateHandoverOptions<Update>,
  here: Apply<Update>,
  placeOf: (phoneNumberId: string) => EndpointId | null | undefined,
) {
  /** Null: not taken, and other updates may be. */
  async function take(id: string, update: Update): Promise<Taken | null> {
    if (!endpoints.has(id)) return null
    try {
      const outcome = await here(update)
      taken?.(update.type)
      return { outcome, endpointId: placeOf(update.phoneNumberId) }
    } catch (error) {
      log.warn({ endpointId: id, update: update.type, error: String(error) }, 'ingest.update_not_taken')
      return null
    }
  }

  return {
    ...{ isDraining: false, has: () => false, takes: (type: string) => type === 'apply' },
    ...{ repeats: () => false, reassert: () => {}, cutOff: () => {}, resume: () => {} },
    tell: async () => ({ type: 'unavailable' }) as const,
    async ask(id: string, { update }: HandedUpdate<Update>): Promise<AskResult> {
      if (session.state !== 'serving') return { type: 'leaving' }
      return { type: 'answered', value: await take(id, revive(update)) }
    },
  }
}

/** The last update of each key that is on its way. */
function createChains() {
  const last = new Map<string, Promise<UpdateOutcome>>()
  return {
    areNone: () => last.size === 0,
    last: (key: string) => last.get(key),
    add(key: string, applied: Promise<UpdateOutcome>): Promise<UpdateOutcome> {
      last.set(key, applied)
      const forget = () => {
        if (last.get(key) === applied) last.delete(key)
      }
      applied.then(forget, forget)
      return applied
    },
  }
}

/** Asks a process, unless it is busy or did not answer of late: then there is no result. */
function createPeers(clock: Clock, mostUnderWay: number) {
  const peers = new Lru<Peer>(maxPeers)
  const peerOf = ({ sid }: NodeRef): Peer => {
    const known = peers.get(sid)
    if (known) return known
    const peer = { underWay: 0, answers: 0, leftAloneUntil: Number.NEGATIVE_INFINITY }
    peers.set(sid, peer)
    return peer
  }
  return async (
    owner: NodeRef,
    follows: boolean,
    ask: () => Promise<AskResult>,
  ): Promise<AskResult | undefined> => {
    const peer = peerOf(owner)
    const isBusy = peer.underWay >= mostUnderWay && !follows
    if (isBusy || clock.mono() < peer.leftAloneUntil) return undefined
    peer.underWay += 1
    const { answers } = peer
    const result = await ask()
    peer.underWay -= 1
    if (result.type === 'answered') peer.answers += 1
    // It answered others meanwhile: this one alone has to wait there, for a lock.
    else if (peer.answers === answers) peer.leftAloneUntil = clock.mono() + leftAloneMs
    return result
  }
}
