// Passes messages from other processes, over the internal port or the inbox, to local actors. Never forwards them.

import type { Clock } from '../../shared/clock.ts'
import type { AskResult, TellResult } from '../actors/mailbox-entry.ts'
import { RecentIds } from './recent-ids.ts'
import type { Refused, Way } from './refusals.ts'
import { mostEndpointAsks, shareOf } from './room.ts'
import type { Addressee, RpcEnvelope } from './rpc-envelope.ts'

/** The actors of one kind in this process. ActorDirectory implements it. */
export interface LocalActors {
  has(id: string): boolean
  readonly isDraining: boolean
  /** False: only the actor itself posts such messages, so one from another process is refused. */
  takes(type: string): boolean
  /** True for asks that may be handled twice, by two owners. */
  repeats(type: string): boolean
  tell(id: string, message: { readonly type: string }): Promise<TellResult>
  ask(id: string, message: { readonly type: string }, deadlineMs: number): Promise<AskResult>
}

export type ActorsByKind = ReadonlyMap<Addressee, LocalActors>

export type Received =
  | TellResult
  | AskResult
  /** The message was for a former process at this address. */
  | { readonly type: 'restarted' }
  /** No such kind of actor here, or it takes no such message from others: the sender runs another version. */
  | { readonly type: 'unknown' }

export type Receive = (envelope: RpcEnvelope, way: Way) => Promise<Received>

export interface ReceiverOptions {
  readonly sid: string
  readonly actors: ActorsByKind
  readonly clock: Clock
  readonly refused: Refused
}

export function createReceiver({ sid, actors, clock, refused }: ReceiverOptions): Receive {
  const recent = new RecentIds(clock)
  let endpointAsks = 0

  async function hand(kind: LocalActors, envelope: RpcEnvelope): Promise<Received> {
    const { id, type, message, deadlineMs } = envelope
    if (type === 'tell') return kind.tell(id, message)
    if (shareOf(envelope) !== 'endpoint') return kind.ask(id, message, deadlineMs)
    if (endpointAsks >= mostEndpointAsks) return { type: 'full' }
    endpointAsks += 1
    try {
      return await kind.ask(id, message, deadlineMs)
    } finally {
      endpointAsks -= 1
    }
  }

  /** What was taken and has no outcome yet: a copy of it gets that outcome, too. */
  const underWay = new Map<string, Promise<Received>>()

  return async (envelope, way) => {
    const kind = actors.get(envelope.kind)
    if (envelope.sid !== sid) return { type: 'restarted' }
    if (!kind) return { type: 'unknown' }
    if (!kind.takes(envelope.message.type)) {
      refused(way, 'internal')
      return { type: 'unknown' }
    }
    const { msgId } = envelope
    if (!recent.add(msgId)) return underWay.get(msgId) ?? repeated(envelope)
    const handed = hand(kind, envelope)
    underWay.set(msgId, handed)
    try {
      const result = await handed
      // A refused message may be sent again with the same id.
      if (!wasTaken(result)) recent.delete(msgId)
      return result
    } finally {
      underWay.delete(msgId)
    }
  }
}

const wasTaken = ({ type }: Received): boolean => ['accepted', 'answered', 'timedOut'].includes(type)

// The answer to a repeated ask goes to its first copy.
const repeated = ({ type }: RpcEnvelope): Received => ({ type: type === 'tell' ? 'accepted' : 'unavailable' })
