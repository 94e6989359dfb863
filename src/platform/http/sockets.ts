// WebSockets that browsers open to this server, as plain values. A SocketEdge accepts or refuses the upgrade.
// An accepted socket can send, subscribe to topics and be closed.
import type { Clock } from '../../shared/clock.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'

/** Usable from `opened` to `closed`. Afterwards every method does nothing. */
export interface ServerSocket {
  send(text: string): void
  /** Sent bytes that the client has not read yet. */
  bufferedBytes(): number
  subscribe(topic: string): void
  unsubscribe(topic: string): void
  /** Sends a close frame. `closed` is called before this returns. */
  close(code: number, reason: string): void
}

/** The handler of one socket. */
export interface SocketHandler {
  opened(socket: ServerSocket): void
  received(text: string): void
  /** The client has read some of the buffered bytes. */
  drained(): void
  closed(): void
  /** The process is going away: asks the client to close the socket within a second. Without it the socket is closed at once. */
  leave?(): void
}

export interface SocketEdge {
  /** The exact path of the upgrade. */
  readonly path: string
  /** A longer frame from a client closes its socket. */
  readonly maxFrameBytes: number
  /** Beyond this, a client that does not read is sent nothing more. Publishers must stay well below it. */
  readonly maxBufferedBytes: number
  /** Returns the handler of the socket, or the response that refuses the upgrade. May reject. */
  upgrade(request: HttpRequest): Promise<SocketHandler | HttpResponse>
  /** Called once, before the first upgrade. `publish` sends a text to every subscriber of the topic. */
  publishWith(publish: (topic: string, text: string) => void): void
}

/** The part of a uWebSockets.js socket that this layer uses. */
export interface WireSocket {
  send(text: string): number
  getBufferedAmount(): number
  subscribe(topic: string): boolean
  unsubscribe(topic: string): boolean
  end(code: number, reason: string): void
  getUserData(): { readonly handler: SocketHandler }
}

export interface WireSockets {
  readonly behaviour: object
  /** Resolves when every socket is closed, with the code for "going away" where its client did not. */
  closeAll(): Promise<void>
}

const goingAway = [1001, 'the process is going away'] as const
/** A socket is closed after this silence. Automatic pings prevent that for a live client. */
const idleSeconds = 60
/** For a client that was asked to close its socket. */
const leaveMs = 1_000

/** Using a closed socket throws, so `gone` drops the reference before the handler's `closed` runs. */
class LiveSocket implements ServerSocket {
  #wire: WireSocket | undefined

  constructor(wire: WireSocket) {
    this.#wire = wire
  }

  send(text: string): void {
    this.#wire?.send(text)
  }

  bufferedBytes(): number {
    return this.#wire?.getBufferedAmount() ?? 0
  }

  subscribe(topic: string): void {
    this.#wire?.subscribe(topic)
  }

  unsubscribe(topic: string): void {
    this.#wire?.unsubscribe(topic)
  }

  close(code: number, reason: string): void {
    this.#wire?.end(code, reason)
  }

  gone(): void {
    this.#wire = undefined
  }
}

export function wireSockets(edge: SocketEdge, clock: Clock): WireSockets {
  const open = new Map<WireSocket, LiveSocket>()
  let allClosed = () => {}

  async function closeAll(): Promise<void> {
    for (const [wire, socket] of [...open]) {
      const { handler } = wire.getUserData()
      if (handler.leave) handler.leave()
      else socket.close(...goingAway)
    }
    if (open.size > 0)
      await new Promise<void>((resolve) => {
        const timer = clock.after(leaveMs, resolve)
        allClosed = () => {
          timer.cancel()
          resolve()
        }
      })
    for (const socket of [...open.values()]) socket.close(...goingAway)
  }

  return {
    closeAll,
    behaviour: {
      maxPayloadLength: edge.maxFrameBytes,
      maxBackpressure: edge.maxBufferedBytes,
      idleTimeout: idleSeconds,
      sendPingsAutomatically: true,
      compression: 0,
      open(wire: WireSocket) {
        const socket = new LiveSocket(wire)
        open.set(wire, socket)
        wire.getUserData().handler.opened(socket)
      },
      message(wire: WireSocket, message: ArrayBuffer) {
        wire.getUserData().handler.received(Buffer.from(message).toString('utf8'))
      },
      drain(wire: WireSocket) {
        wire.getUserData().handler.drained()
      },
      close(wire: WireSocket) {
        open.get(wire)?.gone()
        open.delete(wire)
        wire.getUserData().handler.closed()
        if (open.size === 0) allClosed()
      },
    },
  }
}

export const isRefusal = (verdict: SocketHandler | HttpResponse): verdict is HttpResponse =>
  'status' in verdict
