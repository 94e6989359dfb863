// A customer's backend: an HTTPS receiver and a socket receiver that verify every signature themselves.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Certificate } from '../support/certificate.ts'
import { Inbox, type Received } from './inbox.ts'

const FRESH_MS = 5 * 60_000
const HANDSHAKE_HEADERS = [
  'x-communication-timestamp',
  'x-communication-nonce',
  'x-communication-signature-256',
]

/** The status to answer with; `hang` never answers, `close` cuts the connection. */
export type Answer = number | 'hang' | 'close'

export interface HttpsReceiver {
  readonly url: string
  readonly inbox: Inbox
  /** Number of requests with a wrong signature, which were answered 401. */
  readonly forged: number
  secret: string
  answer: (received: Received) => Answer
  close(): void
}

export interface Connection {
  readonly headers: Readonly<Record<string, string>>
  readonly path: string
  readonly openedAt: number
  /** Whether the handshake was fresh, and signed with the secret of that moment. */
  readonly isGenuine: boolean
  readonly websocket: WebSocket
  closed: { readonly code: number; readonly at: number } | undefined
}

export interface SocketReceiver {
  readonly url: string
  readonly inbox: Inbox
  readonly connections: readonly Connection[]
  secret: string
  /** When set, every new connection is closed with this code. */
  refuseWith: number | undefined
  /** When set, every new connection is taken and never read. */
  isStalled: boolean
  /** Waits for an open connection after the first `after`; returns the latest one. */
  connected(after?: number): Promise<Connection>
  close(): void
}

const signatureOf = (secret: string, content: Buffer | string): Buffer =>
  Buffer.from(`sha256=${createHmac('sha256', secret).update(content).digest('hex')}`)

function isSigned(secret: string, content: Buffer | string, header: unknown): boolean {
  const expected = signatureOf(secret, content)
  const given = Buffer.from(String(header))
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export async function startHttpsReceiver(tls: Certificate): Promise<HttpsReceiver> {
  const inbox = new Inbox('HTTPS receiver')
  let connections = 0
  const numbers = new WeakMap<Socket, number>()
  const receiver: Omit<HttpsReceiver, 'url' | 'close'> & { forged: number } = {
    inbox,
    forged: 0,
    secret: '',
    answer: () => 200,
  }
  const server = createServer(tls, (request, response) => void take(request, response))
  server.on('secureConnection', (socket) => {
    connections += 1
    numbers.set(socket, connections)
  })
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks)
    if (!isSigned(receiver.secret, raw, request.headers['x-communication-signature-256'])) {
      receiver.forged += 1
      response.writeHead(401).end('wrong signature')
      return
    }
    const { headers, socket } = request
    const answer = receiver.answer(inbox.add({ raw, headers, connection: numbers.get(socket) ?? 0 }))
    if (answer === 'hang') return
    if (answer === 'close') return void socket.destroy()
    response.writeHead(answer, { 'content-type': 'text/plain' }).end(`answered ${answer}`)
  }
  const listening = await listen(server)
  return Object.assign(receiver, { url: `https://127.0.0.1:${listening.port}/hook`, close: listening.close })
}

export async function startSocketReceiver(tls: Certificate): Promise<SocketReceiver> {
  const inbox = new Inbox('socket receiver')
  const connections: Connection[] = []
  const receiver: Pick<SocketReceiver, 'secret' | 'refuseWith' | 'isStalled'> = {
    secret: '',
    refuseWith: undefined,
    isStalled: false,
  }
  const server = createServer(tls)
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (websocket, request) => {
    const connection = opened(websocket, request, receiver.secret)
    connections.push(connection)
    inbox.changed()
    websocket.on('error', () => {})
    websocket.on('close', (code) => {
      connection.closed = { code, at: Date.now() }
      inbox.changed()
    })
    const code = connection.isGenuine ? receiver.refuseWith : 1008
    if (code !== undefined) return websocket.close(code)
    if (receiver.isStalled) websocket.pause()
    const number = connections.length
    websocket.on('message', (data: Buffer) =>
      inbox.add({ raw: data, headers: request.headers, connection: number }),
    )
  })
  const { port, close } = await listen(server)
  return Object.assign(receiver, {
    url: `wss://127.0.0.1:${port}/events`,
    inbox,
    connections,
    close,
    async connected(after = 0) {
      const open = () => connections.slice(after).findLast(({ closed }) => closed === undefined)
      await inbox.until(`connection after the first ${after}`, () => open() !== undefined)
      const found = open()
      if (!found) throw new Error('unreachable')
      return found
    },
  })
}

function opened(websocket: WebSocket, { headers, url = '' }: IncomingMessage, secret: string): Connection {
  const [timestamp = '', nonce = '', signature = ''] = HANDSHAKE_HEADERS.map((name) => String(headers[name]))
  const isFresh = Math.abs(Date.now() - Number(timestamp)) < FRESH_MS
  return {
    headers: { timestamp, nonce, signature },
    path: url,
    openedAt: Date.now(),
    isGenuine: isFresh && isSigned(secret, `${timestamp}.${nonce}`, signature),
    websocket,
    closed: undefined,
  }
}

/** Listens on a free port of loopback; `close` cuts open connections. */
async function listen(server: Server): Promise<{ port: number; close(): void }> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of open) socket.destroy()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, close }
}
