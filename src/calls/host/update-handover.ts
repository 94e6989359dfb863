// Hands the provider's updates of inbound calls to the gateway that owns the endpoint of their number. The call then lives
// where it rings, and neither its ring nor its statuses cross from one process to another. This only saves work: what is
// not taken there is applied here, and what may have been is applied here again, as if the provider had repeated it.

import type { UpdateOutcome } from '../../contract/inbound-elements.ts'
import type { CallConnectUpdate, CallTerminateUpdate } from '../../contract/provider-updates.ts'
import type { AskResult } from '../../platform/actors/mailbox-entry.ts'
import type { NodeRef } from '../../platform/actors/ownership.ts'
import type { Clock } from '../../shared/clock.ts'
import type { EndpointId } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import { Lru } from '../../shared/lru.ts'
import type { ApplyCallUpdate, CallUpdate } from '../apply-call-update.ts'

type InboundUpdate = CallConnectUpdate | CallTerminateUpdate

/** From one gateway to another. It is for a process, not for an actor: the id beside it is that of the endpoint. */
export interface HandedUpdate {
  readonly type: 'apply'
  readonly update: InboundUpdate
}

export interface UpdateRouter {
  lastKnown(kind: 'endpoint', id: string): NodeRef | undefined
  /** Never rejects. */
  askAt(
    owner: NodeRef,
    asked: {
      readonly kind: 'callUpdates'
      readonly id: string
      readonly message: HandedUpdate
      readonly deadlineMs: number
    },
  ): Promise<AskResult>
}

export interface UpdateHandoverOptions {
  readonly router: UpdateRouter
  /** Takes no calls while it joins, leaves or cannot reach Postgres. */
  readonly session: { readonly state: string }
  /** The endpoints that this process owns. */
  readonly endpoints: { has(id: string): boolean }
  /** This process has begun or heard of the call: whoever owns it now is found from here. */
  readonly isKnown: (wacid: string) => boolean
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

interface Peer {
  underWay: number
  leftAloneUntil: number
}

/** The answer to an update that was applied. */
interface Taken {
  readonly outcome: UpdateOutcome
  /** Where the calls of the number ring, or that they ring nowhere; only with a connect. */
  readonly endpointId?: EndpointId | null
}

const maxNumbers = 10_000
const maxPeers = 128
/** To one process. More at once show that it is busy: calls then begin here, which shares the work. */
const mostUnderWay = 8
/** Time for a commit. A process that is dead or stands still is given up sooner. */
const limitMs = 2_000
/** Where a process does not answer: it may be leaving, or of a version that takes no updates. */
const leftAloneMs = 5_000

export function createUpdateHandover(options: UpdateHandoverOptions) {
  const { router, session, endpoints, isKnown, clock, log } = options
  /** The endpoints at which the calls of a number ring, by its id at the provider. */
  const rings = new Lru<EndpointId>(maxNumbers)
  const askPeer = createPeers(clock)

  function noteEndpoint(phoneNumberId: string, endpointId: EndpointId | null): void {
    if (endpointId === null) rings.delete(phoneNumberId)
    else rings.set(phoneNumberId, endpointId)
  }

  /** Undefined: the update is to be applied here. The ring of a call that begins here finds the present owner. */
  async function handOver(update: InboundUpdate): Promise<UpdateOutcome | undefined> {
    const id = rings.get(update.phoneNumberId)
    if (!id || endpoints.has(id)) return undefined
    const owner = router.lastKnown('endpoint', id)
    if (!owner) return undefined
    const message = { type: 'apply', update } as const
    const asked = { kind: 'callUpdates', id, message, deadlineMs: limitMs } as const
    const result = await askPeer(owner, () => router.askAt(owner, asked))
    if (result?.type !== 'answered') return undefined
    const taken = result.value as Taken | null
    if (taken?.endpointId !== undefined) noteEndpoint(update.phoneNumberId, taken.endpointId)
    return taken?.outcome
  }

  /** Null: not taken, and other updates may be. */
  async function take(id: string, update: InboundUpdate, here: ApplyCallUpdate): Promise<Taken | null> {
    if (!endpoints.has(id)) return null
    try {
      const outcome = await here(update)
      if (update.type !== 'callConnect') return { outcome }
      return { outcome, endpointId: rings.get(update.phoneNumberId) ?? null }
    } catch (error) {
      log.warn({ endpointId: id, update: update.type, error: String(error) }, 'call.update_not_taken')
      return null
    }
  }

  return {
    /** The calls of the number ring at this endpoint, or at none. */
    noteEndpoint,
    /** Applies an update at the owner of the endpoint, or else by `here`. */
    through:
      (here: ApplyCallUpdate): ApplyCallUpdate =>
      async (update) => {
        if (!isInbound(update) || isKnown(update.wacid)) return here(update)
        return (await handOver(update)) ?? here(update)
      },
    /** What other processes ask of this one. There are no actors behind it. */
    asked: (here: ApplyCallUpdate) => ({
      ...{ isDraining: false, has: () => false, takes: (type: string) => type === 'apply' },
      ...{ repeats: () => false, reassert: () => {}, cutOff: () => {}, resume: () => {} },
      tell: async () => ({ type: 'unavailable' }) as const,
      async ask(id: string, { update }: HandedUpdate): Promise<AskResult> {
        if (session.state !== 'serving') return { type: 'leaving' }
        return { type: 'answered', value: await take(id, withDates(update), here) }
      },
    }),
  }
}

/** Asks a process, unless it is busy or did not answer of late: then there is no result. */
function createPeers(clock: Clock) {
  const peers = new Lru<Peer>(maxPeers)
  const peerOf = ({ sid }: NodeRef): Peer => {
    const peer = peers.get(sid) ?? { underWay: 0, leftAloneUntil: Number.NEGATIVE_INFINITY }
    peers.set(sid, peer)
    return peer
  }
  return async (owner: NodeRef, ask: () => Promise<AskResult>): Promise<AskResult | undefined> => {
    const peer = peerOf(owner)
    if (peer.underWay >= mostUnderWay || clock.mono() < peer.leftAloneUntil) return undefined
    peer.underWay += 1
    const result = await ask()
    peer.underWay -= 1
    if (result.type !== 'answered') peer.leftAloneUntil = clock.mono() + leftAloneMs
    return result
  }
}

/** Placed calls live in the gateway that placed them. */
const isInbound = (update: CallUpdate): update is InboundUpdate =>
  update.type !== 'callStatus' && update.direction === 'INBOUND'

/** On the way, as JSON, dates have become texts. */
function withDates(update: InboundUpdate): InboundUpdate {
  const at = new Date(update.at)
  if (update.type === 'callConnect') return { ...update, at }
  return { ...update, at, startedAt: dateOf(update.startedAt), endedAt: dateOf(update.endedAt) }
}

const dateOf = (date: Date | null): Date | null => date && new Date(date)
