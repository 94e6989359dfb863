// How many messages may be under way between processes. An ask of an endpoint lasts until its receiver has the call, up to
// DIRECT_TIMEOUT. One of a call, or with an update of one, lasts for a commit. So the slow ones have a share that leaves
// room for the others.

import type { ActorKind } from '../actors/actor.ts'
import type { RpcEnvelope } from './rpc-envelope.ts'

export type Share = 'tell' | ActorKind

export function shareOf({ type, kind }: Pick<RpcEnvelope, 'type' | 'kind'>): Share {
  if (type === 'tell') return type
  return kind === 'endpoint' ? kind : 'call'
}

/** From this process to one other. One slow endpoint has up to 512 calls that wait there, besides those sent. */
export const mostSent: Readonly<Record<Share, number>> = { tell: 256, call: 512, endpoint: 1_536 }

/** The requests of all others that the internal port takes at a time. */
export const mostRequests = 16_384
/** Of these, the asks of endpoints: about ten slow ones. */
export const mostEndpointAsks = mostRequests / 2
