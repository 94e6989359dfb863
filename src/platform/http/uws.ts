// The HTTP server, and the only file that imports uWebSockets.js. A handler gets plain requests and returns
// plain responses.
import './uws-limits.ts'
import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js'
import { AppError } from '../../contract/errors.ts'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { BodyRoom } from './body-room.ts'
import { ClientRoom } from './client-room.ts'
import { errorResponse, toAppError } from './error-response.ts'
import { type HttpResponse, RequestAborted } from './exchange.ts'
import type { HttpServer, ListenOptions } from './listen-options.ts'
import { isRefusal, type SocketEdge, type SocketHandler, type WireSockets, wireSockets } from './sockets.ts'
import { validationError } from './validate.ts'
import type { WireRequest, WireResponse } from './wire.ts'
import { writeAnswer, writeAnswerAndLinger } from './wire-answer.ts'
import { type Head, LiveRequest, type RequestOptions, readHead } from './wire-request.ts'

// Not a static import: where modules are bundled, that would be loaded before the module that sets its limits.
const uws = await import('uWebSockets.js')

// Missing in the types: a listen option, and the switch that keeps the package name out of responses.
const exclusivePort = 1
const configure = (uws as unknown as { _cfg(option: string): void })._cfg
const listenWith = (app: TemplatedApp, options: ListenOptions) =>
  new Promise<us_listen_socket | false>((resolve) => {
    const { listen } = app as unknown as {
      listen(
        host: string,
        port: number,
        option: number,
        done: (socket: us_listen_socket | false) => void,
      ): void
    }
    listen.call(app, options.host, options.port, (options.exclusive ?? true) ? exclusivePort : 0, resolve)
  })

export async function listen(options: ListenOptions): Promise<HttpServer> {
  configure('silent')
  const server = new Server(options)
  const app = uws.App()
  const sockets = options.sockets && openSockets(app, server, options.sockets)
  app.any('/*', (response, request) => server.take(response as WireResponse, request))
  const socket = await listenWith(app, options)
  if (socket === false)
    throw new Error(`cannot listen on ${options.host}:${options.port}: another process has the port`)
  const port = uws.us_socket_local_port(socket as never)
  server.listening(port)
  const shut = async (): Promise<void> => {
    uws.us_listen_socket_close(socket)
    await Promise.all([sockets?.closeAll(), server.drain()])
    // The last response may still be in the buffer that is flushed at the end of the current socket callback, and a
    // connection that was open may have brought a request meanwhile.
    await new Promise((resolve) => setImmediate(resolve))
    await server.drain()
    app.close()
  }
  let closing: Promise<void> | undefined
  return {
    port,
    inFlight: () => server.inFlight(),
    // Closing a uWebSockets listener twice reads freed memory.
    close() {
      closing ??= shut()
      return closing
    },
  }
}

function openSockets(app: TemplatedApp, server: Server, edge: SocketEdge): WireSockets {
  const sockets = wireSockets(edge, server.clock)
  edge.publishWith((topic, text) => void app.publish(topic, text))
  app.ws(edge.path, {
    ...sockets.behaviour,
    upgrade(response, request, context) {
      // Copy the handshake headers now: the request object is invalid after this callback.
      const handshake = ['key', 'protocol', 'extensions'].map((name) =>
        request.getHeader(`sec-websocket-${name}`),
      )
      const [key = '', protocol = '', extensions = ''] = handshake
      server.takeUpgrade(response as WireResponse, request, {
        judge: (one) => edge.upgrade(one),
        accept: (handler) => response.upgrade({ handler }, key, protocol, extensions, context),
      })
    },
  })
  return sockets
}

interface Upgrade {
  judge(request: LiveRequest): Promise<SocketHandler | HttpResponse>
  accept(handler: SocketHandler): void
}

const overloaded = (): AppError =>
  new AppError('OVERLOADED', 'this process takes no more requests now; try again shortly', {
    retryAfterSeconds: 1,
  })

const mebibyte = 1024 * 1024

/**
 * When the end of a request is in doubt, the bytes after it must not be handled as another request. The
 * parser does handle them if we respond within its callback, but drops the connection if we have not
 * responded yet. So such a response waits for the next event loop iteration, and closes the connection.
 */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Refused clients whose bodies are dropped, so that they can read why. */
const mostLingering = 256

class Server {
  /** With those that linger, and those that wait for their client. */
  #open = 0
  readonly #options: ListenOptions
  readonly clock: Clock
  #requests: RequestOptions
  #draining = false
  #drainedBy: number | undefined
  #idle: (() => void) | undefined

