// The internal port: passes messages of other processes to actors of this one, over a socket or as POST /rpc. Answers report
// routing and load, not business results.
import type { Clock } from '../../shared/clock.ts'
import type { ServerSocket, SocketEdge, SocketHandler } from '../http/sockets.ts'
import type { Receive, Received } from './receiver.ts'
import type { Refused } from './refusals.ts'
import { mostRequests } from './room.ts'
import {
  authHeader,
  type ClusterSecrets,
  checkSeal,
  maxEnvelopeBytes,
  moreAuthHeader,
  openEnvelope,
  rpcPath,
  type Seals,
} from './rpc-envelope.ts'
import { answerFrame, leaveFrame, type Message, maxFrameBytes, messageIn, socketPath } from './rpc-frame.ts'

export interface RpcRequest {
  readonly method: string
  readonly path: string
  header(name: string): string | undefined
  body(limitBytes: number): Promise<Uint8Array>
}

export interface RpcResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface RpcOptions {
  readonly secrets: ClusterSecrets
  readonly clock: Clock
  readonly receive: Receive
  readonly refused: Refused
}

type Answer = Received | { readonly type: 'unsealed' | 'malformed' }

/** 409 and 410: not here, try another node at once. 429 and 503: not now, and not here for a while. */
const statusOf: Readonly<Record<Answer['type'], number>> = {
  accepted: 202,
  answered: 200,
  timedOut: 200,
  malformed: 400,
  unsealed: 401,
  notFound: 404,
  theirs: 409,
  restarted: 410,
  full: 429,
  unknown: 501,
  leaving: 503,
  unavailable: 503,
}

/** Usable as an HttpHandler of platform/http. */
export function createRpcHandler(options: RpcOptions) {
  return async (request: RpcRequest): Promise<RpcResponse> => {
    if (request.method !== 'POST' || request.path !== rpcPath) return respond(404, { type: 'noSuchPath' })
    const answer = await take(options, sealsOf(request), await request.body(maxEnvelopeBytes))
    return respond(statusOf[answer.type], answer)
  }
}

const sealsOf = (request: Pick<RpcRequest, 'header'>): Seals => ({
  first: request.header(authHeader),
  more: request.header(moreAuthHeader),
})

const respond = (status: number, body: object): RpcResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

async function take(options: RpcOptions, seals: Seals, body: Uint8Array | string): Promise<Answer> {
  const opened = openEnvelope(options, seals, body)
  if (typeof opened !== 'string') return options.receive(opened, 'http')
  if (opened === 'unknown') return { type: opened }
  options.refused('http', opened)
  return { type: opened === 'malformed' ? opened : 'unsealed' }
}

/** Answers are small; whoever reads none gets no more of them. */
const maxBufferedBytes = 16 * 1024 * 1024

export type UpgradeRpc = SocketEdge['upgrade']

/** The sockets of the internal port. `upgrade` may be known later than the port is open. */
export const rpcSockets = (upgrade: UpgradeRpc): SocketEdge => ({
  path: socketPath,
  ...{ maxFrameBytes, maxBufferedBytes },
  upgrade,
  publishWith: () => {},
})

/** The upgrade is sealed, so that a stranger gets no socket, and each message for itself. */
export function createRpcUpgrade(options: RpcOptions): UpgradeRpc {
  // A client's own limit bounds what it has under way; this is for all of them.
  let underWay = 0

  /** The frame of the answer. Never rejects. */
  async function answer({ number, seals, body }: Message): Promise<string> {
    if (underWay >= mostRequests) return answerFrame(number, { type: 'unavailable' })
    underWay += 1
    try {
      return answerFrame(number, await take(options, seals, body))
    } catch {
      return answerFrame(number, { type: 'unavailable' })
    } finally {
      underWay -= 1
    }
  }

  function handler(): SocketHandler {
    let socket: ServerSocket | undefined
    return {
      opened: (opened) => {
        socket = opened
      },
      received(frame) {
        const message = messageIn(frame)
        if (!message) {
          options.refused('http', 'malformed')
          return socket?.close(protocolError, 'a message is a number, seals and an envelope')
        }
        void answer(message).then((given) => socket?.send(given))
      },
      drained() {},
      closed() {},
      leave: () => socket?.send(leaveFrame),
    }
  }

  return async (request) => {
    const verdict = checkSeal(options.secrets, sealsOf(request), options.clock.now(), socketPath)
    if (verdict === 'sealed') return handler()
    options.refused('http', verdict)
    return respond(statusOf.unsealed, { type: 'unsealed' })
  }
}

const protocolError = 1002
