// What a receiver has proved to have read: each pong covers every frame before its ping (architecture 3.8).
import { type EndpointState, nextToken, type OpenSocket } from './endpoint-state.ts'
import type { Turn } from './endpoint-work.ts'

const pingAfterBytes = 64 * 1024
const pingAfterFrames = 16
const unconfirmedPingMs = 5_000
const pongTimeoutMs = 5_000

/** A frame of so many bytes is about to be written. */
export function frameBegun(turn: Turn, open: OpenSocket, bytes: number): void {
  if (open.unconfirmedBytes === 0) schedulePing(turn, open, unconfirmedPingMs)
  open.unconfirmedBytes += bytes
}

/** The socket took it. Only now: a ping covers no frame that a lapsed guard or a full socket still holds back. */
export function frameTaken(turn: Turn, open: OpenSocket, bytes: number): void {
  open.bytesSincePing += bytes
  open.framesSincePing += 1
  if (open.bytesSincePing >= pingAfterBytes || open.framesSincePing >= pingAfterFrames) ping(turn, open)
}

function schedulePing(turn: Turn, open: OpenSocket, delayMs: number): void {
  const message = { type: 'pingDue', token: open.token } as const
  turn.effects.push({
    type: 'setTimer',
    name: 'ping',
    delayMs: Math.min(delayMs, turn.options.pingMs),
    message,
  })
}

/** Each pong proves that the receiver's side took everything before its ping. */
function ping(turn: Turn, open: OpenSocket): void {
  const number = nextToken(turn.state)
  if (open.pings.length === 0) armPongTimer(turn, open)
  open.pings.push({ ping: number, bytes: open.bytesSincePing })
  open.bytesSincePing = 0
  open.framesSincePing = 0
  turn.effects.push({ type: 'ping', token: open.token, ping: number })
}

function armPongTimer(turn: Turn, open: OpenSocket): void {
  const message = { type: 'pongLate', token: open.token } as const
  turn.effects.push({ type: 'setTimer', name: 'pong', delayMs: pongTimeoutMs, message })
}

export function pingDue(turn: Turn, token: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  ping(turn, open)
  schedulePing(turn, open, open.unconfirmedBytes > 0 ? unconfirmedPingMs : turn.options.pingMs)
}

export function pong(turn: Turn, token: number, number: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  // A pong that nobody asked for proves nothing.
  if (!open.pings.some(({ ping }) => ping === number)) return
  open.hasPonged = true
  while (open.pings[0] && open.pings[0].ping <= number) {
    open.unconfirmedBytes -= open.pings.shift()?.bytes ?? 0
  }
  if (open.pings.length > 0) armPongTimer(turn, open)
  else turn.effects.push({ type: 'clearTimer', name: 'pong' })
}

export const openSocket = (state: EndpointState, token: number): OpenSocket | undefined =>
  state.socket.phase === 'open' && state.socket.token === token ? state.socket : undefined