  constructor(options: ListenOptions) {
    this.#options = options
    this.clock = options.clock ?? systemClock
    this.#requests = {
      room: new BodyRoom({
        maxBytes: options.maxBodyBytesHeld ?? 256 * mebibyte,
        maxAwaited: options.maxInFlight,
        clock: this.clock,
      }),
      readers: new ClientRoom(options.maxInFlight, this.clock),
      lingering: { count: 0, max: mostLingering },
      deadlineMs: options.bodyDeadlineMs ?? 30_000,
      streamDeadlineMs: options.streamDeadlineMs ?? 3_600_000,
      slowMs: options.slowMs ?? 30_000,
      lingerMs: options.lingerMs ?? 5_000,
      trustedProxies: options.trustedProxies ?? 0,
      publicUrl: options.publicUrl?.replace(/\/+$/, '') ?? '',
      clock: this.clock,
    }
  }

  /** A port of 0 is known only now. */
  listening(port: number): void {
    if (this.#options.publicUrl === undefined)
      this.#requests = { ...this.#requests, publicUrl: `http://localhost:${port}` }
  }

  take(response: WireResponse, incoming: WireRequest): void {
    let request: LiveRequest | undefined
    // Must come first: a callback without an abort handler and without a response ends the process.
    response.onAborted(() => request?.abandon())
    const head = readHead(incoming)
    request = new LiveRequest(head, response, this.#requests)
    if (head.fault === undefined && this.#hasRoom(request.path)) return void this.#serve(response, request)
    void this.#refuse(response, request, head.fault)
  }

  takeUpgrade(response: WireResponse, incoming: WireRequest, upgrade: Upgrade): void {
    let request: LiveRequest | undefined
    response.onAborted(() => request?.abandon())
    const head = readHead(incoming)
    request = new LiveRequest(head, response, this.#requests)
    const hasBody = request.isChunked || Number(request.header('content-length') ?? 0) > 0
    const fault = hasBody
      ? validationError([{ path: 'body', message: 'must not be part of an upgrade' }])
      : head.fault
    if (fault === undefined && this.#hasRoom(request.path) && !this.#draining)
      return void this.#upgrade(response, request, upgrade)
    void this.#refuse(response, request, fault)
  }

  inFlight(): number {
    const { lingering, room, readers } = this.#requests
    return this.#open - lingering.count - room.awaited - readers.count
  }

  /** Resolves when nothing is in flight, or at the deadline, which the first call sets. */
  drain(): Promise<void> {
    this.#draining = true
    this.#drainedBy ??= this.clock.mono() + (this.#options.closeDeadlineMs ?? 10_000)
    const leftMs = this.#drainedBy - this.clock.mono()
    if (this.#open === 0 || leftMs <= 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = this.clock.after(leftMs, resolve)
      this.#idle = () => {
        timer.cancel()
        resolve()
      }
    })
  }

  #hasRoom(path: string): boolean {
    return this.inFlight() < this.#options.maxInFlight || (this.#options.unlimitedPaths?.has(path) ?? false)
  }

  async #refuse(response: WireResponse, request: LiveRequest, fault: Head['fault']): Promise<void> {
    const refusal = fault ?? overloaded()
    this.#options.onRefused?.(refusal.code)
    const answer = this.#refusal(request, refusal)
    const isInDoubt = fault !== undefined || request.isChunked
    if (isInDoubt) await nextTurn()
    await writeAnswer(response, request, answer, isInDoubt || this.#draining)
    // Meanwhile the bytes that came with the head were taken in.
    request.finish()
  }

  async #serve(response: WireResponse, request: LiveRequest): Promise<void> {
    this.#open += 1
    try {
      const answer = await this.#answer(request)
      // The parser reads a chunk extension as further digits of the chunk size. It may see the end of the
      // body where a proxy in front sees none, and after it a request that the client did not send.
      if (request.isChunked) await nextTurn()
      const isLast = this.#draining || request.isChunked || request.isLast
      await writeAnswerAndLinger(response, request, answer, isLast)
    } catch (error) {
      this.#fault(error, request)
    } finally {
      request.finish()
      this.#open -= 1
      if (this.#open === 0) this.#idle?.()
    }
  }

  async #upgrade(response: WireResponse, request: LiveRequest, upgrade: Upgrade): Promise<void> {
    this.#open += 1
    try {
      const verdict = await this.#attempt(request, () => upgrade.judge(request))
      if (request.aborted) return
      if (isRefusal(verdict)) await writeAnswer(response, request, verdict, true)
      else if (this.#draining)
        await writeAnswer(response, request, this.#refusal(request, overloaded()), true)
      // Never cork this: the upgrade moves the connection, and the end of a cork would write to the old one.
      else upgrade.accept(verdict)
    } catch (error) {
      this.#fault(error, request)
    } finally {
      request.finish()
      this.#open -= 1
      if (this.#open === 0) this.#idle?.()
    }
  }

  #answer(request: LiveRequest): Promise<HttpResponse> {
    return this.#attempt(request, () => this.#options.handler(request))
  }

  async #attempt<Result>(
    request: LiveRequest,
    work: () => Promise<Result> | Result,
  ): Promise<Result | HttpResponse> {
    try {
      return await work()
    } catch (error) {
      const refusal = toAppError(error)
      // A 4xx is the caller's mistake, not a fault of this process.
      if (refusal.status >= 500) this.#fault(error, request)
      return this.#refusal(request, refusal)
    }
  }

  #fault(error: unknown, { requestId }: LiveRequest): void {
    if (!(error instanceof RequestAborted)) this.#options.onFault?.(error, requestId)
  }

  #refusal(request: LiveRequest, refusal: AppError): HttpResponse {
    const answer = errorResponse(refusal, request)
    return { ...answer, headers: { ...this.#options.refusalHeaders?.(request.path), ...answer.headers } }
  }
}
