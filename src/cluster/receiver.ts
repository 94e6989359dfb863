// What comes from other processes, by whichever way, goes to the actors of this one. Forwards nothing.
import type { ActorKind } from '../actors/actor.ts'
import type { AskResult, TellResult } from '../actors/letter.ts'
import type { Clock } from '../shared/clock.ts'
import type { Envelope } from './envelope.ts'
import { RecentIds } from './recent-ids.ts'

/** The actors of one kind in this process; ActorDirectory is one. */
export interface LocalActors {
  has(id: string): boolean
  readonly isDraining: boolean
  tell(id: string, message: { readonly type: string }): Promise<TellResult>
  ask(id: string, message: { readonly type: string }, deadlineMs: number): Promise<AskResult>
}

export type ActorsByKind = ReadonlyMap<ActorKind, LocalActors>

export type Received =
  | TellResult
  | AskResult
  /** It was meant for a former process at this address. */
  | { readonly type: 'restarted' }
  /** No such kind of actor here: the sender runs another version. */
  | { readonly type: 'unknown' }

export type Receive = (envelope: Envelope) => Promise<Received>

export interface ReceiverOptions {
  readonly sid: string
  readonly actors: ActorsByKind
  readonly clock: Clock
}

export function createReceiver({ sid, actors, clock }: ReceiverOptions): Receive {
  const recent = new RecentIds(clock)
  return async (envelope) => {
    const kind = actors.get(envelope.kind)
    if (envelope.sid !== sid) return { type: 'restarted' }
    if (!kind) return { type: 'unknown' }
    if (!recent.add(envelope.msgId)) return repeated(envelope)
    const result = await hand(kind, envelope)
    // What was refused may come again.
    if (!wasTaken(result)) recent.delete(envelope.msgId)
    return result
  }
}

const wasTaken = ({ type }: Received): boolean => ['accepted', 'answered', 'timedOut'].includes(type)

// The answer to a repeated ask has gone the other way.
const repeated = ({ type }: Envelope): Received => ({ type: type === 'tell' ? 'accepted' : 'unavailable' })

function hand(kind: LocalActors, { id, type, message, deadlineMs }: Envelope): Promise<Received> {
  return type === 'tell' ? kind.tell(id, message) : kind.ask(id, message, deadlineMs)
}
