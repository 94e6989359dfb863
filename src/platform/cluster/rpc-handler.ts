// POST /rpc: passes one message to an actor of this process. The status reports routing and load, not
// business results.
import type { Clock } from '../../shared/clock.ts'
import type { Receive, Received } from './receiver.ts'
import type { Refused } from './refusals.ts'
import {
  authHeader,
  type ClusterSecrets,
  checkSeal,
  maxEnvelopeBytes,
  moreAuthHeader,
  readEnvelope,
  rpcPath,
} from './rpc-envelope.ts'

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

export interface RpcHandlerOptions {
  readonly secrets: ClusterSecrets
  readonly clock: Clock
  readonly receive: Receive
  readonly refused: Refused
}

/** 409 and 410: not here, try another node at once. 429 and 503: not now, and not here for a while. */
const statusOf: Readonly<Record<Received['type'], number>> = {
  accepted: 202,
  answered: 200,
  timedOut: 200,
  notFound: 404,
  theirs: 409,
  restarted: 410,
  full: 429,
  unknown: 501,
  leaving: 503,
  unavailable: 503,
}

/** Usable as an HttpHandler of platform/http. */
export function createRpcHandler({ secrets, clock, receive, refused }: RpcHandlerOptions) {
  return async (request: RpcRequest): Promise<RpcResponse> => {
    if (request.method !== 'POST' || request.path !== rpcPath) return respond(404, { type: 'noSuchPath' })
    const body = await request.body(maxEnvelopeBytes)
    const given = { first: request.header(authHeader), more: request.header(moreAuthHeader) }
    const seal = checkSeal(secrets, given, clock.now(), body)
    if (seal !== 'sealed') {
      refused('http', seal)
      return respond(401, { type: 'unsealed' })
    }
    const envelope = readEnvelope(Buffer.from(body).toString('utf8'))
    if (envelope === 'malformed') {
      refused('http', envelope)
      return respond(400, { type: envelope })
    }
    const received: Received = envelope === 'unknown' ? { type: 'unknown' } : await receive(envelope, 'http')
    return respond(statusOf[received.type], received)
  }
}

const respond = (status: number, body: object): RpcResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
