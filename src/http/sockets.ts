// WebSockets that browsers open to us, as plain values: the upgrade is judged by an edge, and a socket that was
// accepted sends, hears about topics and is closed. Knows no topic and no operator.
import type { HttpRequest, HttpResponse } from './exchange.ts'

/** A socket is there from `open` to `closed`; afterwards every method does nothing. */
export interface ServerSocket {
  send(text: string): void
  /** Bytes that the client has not taken yet. */
  bufferedBytes(): number
  subscribe(topic: string): void
  unsubscribe(topic: string): void
  /** With a closing frame; `closed` is called before this returns. */
  close(code: number, reason: string): void
}

/** What an edge does with one socket. */
export interface SocketHandler {
  opened(socket: ServerSocket): void
  received(text: string): void
  /** The client has taken something of what it had been sent. */
  drained(): void
  closed(): void
}

export interface SocketEdge {
  /** The exact path of the upgrade. */
  readonly path: string
  /** A longer frame of a client closes its socket. */
  readonly maxFrameBytes: number
  /** Past this a client that does not read is sent nothing more. Whoever publishes keeps well below it. */
  readonly maxBufferedBytes: number
  /** Rejects, or gives the answer that refuses the upgrade. */
  upgrade(request: HttpRequest): Promise<SocketHandler | HttpResponse>
  /** Told once, before the first upgrade: gets a text to every socket that is subscribed to the topic. */
  publishWith(publish: (topic: string, text: string) => void): void
}

/** The part of a socket of uWebSockets.js that this layer stands on. */
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
  /** Closes every socket: going away. */
  closeAll(): void
}

const goingAway = 1001
/** Of silence: pings keep a live client above it. */
const idleSeconds = 60

/** Touching a socket that is gone throws, so its handler's end goes first. */
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

export function wireSockets(edge: SocketEdge): WireSockets {
  const open = new Map<WireSocket, LiveSocket>()
  return {
    closeAll() {
      for (const socket of [...open.values()]) socket.close(goingAway, 'the process is going away')
    },
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
      },
    },
  }
}

export const isRefusal = (verdict: SocketHandler | HttpResponse): verdict is HttpResponse =>
  'status' in verdict
