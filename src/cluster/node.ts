// Puts the parts together: a gateway process, which has actors, or a process that only talks to them.
import { randomUUID } from 'node:crypto'
import type { ActorKind } from '../actors/actor.ts'
import type { NodeRef, Ownership } from '../actors/ownership.ts'
import { pause } from '../actors/timed.ts'
import { bounded, closeRedis, connectRedis, type Redis, type RedisRole } from '../redis/client.ts'
import { type Hints, startHints } from '../redis/hints.ts'
import { keys } from '../redis/keys.ts'
import type { Clock } from '../shared/clock.ts'
import type { Envelope } from './envelope.ts'
import { sendToInbox, startInbox } from './inbox.ts'
import { createObituaries } from './obituaries.ts'
import { createReceiver, type LocalActors } from './receiver.ts'
import { createRedisOwnership, locateOwner } from './redis-ownership.ts'
import { createRegistry, type Registry, rendezvous } from './registry.ts'
import { createRouter, type Router } from './router.ts'
import { createRpcClient, type RpcClient } from './rpc-client.ts'
import { createRpcHandler, type RpcRequest, type RpcResponse } from './rpc-handler.ts'
import { declareDead, NodeSession, type SessionLog } from './session.ts'

export interface PeerOptions {
  readonly redisUrl: string
  /** CLUSTER_SECRET. */
  readonly secret: string
  /** FAST_DEATH. */
  readonly isFastDeathEnabled: boolean
  readonly clock: Clock
  readonly log: SessionLog
}

export interface NodeOptions extends PeerOptions {
  /** Base URL under which the others reach `handleRpc`. */
  readonly address: string
  readonly version: string
  /** SESSION_TTL, SESSION_RENEW. */
  readonly sessionTtlMs: number
  readonly sessionRenewMs: number
  /** How long a process waits before it serves, so that a rolling restart separates stop and start; default 3 s. */
  readonly joinWaitMs?: number
}

/** The actors of one kind as the node needs them; ActorDirectory is one. */
export interface HostedActors extends LocalActors {
  reassert(): void
}

/** A process that sends messages to actors and has none. */
export interface ClusterClient {
  readonly router: Router
  readonly registry: Registry
  readonly hints: Hints
  /** The command connection, for whatever else needs Redis. */
  readonly redis: Redis
  close(): Promise<void>
}

export interface ClusterNode extends ClusterClient {
  readonly self: NodeRef
  readonly session: NodeSession
  readonly ownership: Ownership
  /** Makes actors reachable, from here and from others; before `serve`. */
  host(kind: ActorKind, actors: HostedActors): void
  /** Answers the internal port. */
  handleRpc(request: RpcRequest): Promise<RpcResponse>
  /** Joins, and resolves when this process may be given actors. */
  serve(): Promise<void>
  /** Nothing new is placed here; drain the directories next. `serve` takes it back. */
  leave(): Promise<void>
}

const defaultJoinWaitMs = 3_000
const reapEveryMs = 600_000

export async function startClient(options: PeerOptions): Promise<ClusterClient> {
  const connections = await openConnections(options, ['commands', 'subscriber'])
  const [redis, subscriber] = connections as [Redis, Redis]
  const peer = await createPeer(options, { redis, subscriber, actors: new Map(), reporter: 'worker' })
  return {
    ...peer,
    async close() {
      await peer.rpc.close()
      await Promise.all(connections.map(closeRedis))
    },
  }
}

