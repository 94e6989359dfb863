// The bot's endpoint: a WebSocket server to which Switchboard connects. It passes the events on to the calls.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { Calls, type CallsOptions, type Log } from './calls.ts'
import { handshakeJudge } from './handshake.ts'

export interface BotOptions extends CallsOptions {
  readonly host: string
  readonly port: number
  /** The signing secret of the endpoint. */
  readonly secret: string
  /** A socket that has answered none of these since the last one is dead. */
  readonly pingEveryMs?: number
}

export interface Bot {
  readonly calls: Calls
  /** Hangs up all calls, then closes the sockets. */
  close(): Promise<void>
}

// An event with its SDP is far smaller than this. Switchboard opens one socket per endpoint, and a few for a
// short time when its gateways change.
const MAX_FRAME_BYTES = 256 * 1024
const MAX_SOCKETS = 20
const PING_EVERY_MS = 30_000
const BAD_SIGNATURE = 1008
const GOING_AWAY = 1001

export async function startBot({
  host,
  port,
  secret,
  pingEveryMs = PING_EVERY_MS,
  ...options
}: BotOptions): Promise<Bot> {
  const calls = new Calls(options)
  const server = createServer((_, response) => void response.writeHead(426).end())
  server.maxConnections = MAX_SOCKETS
  const isGenuine = handshakeJudge(secret)
  const sockets = new WebSocketServer({ server, maxPayload: MAX_FRAME_BYTES })
  // It repeats the errors of the server, and what nobody listens to would end the process.
  sockets.on('error', () => undefined)
  sockets.on('connection', (socket, { headers }) => {
    // `close` follows and needs no handling: Switchboard connects again.
    socket.on('error', () => undefined)
    dropWhenSilent(socket, pingEveryMs)
    if (isGenuine(headers)) receive(socket, calls, options.log)
    else socket.close(BAD_SIGNATURE, 'bad signature')
  })
  server.listen(port, host)
  await once(server, 'listening')
  options.log('bot.listening', { host, port })
  return {
    calls,
    async close() {
      await calls.close()
      for (const socket of sockets.clients) socket.close(GOING_AWAY)
      sockets.close()
      server.close()
      server.closeIdleConnections()
    },
  }
}

/** The other end may vanish without closing its sockets, which would then count against MAX_SOCKETS for ever. */
function dropWhenSilent(socket: WebSocket, everyMs: number): void {
  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, everyMs)
  socket.once('close', () => clearInterval(timer))
}

/** A received frame counts as delivered. The work follows later, so the bot must handle its own failures. */
function receive(socket: WebSocket, calls: Calls, log: Log): void {
  socket.on('message', (frame) => {
    void take(String(frame), calls).catch((error) => log('event.failed', { error: String(error) }))
  })
}

async function take(frame: string, calls: Calls): Promise<void> {
  const { event, call, data } = JSON.parse(frame)
  switch (event) {
    case 'call.ringing':
      return calls.ring(call)
    case 'call.accepted':
      return calls.accepted(call)
    case 'call.status':
      return calls.status(data)
  }
}
