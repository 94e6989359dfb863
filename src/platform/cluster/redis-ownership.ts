// The ownership directory in Redis. Concurrent claims share one script call.

import { Batcher } from '../../shared/batcher.ts'
import type { ActorKind } from '../actors/actor.ts'
import type { Claim, NodeRef, Ownership } from '../actors/ownership.ts'
import type { Redis } from '../redis/client.ts'
import { keys, ownerTtlMs } from '../redis/keys.ts'
import { runScript } from '../redis/run-script.ts'
import type { Registry } from './registry.ts'
import { scripts } from './scripts.ts'
import type { Stalls } from './stalls.ts'

const perScript = 100
const epochLingerMs = 50

export interface OwnershipParts {
  readonly redis: Redis
  readonly node: NodeRef
  readonly registry: Registry
  readonly stalls: Stalls
}

export function createRedisOwnership({ redis, node, registry, stalls }: OwnershipParts): Ownership {
  const claims: Readonly<Record<ActorKind, Batcher<string, Claim>>> = {
    call: claimBatcher(redis, node, 'call'),
    endpoint: claimBatcher(redis, node, 'endpoint'),
  }
  return {
    sid: node.sid,
    claim: (kind, id) => claims[kind].add(id).catch(() => ({ type: 'unavailable' })),
    recall: registry.recall,
    resumedAt: stalls.resumedAt,
    recordEpoch: epochRecorder(redis, node.sid),
    async release(kind, ids) {
      for (let from = 0; from < ids.length; from += perScript) {
        const owned = ids.slice(from, from + perScript).map((id) => keys.owner(kind, id))
        await runScript(redis, scripts.release, { keys: owned, args: [node.sid] }).catch(() => {})
      }
    },
  }
}

function claimBatcher(redis: Redis, node: NodeRef, kind: ActorKind): Batcher<string, Claim> {
  return new Batcher({
    maxItems: perScript,
    maxWaiting: 20_000,
    concurrency: 4,
    // Never throws: after an error the batcher would claim one by one, each with its own deadline.
    flush: async (ids) => {
      try {
        const replies = await runScript<string[][]>(redis, scripts.claim, {
          keys: [keys.session(node.sid), ...ids.map((id) => keys.owner(kind, id))],
          args: [node.sid, node.nodeId, ownerTtlMs[kind]],
        })
        return replies.map(toClaim)
      } catch {
        return ids.map(() => ({ type: 'unavailable' }))
      }
    },
  })
}

function toClaim([type, first = '', sid = '', address = '']: string[]): Claim {
  if (type === 'mine') return first === '' ? { type } : { type, deadSid: first }
  // An owner without an address has lost its node entry and is about to register again.
  if (type === 'theirs' && address !== '') return { type, owner: { nodeId: first, sid, address } }
  return { type: 'unavailable' }
}

function epochRecorder(redis: Redis, sid: string): Ownership['recordEpoch'] {
  let waiting: { readonly key: string; readonly epoch: number }[] = []
  const flush = () => {
    const batch = waiting
    waiting = []
    for (let from = 0; from < batch.length; from += perScript) {
      const part = batch.slice(from, from + perScript)
      const call = { keys: part.map(({ key }) => key), args: [sid, ...part.map(({ epoch }) => epoch)] }
      // For observers only: nothing waits for this value, and a later write replaces a lost one.
      runScript(redis, scripts.setEpoch, call).catch(() => {})
    }
  }
  return (kind, id, epoch) => {
    if (waiting.length === 0) setTimeout(flush, epochLingerMs).unref()
    waiting.push({ key: keys.owner(kind, id), epoch })
  }
}

/** The owner of an actor, without claiming it, or undefined. Rejects while Redis is unavailable. */
export async function locateOwner(redis: Redis, kind: ActorKind, id: string): Promise<NodeRef | undefined> {
  const call = { keys: [keys.owner(kind, id)], args: [] }
  const [nodeId, sid, address] = await runScript<string[]>(redis, scripts.locate, call)
  return nodeId && sid && address ? { nodeId, sid, address } : undefined
}
