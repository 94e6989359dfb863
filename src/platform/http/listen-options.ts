// How a server listens, and what it can tell.
import type { ErrorCode } from '../../contract/errors.ts'
import type { Clock } from '../../shared/clock.ts'
import type { HttpHandler } from './exchange.ts'
import type { SocketEdge } from './sockets.ts'

export interface ListenOptions {
  readonly host: string
  /** 0: take a free port. */
  readonly port: number
  readonly handler: HttpHandler
  /** Beyond so many requests in flight, OVERLOADED at once. As many more may wait for their body, and for a reader. */
  readonly maxInFlight: number
  /** Paths without that limit: a probe that fails under load would take the process out of service. */
  readonly unlimitedPaths?: ReadonlySet<string>
  /** False: several processes may share the port. Default true: a second process fails to start. */
  readonly exclusive?: boolean
  readonly trustedProxies?: number
  /** How clients reach this server; default http://localhost and the port. */
  readonly publicUrl?: string | undefined
  /** Limit of request body bytes that all requests hold together. */
  readonly maxBodyBytesHeld?: number
  readonly bodyDeadlineMs?: number
  /** Deadline of a body that is read as a stream. */
  readonly streamDeadlineMs?: number
  /** How long a stream may come slower than its least rate; default 30 s. */
  readonly slowMs?: number
  /** How long a client that got a refusal amid its body may be silent before its connection is closed. */
  readonly lingerMs?: number
  /** How long `close` waits for requests in flight before it disconnects them. */
  readonly closeDeadlineMs?: number
  /** Headers of a refusal that is sent without the handler, or because the handler threw. */
  readonly refusalHeaders?: (path: string) => Readonly<Record<string, string>>
  /** WebSockets of browsers. */
  readonly sockets?: SocketEdge
  /** Gets what a handler or a streamed body threw, unless that is the caller's mistake or the client has gone. */
  readonly onFault?: (error: unknown, requestId: string) => void
  /** A request was refused by its head, or past `maxInFlight`. No handler gets it. */
  readonly onRefused?: (code: ErrorCode) => void
  readonly clock?: Clock
}

export interface HttpServer {
  readonly port: number
  /** Requests that are handled: without those that wait for their client, which sends or reads slowly. */
  inFlight(): number
  /** Stops listening, waits for requests in flight up to the deadline, then closes every connection. */
  close(): Promise<void>
}
