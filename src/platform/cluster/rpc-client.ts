// Sends RPC envelopes to other processes over keep-alive HTTP and reports how each ended. Never reroutes.
import { type ClientRequest, get } from 'node:http'
import { Pool } from 'undici'
import type { Clock } from '../../shared/clock.ts'
import type { Received } from './receiver.ts'
import { mostSent, type Share, shareOf } from './room.ts'
import {
  authHeader,
  type ClusterSecrets,
  moreAuthHeader,
  type RpcEnvelope,
  rpcPath,
  sealAll,
} from './rpc-envelope.ts'
import { type Exchange, exchange } from './rpc-exchange.ts'

export type RpcOutcome =
  | Received
  /** Nothing listens there: the message did not arrive. */
  | { readonly type: 'refused' }
  /** No connection in time: the message did not arrive. */
  | { readonly type: 'unreached' }
  /** No response in time, or a broken connection: the message may have arrived. */
  | { readonly type: 'lost' }

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

/** Asks may take seconds, so they use separate connections: tells must not wait behind them. */
const tellConnections = 4
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
  reportAt: number
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
    const [oldest] = peers
    if (peers.size >= maxPeers && oldest) {
      peers.delete(oldest[0])
      void closePeer(oldest[1])
    }
    peers.set(address, peer)
    return peer
  }

  function reportUnsealed(peer: Peer, address: string): void {
    if (clock.mono() < peer.reportAt) return
    peer.reportAt = clock.mono() + reportMs
    onUnsealed(address)
  }

  function attempt(peer: Peer, envelope: RpcEnvelope): Promise<Exchange> {
    const body = JSON.stringify(envelope)
    const { first, more } = sealAll(secrets, clock.now(), body)
    const timeoutMs = Math.max(1, envelope.type === 'tell' ? tellMs : envelope.deadlineMs + graceMs)
    const headers = {
      'content-type': 'application/json',
      [authHeader]: first,
      ...(more && { [moreAuthHeader]: more }),
    }
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
        // An idle connection that the peer has just closed fails on use. The message id makes a retry safe.
        const first = await attempt(peer, envelope)
        const outcome = toOutcome(isReset(first) ? await attempt(peer, envelope) : first)
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
      reportAt: Number.NEGATIVE_INFINITY,
    }
  } catch {
    return undefined
  }
}

const closePeer = async ({ pools }: Peer): Promise<void> => {
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

function toOutcome(exchanged: Exchange): RpcOutcome | 'unsealed' {
  if (exchanged.type === 'failed') return { type: failureOf(exchanged.code) }
  if (exchanged.status === 401) return 'unsealed'
  if (exchanged.status === 400) return { type: 'unavailable' }
  const body = readAnswer(exchanged.body)
  if (body === undefined) return { type: 'lost' }
  const isKnown = typeof body === 'object' && body !== null && 'type' in body && understood.has(body.type)
  // The HTTP server itself responds in another form when it is overloaded.
  return isKnown ? (body as Received) : { type: 'unavailable' }
}

function readAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failureOf(code: string | undefined): 'refused' | 'unreached' | 'lost' {
  if (code === refusal) return 'refused'
  return code === 'UND_ERR_CONNECT_TIMEOUT' ? 'unreached' : 'lost'
}

const refusal = 'ECONNREFUSED'
const resets: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

const isReset = (exchanged: Exchange): boolean => exchanged.type === 'failed' && resets.has(exchanged.code)

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
