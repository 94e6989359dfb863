// Assembles a cluster process: a gateway, which hosts actors, or a client, which only sends them messages.
import { randomUUID } from 'node:crypto'
import { pause } from '../../shared/pause.ts'
import type { NodeRef, Ownership } from '../actors/ownership.ts'
import { closeRedis, type Redis, type RedisRole } from '../redis/client.ts'
import { leaveWhileCutOff } from './cut-off.ts'
import { sendToInbox, startInbox } from './inbox.ts'
import { createPeer, hostOf, type Peer, type PeerOptions, withConnections } from './peer.ts'
import { createReceiver, type LocalActors } from './receiver.ts'
import { createRedisOwnership } from './redis-ownership.ts'
import { createRefusals, type Refused } from './refusals.ts'
import type { Registry } from './registry.ts'
import type { Addressee, RpcEnvelope } from './rpc-envelope.ts'
import {
  createRpcHandler,
  createRpcUpgrade,
  type RpcRequest,
  type RpcResponse,
  type UpgradeRpc,
} from './rpc-handler.ts'
import { startSelfPing } from './self-ping.ts'
import { NodeSession } from './session.ts'
import { watchStalls } from './stalls.ts'

export interface NodeOptions extends PeerOptions {
  /** Base URL under which other processes reach `handleRpc`. */
  readonly address: string
  readonly version: string
  /** Wait before serving, so that a rolling restart separates stop and start. Default 3 s. */
  readonly joinWaitMs?: number
  /** Milliseconds since Postgres last answered this process; 0: it does. */
  readonly postgresAwayMs?: () => number
  /** Counts the messages from others that this process refuses. */
  readonly onRefused?: Refused
}

/** The actors of one kind in this process. ActorDirectory implements it. */
export interface HostedActors extends LocalActors {
  reassert(): void
  cutOff(): void
  resume(): void
}

/** A process that sends messages to actors but hosts none. */
export interface ClusterClient extends Omit<Peer, 'rpc'> {
  close(): Promise<void>
}

export interface ClusterNode extends ClusterClient {
  readonly self: NodeRef
  readonly session: NodeSession
  readonly ownership: Ownership
  /** Makes actors reachable from this and other processes. Call it before `serve`. */
  host(kind: Addressee, actors: HostedActors): void
  /** Handles requests on the internal port. */
  handleRpc(request: RpcRequest): Promise<RpcResponse>
  /** Opens the sockets of the internal port: see rpcSockets. */
  readonly upgradeRpc: UpgradeRpc
  /** Joins the cluster. Resolves when this process may get actors. */
  serve(): Promise<void>
  /** Stops the placement of new actors here. Drain the directories next. `serve` reverts it. */
  leave(): Promise<void>
}

const defaultJoinWaitMs = 3_000
const reapEveryMs = 600_000
const knowEveryMs = 1_000