export async function startNode(options: NodeOptions): Promise<ClusterNode> {
  const { clock, log } = options
  const sid = randomUUID()
  // A new name for every start: an inbox never holds what was meant for the process before.
  const self: NodeRef = { nodeId: sid, sid, address: options.address }
  const roles: RedisRole[] = ['commands', 'subscriber', 'commands', 'blocking']
  const connections = await openConnections(options, roles)
  const [redis, subscriber, sessionRedis, reader] = connections as [Redis, Redis, Redis, Redis]
  const actors = new Map<ActorKind, HostedActors>()
  const peer = await createPeer(options, { redis, subscriber, actors, reporter: sid })
  const receive = createReceiver({ sid, actors, clock })
  const session = new NodeSession({
    redis: sessionRedis,
    node: self,
    version: options.version,
    clock,
    ttlMs: options.sessionTtlMs,
    renewMs: options.sessionRenewMs,
    onLost: () => {
      for (const hosted of actors.values()) hosted.reassert()
    },
    log,
  })
  await session.start()

  // What HTTP could not bring may be for an actor that has moved on: it goes after it, once.
  const take = async (envelope: Envelope) => {
    const received = await receive(envelope)
    if (received.type === 'theirs') void peer.router.tell(envelope.kind, envelope.id, envelope.message)
  }
  const stopInbox = startInbox({ reader, commands: redis, nodeId: self.nodeId, clock, receive: take })
  const stopReaper = startReaper(peer.registry, options)

  return {
    ...peer,
    self,
    session,
    ownership: createRedisOwnership(redis, self),
    host: (kind, hosted) => void actors.set(kind, hosted),
    handleRpc: createRpcHandler({ secret: options.secret, clock, receive }),
    async serve() {
      if (await hasCompany(peer.registry, sid)) await pause(clock, options.joinWaitMs ?? defaultJoinWaitMs)
      await session.enter('serving')
    },
    leave: () => session.enter('draining'),
    async close() {
      stopReaper()
      await Promise.all([stopInbox(), session.end(), peer.rpc.close()])
      await Promise.all(connections.map(closeRedis))
    },
  }
}

// The wait keeps a rolling restart from moving actors twice, off the leaving node and again onto the new one, in the
// same moment. Without another live node there is nobody whose actors could move, and it protects nothing else: that
// two owners never act together rests on epochs and silence in Postgres, which do not know of it.
async function hasCompany(registry: Registry, sid: string): Promise<boolean> {
  const nodes = await registry.liveNodes().catch(() => [])
  return nodes.some((node) => node.sid !== sid)
}

async function openConnections(options: PeerOptions, roles: RedisRole[]): Promise<Redis[]> {
  const onError = (error: Error, role: RedisRole) =>
    options.log.warn({ role, error: String(error) }, 'redis.connection_failed')
  const opened = await Promise.allSettled(
    roles.map((role) => connectRedis({ url: options.redisUrl, role, onError })),
  )
  const connections = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failed = opened.find((result) => result.status === 'rejected')
  if (!failed) return connections
  await Promise.all(connections.map(closeRedis))
  throw failed.reason
}

interface PeerParts {
  readonly redis: Redis
  readonly subscriber: Redis
  readonly actors: ReadonlyMap<ActorKind, LocalActors>
  readonly reporter: string
}

type Peer = Omit<ClusterClient, 'close'> & { readonly rpc: RpcClient }

async function createPeer(options: PeerOptions, parts: PeerParts): Promise<Peer> {
  const { clock, log } = options
  const { redis, actors } = parts
  const registry = createRegistry(redis, clock)
  const rpc = createRpcClient({ secret: options.secret, clock })
  const router = createRouter({
    actors,
    rpc,
    clock,
    async locate(kind, id) {
      const owner = await locateOwner(redis, kind, id)
      return owner ?? rendezvous(await registry.liveNodes(), `${kind}:${id}`)[0]
    },
    async viaInbox(node, envelope) {
      if ((await bounded(redis.exists(keys.session(node.sid)))) === 0) return false
      await sendToInbox(redis, node.nodeId, envelope, clock.now())
      return true
    },
    isDead: createObituaries({
      clock,
      isEnabled: options.isFastDeathEnabled,
      isRefusing: rpc.isRefusing,
      declareDead: (sid) => declareDead(redis, sid, parts.reporter),
      onDeath: (node) => log.warn({ ...node }, 'session.declared_dead'),
    }),
  })
  return { router, registry, rpc, redis, hints: await startHints(redis, parts.subscriber) }
}

function startReaper(registry: Registry, { clock, log }: NodeOptions): () => void {
  const step = () => {
    timer = clock.after(reapEveryMs * (0.5 + Math.random()), step)
    registry.reap().catch((error: unknown) => log.warn({ error: String(error) }, 'registry.not_reaped'))
  }
  let timer = clock.after(reapEveryMs * Math.random(), step)
  return () => timer.cancel()
}
