// POST /rpc: one message to an actor of this process. Answers for everything but business: whose, how full, since when.
import type { Clock } from '../shared/clock.ts'
import { authHeader, isSealed, maxEnvelopeBytes, readEnvelope, rpcPath } from './envelope.ts'
import type { Receive, Received } from './receiver.ts'

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
  readonly secret: string
  readonly clock: Clock
  readonly receive: Receive
}

/** "Not here" (409, 410) means elsewhere at once; "not now" (429, 503) means not here either for a while. */
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

/** An HttpHandler of `http/`. */
export function createRpcHandler({ secret, clock, receive }: RpcHandlerOptions) {
  return async (request: RpcRequest): Promise<RpcResponse> => {
    if (request.method !== 'POST' || request.path !== rpcPath) return respond(404, { type: 'noSuchPath' })
    const body = await request.body(maxEnvelopeBytes)
    if (!isSealed(secret, request.header(authHeader), clock.now(), body))
      return respond(401, { type: 'unsealed' })
    const envelope = readEnvelope(Buffer.from(body).toString('utf8'))
    if (envelope === 'malformed') return respond(400, { type: envelope })
    const received: Received = envelope === 'unknown' ? { type: 'unknown' } : await receive(envelope)
    return respond(statusOf[received.type], received)
  }
}

const respond = (status: number, body: object): RpcResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
