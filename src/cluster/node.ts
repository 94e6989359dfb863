// Puts the parts together: a gateway process, which has actors, or a process that only talks to them.
import { randomUUID } from 'node:crypto'
import type { ActorKind } from '../actors/actor.ts'
import type { NodeRef, Ownership } from '../actors/ownership.ts'
import { closeRedis, type Redis, type RedisRole } from '../redis/client.ts'
import { pause } from '../shared/pause.ts'
import type { Envelope } from './envelope.ts'
import { startInbox } from './inbox.ts'
import { createPeer, type Peer, type PeerOptions, withConnections } from './peer.ts'
import { createReceiver, type LocalActors } from './receiver.ts'
import { createRedisOwnership } from './redis-ownership.ts'
import type { Registry } from './registry.ts'
import { createRpcHandler, type RpcRequest, type RpcResponse } from './rpc-handler.ts'
import { NodeSession } from './session.ts'

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
export interface ClusterClient extends Omit<Peer, 'rpc'> {
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
  return withConnections(options, ['commands', 'subscriber'], async (connections) => {
    const [redis, subscriber] = connections as [Redis, Redis]
    const { rpc, ...peer } = await createPeer(options, {
      redis,
      subscriber,
      actors: new Map(),
      reporter: 'client',
    })
    return {
      ...peer,
      async close() {
        await rpc.close()
        await Promise.all(connections.map(closeRedis))
      },
    }
  })
}

export async function startNode(options: NodeOptions): Promise<ClusterNode> {
  const roles: RedisRole[] = ['commands', 'subscriber', 'commands', 'blocking']
  return withConnections(options, roles, (connections) => assemble(options, connections))
}

async function assemble(options: NodeOptions, connections: Redis[]): Promise<ClusterNode> {
  const { clock } = options
  const [redis, subscriber, sessionRedis, reader] = connections as [Redis, Redis, Redis, Redis]
  const sid = randomUUID()
  // A new name for every start: an inbox never holds what was meant for the process before.
  const self: NodeRef = { nodeId: sid, sid, address: options.address }
  const actors = new Map<ActorKind, HostedActors>()
  const { rpc, ...peer } = await createPeer(options, { redis, subscriber, actors, reporter: sid })
  const receive = createReceiver({ sid, actors, clock })
  const session = await startSession(options, { redis: sessionRedis, node: self, actors })
  // What HTTP could not bring may be for an actor that has moved on: it goes after it, once.
  const take = async (envelope: Envelope) => {
    const { type } = await receive(envelope)
    if (type === 'theirs' || type === 'leaving')
      void peer.router.tell(envelope.kind, envelope.id, envelope.message)
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
      await Promise.all([stopInbox(), session.end(), rpc.close()])
      await Promise.all(connections.map(closeRedis))
    },
  }
}

interface SessionParts {
  readonly redis: Redis
  readonly node: NodeRef
  readonly actors: ReadonlyMap<ActorKind, HostedActors>
}

async function startSession(options: NodeOptions, parts: SessionParts): Promise<NodeSession> {
  const session = new NodeSession({
    redis: parts.redis,
    node: parts.node,
    version: options.version,
    clock: options.clock,
    ttlMs: options.sessionTtlMs,
    renewMs: options.sessionRenewMs,
    onLost: () => {
      for (const hosted of parts.actors.values()) hosted.reassert()
    },
    log: options.log,
  })
  await session.start()
  return session
}

// The wait keeps a rolling restart from moving actors twice, off the leaving node and again onto the new one, in the
// same moment. Without another live node there is nobody whose actors could move, and it protects nothing else: that
// two owners never act together rests on epochs and silence in Postgres, which do not know of it.
async function hasCompany(registry: Registry, sid: string): Promise<boolean> {
  const nodes = await registry.liveNodes().catch(() => [])
  return nodes.some((node) => node.sid !== sid)
}

function startReaper(registry: Registry, { clock, log }: NodeOptions): () => void {
  const step = () => {
    timer = clock.after(reapEveryMs * (0.5 + Math.random()), step)
    registry.reap().catch((error: unknown) => log.warn({ error: String(error) }, 'registry.not_reaped'))
  }
  let timer = clock.after(reapEveryMs * Math.random(), step)
  return () => timer.cancel()
}
