// The parts of every cluster process, with or without actors: connections, router, registry, hints.

import { hostname } from 'node:os'
import type { Clock } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'
import { pause } from '../../shared/pause.ts'
import { bounded, closeRedis, connectRedis, type Redis, type RedisRole } from '../redis/client.ts'
import { type Hints, startHints } from '../redis/hints.ts'
import { keys } from '../redis/keys.ts'
import { createDeathDetector } from './death-detector.ts'
import { sendToInbox } from './inbox.ts'
import type { ActorsByKind } from './receiver.ts'
import { locateOwner } from './redis-ownership.ts'
import { createRegistry, type NodeEntry, type Registry, rendezvous } from './registry.ts'
import { createRouter, type Router } from './router.ts'
import { createRpcClient, probeMs, type RpcClient } from './rpc-client.ts'
import type { ClusterSecrets } from './rpc-envelope.ts'
import { declareDead, sinceRenewal } from './session.ts'
import type { Stalls } from './stalls.ts'

export interface PeerOptions {
  readonly redisUrl: string
  readonly secrets: ClusterSecrets
  /** The setting FAST_DEATH. */
  readonly isFastDeathEnabled: boolean
  /** The settings SESSION_TTL and SESSION_RENEW. */
  readonly sessionTtlMs: number
  readonly sessionRenewMs: number
  /** The name of this host; the system's unless given. */
  readonly host?: string
  readonly clock: Clock
  readonly log: Log
}

/** The name under which a gateway registers its host, and by which it knows the others of it. */
export const hostOf = ({ host = hostname() }: PeerOptions): string => host

/** Opens one connection per role. Closes them when `start` fails. */
export async function withConnections<T>(
  options: PeerOptions,
  roles: readonly RedisRole[],
  start: (connections: Redis[]) => Promise<T>,
): Promise<T> {
  const onError = (error: Error, role: RedisRole) =>
    options.log.warn({ role, error: String(error) }, 'redis.connection_failed')
  const opening = roles.map((role) => connectRedis({ url: options.redisUrl, role, onError }))
  try {
    return await start(await Promise.all(opening))
  } catch (error) {
    for (const result of await Promise.allSettled(opening))
      if (result.status === 'fulfilled') await closeRedis(result.value)
    throw error
  }
}

export interface PeerParts {
  readonly redis: Redis
  readonly subscriber: Redis
  readonly actors: ActorsByKind
  readonly reporter: string
  readonly stalls: Stalls
}

export interface Peer {
  readonly router: Router
  readonly registry: Registry
  readonly hints: Hints
  /** The command connection, for other users of Redis. */
  readonly redis: Redis
  readonly rpc: RpcClient
}

const unreached = Promise.resolve({ type: 'unreached' } as const)

export async function createPeer(options: PeerOptions, parts: PeerParts): Promise<Peer> {
  const { clock, log } = options
  const { redis, actors, stalls } = parts
  const registry = createRegistry(redis, clock, {
    host: hostOf(options),
    onOutOfReach: ({ sid, address, host }) =>
      log.warn(
        { sid, address, host, remedy: 'set INTERNAL_HOST there to an address that the other hosts reach' },
        'cluster.gateway_out_of_reach',
      ),
  })
  const rpc = createRpcClient({
    ...{ secrets: options.secrets, clock },
    onUnsealed: (address) => log.warn({ address }, 'cluster.seal_not_accepted'),
  })
  const router = createRouter({
    actors,
    rpc: {
      // At such an address another process listens, or none: what it says would be taken for the end of the right one.
      send: (address, envelope) =>
        registry.isOutOfReach(envelope.sid) ? unreached : rpc.send(address, envelope),
    },
    clock,
    async locate(kind, id) {
      const place = (nodes: readonly NodeEntry[]) => rendezvous(nodes, `${kind}:${id}`)[0]
      const located = locateOwner(redis, kind, id)
      // Without Redis any gateway finds the owner in Postgres.
      return located.then(
        async (owner) => owner ?? place(await registry.liveNodes()),
        () => place(registry.lastNodes()),
      )
    },
    async viaInbox(node, envelope) {
      if ((await bounded(redis.exists(keys.session(node.sid)))) === 0) return false
      await sendToInbox(redis, node.nodeId, envelope, { secrets: options.secrets, nowMs: clock.now() })
      return true
    },
    isDead: createDeathDetector({
      clock,
      isEnabled: options.isFastDeathEnabled,
      hasEnded: async (sid) => (await bounded(redis.exists(keys.dead(sid)))) === 1,
      sessionTtlMs: options.sessionTtlMs,
      sessionRenewMs: options.sessionRenewMs,
      async probe({ sid, address }) {
        if (!registry.isOutOfReach(sid)) return rpc.probe(address)
        // Silence takes its time: the detector asks again at once.
        await pause(clock, probeMs)
        return 'silent'
      },
      sinceRenewal: (node) => sinceRenewal(redis, node),
      isSluggish: stalls.isSluggish,
      async onDeath(node, how) {
        log.warn({ ...node, how }, 'session.declared_dead')
        registry.noteGone(node.sid, how === 'expired' ? how : 'ended')
        if (how !== 'expired') await declareDead(redis, node.sid, parts.reporter).catch(() => false)
      },
    }),
  })
  return { router, registry, rpc, redis, hints: await startHints(redis, parts.subscriber) }
}