export async function startClient(options: PeerOptions): Promise<ClusterClient> {
  return withConnections(options, ['commands', 'subscriber'], async (connections) => {
    const [redis, subscriber] = connections as [Redis, Redis]
    const stalls = watchStalls(options.clock)
    const parts = { redis, subscriber, actors: new Map(), reporter: 'client', stalls }
    const { rpc, ...peer } = await createPeer(options, parts)
    const stopWatch = keepNodesKnown(peer.registry, options)
    return {
      ...peer,
      async close() {
        stopWatch()
        stalls.stop()
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
  const { clock, log, secrets } = options
  const [redis, subscriber, sessionRedis, reader] = connections as [Redis, Redis, Redis, Redis]
  const sid = randomUUID()
  // A new node id for every start, so that an inbox never has entries for an earlier process.
  const self: NodeRef = { nodeId: sid, sid, address: options.address }
  const actors = new Map<Addressee, HostedActors>()
  const stalls = watchStalls(clock)
  const { rpc, ...peer } = await createPeer(options, { redis, subscriber, actors, reporter: sid, stalls })
  const refused = createRefusals({ clock, log, count: options.onRefused ?? (() => {}) })
  const receive = createReceiver({ sid, actors, clock, refused })
  const rpcOptions = { secrets, clock, receive, refused }
  const session = await startSession(options, { redis: sessionRedis, node: self, actors })
  // An inbox entry may be for an actor that has moved meanwhile. Route it once more.
  const take = async (envelope: RpcEnvelope) => {
    if (envelope.message.type === pingType) return selfPing.took(envelope.msgId)
    const { type } = await receive(envelope, 'inbox')
    const isMoving = type === 'theirs' || type === 'leaving'
    const { kind, id, message } = envelope
    if (isMoving && kind !== 'callUpdates' && kind !== 'messageUpdates')
      void peer.router.tell(kind, id, message)
  }
  const inbox = { reader, commands: redis, nodeId: self.nodeId, secrets, clock, refused, receive: take }
  const selfPing = startSelfPing({
    ...{ clock, log },
    probe: () => rpc.probe(self.address),
    post: (pingId) => sendToInbox(redis, sid, pingOf(sid, pingId), { secrets, nowMs: clock.now() }),
  })
  const stopInbox = startInbox(inbox)
  const stopReaper = startReaper(peer.registry, options)
  const stopWatch = keepNodesKnown(peer.registry, options)
  const stopLeaving = leaveWhileCutOff({
    ...{ sid, session, registry: peer.registry, clock, log },
    awayMs: () => Math.max(options.postgresAwayMs?.() ?? 0, selfPing.awayMs()),
    actors: () => actors.values(),
  })
  return {
    ...peer,
    self,
    session,
    ownership: createRedisOwnership({ redis, node: self, registry: peer.registry, stalls }),
    host: (kind, hosted) => void actors.set(kind, hosted),
    handleRpc: createRpcHandler(rpcOptions),
    upgradeRpc: createRpcUpgrade(rpcOptions),
    async serve() {
      if (await hasCompany(peer.registry, sid)) await pause(clock, options.joinWaitMs ?? defaultJoinWaitMs)
      await session.enter('serving')
    },
    leave: () => session.enter('draining'),
    async close() {
      stopLeaving()
      selfPing.stop()
      stopReaper()
      stopWatch()
      stalls.stop()
      await Promise.all([stopInbox(), session.end(), rpc.close()])
      await Promise.all(connections.map(closeRedis))
    },
  }
}

const pingType = 'selfPing'

/** Of the form that every version reads, and of no actor. */
const pingOf = (sid: string, msgId: string): RpcEnvelope => ({
  ...{ v: 1, kind: 'endpoint', id: sid, sid, msgId, type: 'tell', deadlineMs: 0 },
  message: { type: pingType },
})

interface SessionParts {
  readonly redis: Redis
  readonly node: NodeRef
  readonly actors: ReadonlyMap<Addressee, HostedActors>
}

async function startSession(options: NodeOptions, parts: SessionParts): Promise<NodeSession> {
  const session = new NodeSession({
    redis: parts.redis,
    node: parts.node,
    version: options.version,
    host: hostOf(options),
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

// The wait keeps a rolling restart from moving actors twice at once: away from the leaving node, and onto the
// new one. Without another live node no actor can move, so the wait is skipped. It is not needed for safety:
// epochs and the handover silence in Postgres keep two owners from acting at once.
async function hasCompany(registry: Registry, sid: string): Promise<boolean> {
  const nodes = await registry.liveNodes().catch(() => [])
  return nodes.some((node) => node.sid !== sid)
}

/** Reads the list of nodes each second, so that it is fresh when Redis becomes unavailable. */
function keepNodesKnown(registry: Registry, { clock }: PeerOptions): () => void {
  const step = () => {
    timer = clock.after(knowEveryMs, step)
    registry.liveNodes().catch(() => undefined)
  }
  let timer = clock.after(0, step)
  return () => timer.cancel()
}

function startReaper(registry: Registry, { clock, log }: NodeOptions): () => void {
  const step = () => {
    timer = clock.after(reapEveryMs * (0.5 + Math.random()), step)
    registry.reap().catch((error: unknown) => log.warn({ error: String(error) }, 'registry.not_reaped'))
  }
  let timer = clock.after(reapEveryMs * Math.random(), step)
  return () => timer.cancel()
}
