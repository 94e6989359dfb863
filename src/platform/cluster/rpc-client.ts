// Sends RPC envelopes to other processes and reports how each ended. Never reroutes.
import { type ClientRequest, get } from 'node:http'
import { Pool } from 'undici'
import type { Clock } from '../../shared/clock.ts'
import type { Received } from './receiver.ts'
import { mostSent, type Share, shareOf } from './room.ts'
import {
  type ClusterSecrets,
  maxEnvelopeBytes,
  type RpcEnvelope,
  rpcPath,
  sealAll,
  sealHeaders,
} from './rpc-envelope.ts'
import { type Exchange, exchange, type Failure } from './rpc-exchange.ts'
import { socketPath } from './rpc-frame.ts'
import { type NoSocket, RpcSocket } from './rpc-socket.ts'

export type RpcOutcome = Received | { readonly type: Exclude<Failure, 'reset'> }

/**
 * `refuses`: the host is up, but the process is not. `silent`: the process stands still, or its host is gone or
 * out of reach.
 */
export type Probed = 'answers' | 'refuses' | 'silent'

export interface RpcClient {
  /** Never rejects. */
  send(address: string, envelope: RpcEnvelope): Promise<RpcOutcome>
  /** Asks the process for any answer, on a connection of its own. Takes at most 300 ms. Never rejects. */
  probe(address: string): Promise<Probed>
  close(): Promise<void>
}

/** For POST: asks may take seconds, so they use separate connections: tells must not wait behind them. */
const tellConnections = 4
/** A process that knows no socket, such as one of an older release, is asked for one again after this time. */
const noSocketMs = 10_000
/** The same for one that refuses it, because it joins or is overloaded. */
const refusedSocketMs = 1_000
const maxPeers = 128
const connectMs = 250
export const probeMs = 300
const tellMs = 1_000
/** Extra time for the answer to an ask to travel back. */
const graceMs = 250

type Mode = RpcEnvelope['type']

interface Peer {
  readonly pools: Readonly<Record<Mode, Pool>>
  readonly sent: Record<Share, number>
  /** With those that only await answers. */
  readonly sockets: Set<RpcSocket>
  current: RpcSocket | undefined
  /** Until then messages go by POST. */
  postsUntil: number
  reportAt: number
  isClosed: boolean
}

export interface RpcClientOptions {
  readonly secrets: ClusterSecrets
  readonly clock: Clock
  /** A process refuses our seals: it knows none of our secrets. At most once a second for each address. */
  readonly onUnsealed: (address: string) => void
  readonly most?: Readonly<Record<Share, number>>
}

/** One report of refused seals in this time for each address: every message to it is refused. */
const reportMs = 1_000

export function createRpcClient(options: RpcClientOptions): RpcClient {
  const { secrets, clock, onUnsealed, most = mostSent } = options
  const connections = { tell: tellConnections, ask: most.call + most.endpoint }
  const peers = new Map<string, Peer>()

  /** Undefined: it is no address. Another process has registered it, and its mistake must not end this one. */
  function peerAt(address: string): Peer | undefined {
    const peer = peers.get(address) ?? openPeer(address, connections)
    if (!peer || peers.has(address)) return peer
    if (peers.size >= maxPeers) closeOldest(peers)
    peers.set(address, peer)
    return peer
  }

  function reportUnsealed(peer: Peer, address: string): void {
    if (clock.mono() < peer.reportAt) return
    peer.reportAt = clock.mono() + reportMs
    onUnsealed(address)
  }

  async function attempt(peer: Peer, address: string, envelope: RpcEnvelope): Promise<Exchange> {
    if (peer.isClosed) return { type: 'failed', how: 'unreached' }
    const body = JSON.stringify(envelope)
    const seals = sealAll(secrets, clock.now(), body)
    const timeoutMs = Math.max(1, envelope.type === 'tell' ? tellMs : envelope.deadlineMs + graceMs)
    if (clock.mono() >= peer.postsUntil && isShort(body)) {
      const exchanged = await socketOf(peer, address, options).send(seals, body, timeoutMs)
      if (exchanged.type !== 'noSocket') return exchanged
      peer.postsUntil = clock.mono() + postsFor(exchanged)
    }
    const headers = { 'content-type': 'application/json', ...sealHeaders(seals) }
    return exchange(peer.pools[envelope.type], { path: rpcPath, headers, body }, timeoutMs)
  }

  return {
    async send(address, envelope) {
      const peer = peerAt(address)
      if (!peer) return { type: 'unreached' }
      const share = shareOf(envelope)
      if (peer.sent[share] >= most[share]) return { type: 'unavailable' }
      peer.sent[share] += 1
      try {
        const outcome = await attemptTwice(() => attempt(peer, address, envelope))
        if (outcome !== 'unsealed') return outcome
        reportUnsealed(peer, address)
        return { type: 'unavailable' }
      } finally {
        peer.sent[share] -= 1
      }
    },
    probe,
    async close() {
      await Promise.all([...peers.values()].map(closePeer))
      peers.clear()
    },
  }
}

