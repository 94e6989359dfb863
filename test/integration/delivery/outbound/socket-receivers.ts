import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { createConnector } from '../../../../src/delivery/outbound/connect.ts'
import { createResolver } from '../../../../src/delivery/outbound/resolve.ts'
import {
  createSocketDialer,
  type Dialled,
  type OutboundSocket,
  type SocketDialer,
} from '../../../../src/delivery/outbound/socket-dialer.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import type { Certificate } from '../../../support/certificate.ts'
import type { TestContext } from '../../../support/harness.ts'
import { httpReceiver, listen } from './receivers.ts'

export type Accept = (websocket: WebSocket, incoming: IncomingMessage) => void

/** A receiver that accepts every upgrade, over TLS when given a certificate; returns its address. */
export async function socketReceiver(t: TestContext, accept: Accept, tls?: Certificate): Promise<string> {
  const sockets = new WebSocketServer({ noServer: true })
  sockets.on('connection', (websocket, incoming) => {
    websocket.on('error', () => {})
    accept(websocket, incoming)
  })
  const upgrade = (incoming: IncomingMessage, socket: Socket, head: Buffer) =>
    sockets.handleUpgrade(incoming, socket, head, (websocket) =>
      sockets.emit('connection', websocket, incoming),
    )
  if (tls) {
    const server = createServer(tls)
    server.on('upgrade', upgrade)
    return `wss://localhost:${await listen(t, server)}`
  }
  const port = await httpReceiver(t, () => {}, upgrade)
  return `ws://127.0.0.1:${port}`
}

/** The head of the response to an upgrade, for receivers that fail after it. */
export function switching(request: string): string {
  const key = /sec-websocket-key: (.+)\r\n/i.exec(request)?.[1] ?? ''
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  return `HTTP/1.1 101 OK\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`
}

export interface Watched {
  readonly dialled: Dialled
  /** Resolves with how the socket ended. */
  readonly closed: Promise<{ code: number; reason: string }>
  nextPong(): Promise<string>
}

export async function dial(
  t: TestContext,
  url: string,
  changes: {
    ca?: string
    deadlineMs?: number
    signal?: AbortSignal
    headers?: Record<string, string>
    onConnected?: (socket: Socket) => void
  } = {},
): Promise<Watched> {
  const { ca, deadlineMs = 5_000, headers = {}, signal, onConnected } = changes
  let close: (end: { code: number; reason: string }) => void = () => {}
  let pong: (payload: string) => void = () => {}
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    close = resolve
  })
  const dialled = await makeDialer(ca, 'any', onConnected).dial(
    { url, headers, deadlineMs, ...(signal && { signal }) },
    {
      onClose: (code, reason) => close({ code, reason }),
      onPong: (payload) => pong(Buffer.from(payload).toString()),
    },
  )
  if (dialled.type === 'open') t.after(() => dialled.socket.terminate())
  const nextPong = () =>
    new Promise<string>((resolve) => {
      pong = resolve
    })
  return { dialled, closed, nextPong }
}

export function makeDialer(
  ca?: string,
  policy: 'public' | 'any' = 'any',
  onConnected: (socket: Socket) => void = () => {},
): SocketDialer {
  const resolver = createResolver({ policy, clock: systemClock })
  const connect = createConnector({ policy, resolver, ca })
  return createSocketDialer({
    policy,
    clock: systemClock,
    async connect(...asked) {
      const connected = await connect(...asked)
      if (connected.type === 'connected') onConnected(connected.socket)
      return connected
    },
  })
}

export const send = (socket: OutboundSocket, frame: Uint8Array | string): Promise<Error | undefined> =>
  new Promise((resolve) => {
    socket.send(frame, resolve)
  })

export function opened({ dialled }: Watched): OutboundSocket {
  if (dialled.type === 'failed') throw new Error(`not open: ${JSON.stringify(dialled.report.outcome)}`)
  return dialled.socket
}