const postsFor = ({ status }: NoSocket): number =>
  status === undefined || status === 404 ? noSocketMs : refusedSocketMs

function socketOf(peer: Peer, address: string, { secrets, clock }: RpcClientOptions): RpcSocket {
  if (peer.current?.isUsable()) return peer.current
  const current = new RpcSocket({
    ...{ address, clock, connectMs },
    headers: sealHeaders(sealAll(secrets, clock.now(), socketPath)),
    onClose: (closed) => void peer.sockets.delete(closed),
  })
  peer.sockets.add(current)
  peer.current = current
  return current
}

function openPeer(address: string, connections: Readonly<Record<Mode, number>>): Peer | undefined {
  const pool = (mode: Mode) =>
    new Pool(address, {
      connections: connections[mode],
      connect: { timeout: connectMs },
      // Each exchange has a deadline, which covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  try {
    return {
      pools: { tell: pool('tell'), ask: pool('ask') },
      sent: { tell: 0, call: 0, endpoint: 0 },
      sockets: new Set(),
      current: undefined,
      postsUntil: Number.NEGATIVE_INFINITY,
      reportAt: Number.NEGATIVE_INFINITY,
      isClosed: false,
    }
  } catch {
    return undefined
  }
}

/** Of those that have nothing under way, where there are any. */
function closeOldest(peers: Map<string, Peer>): void {
  const isIdle = ({ sent }: Peer) => sent.tell + sent.call + sent.endpoint === 0
  const [first] = peers
  const oldest = [...peers].find(([, peer]) => isIdle(peer)) ?? first
  if (!oldest) return
  peers.delete(oldest[0])
  void closePeer(oldest[1])
}

const closePeer = async (peer: Peer): Promise<void> => {
  const { pools, sockets } = peer
  peer.isClosed = true
  for (const socket of sockets) socket.terminate()
  await Promise.all([pools.tell.destroy(), pools.ask.destroy()])
}

const understood: ReadonlySet<unknown> = new Set<Received['type']>([
  'accepted',
  'answered',
  'timedOut',
  'notFound',
  'theirs',
  'restarted',
  'leaving',
  'full',
  'unknown',
  'unavailable',
])

/** A longer frame would end the socket for everything else. By POST it is refused alone. */
const isShort = (body: string): boolean =>
  body.length <= maxEnvelopeBytes / 3 || Buffer.byteLength(body) <= maxEnvelopeBytes

/** A connection that the peer has just closed fails on use. The message id makes a second try safe there. */
async function attemptTwice(attempt: () => Promise<Exchange>): Promise<RpcOutcome | 'unsealed'> {
  const first = await attempt()
  if (first.type === 'answered') return toOutcome(first.body)
  if (first.how !== 'reset') return { type: first.how }
  const second = await attempt()
  const outcome = second.type === 'answered' ? toOutcome(second.body) : ({ type: 'lost' } as const)
  // The first copy may have been handled: by a process that has ended since, or whose answer was lost.
  const isUnclear = outcome !== 'unsealed' && ['restarted', 'unavailable'].includes(outcome.type)
  return isUnclear ? { type: 'lost' } : outcome
}

function toOutcome(text: string): RpcOutcome | 'unsealed' {
  const body = readAnswer(text)
  if (body === undefined) return { type: 'lost' }
  if (typeof body !== 'object' || body === null || !('type' in body)) return { type: 'unavailable' }
  if (body.type === 'unsealed') return body.type
  // The HTTP server itself responds in another form when it is overloaded.
  return understood.has(body.type) ? (body as Received) : { type: 'unavailable' }
}

function readAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const refusal = 'ECONNREFUSED'

function probe(address: string): Promise<Probed> {
  return new Promise((resolve) => {
    let request: ClientRequest | undefined
    const settle = (probed: Probed) => {
      clearTimeout(timer)
      resolve(probed)
      request?.destroy()
    }
    // Connecting may take its time, too, which the timeout of an idle socket does not cover. Whatever fails at once waits
    // for it as well: after a silence the detector asks again without a pause.
    const timer = setTimeout(() => settle('silent'), probeMs)
    try {
      request = get(new URL(rpcPath, address), { agent: false })
    } catch {
      return
    }
    request.once('response', () => settle('answers'))
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === refusal) settle('refuses')
    })
  })
}
