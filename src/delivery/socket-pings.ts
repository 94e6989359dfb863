// Tracks what a receiver has proved to have read: each pong covers every frame before its ping.
import { type EndpointState, type Frame, nextToken, type OpenSocket } from './endpoint-state.ts'
import type { Turn } from './endpoint-work.ts'

const pingAfterBytes = 64 * 1024
/** A quarter of the frames that may be unread, so that a busy socket does not stop for each pong. */
const pingAfterFrames = 4
const unconfirmedPingMs = 5_000
const pongTimeoutMs = 5_000

/** Call before a frame of so many bytes is written. */
export function frameBegun(turn: Turn, open: OpenSocket, bytes: number): void {
  if (open.unconfirmedBytes === 0) schedulePing(turn, open, unconfirmedPingMs)
  open.unconfirmedBytes += bytes
}

/**
 * Call when the socket has taken the frame, not before: a ping must not cover a frame that a lapsed guard or
 * a full socket still holds back. A ping follows at once, so that the proof takes one round trip; while one
 * is on its way, frames share the next. Somebody waits for the result of a call, so it shares none.
 */
export function frameTaken(turn: Turn, open: OpenSocket, frame: Frame): void {
  open.sincePing.push(frame)
  const isMuch = open.sincePing.length >= pingAfterFrames || bytesOf(open.sincePing) >= pingAfterBytes
  if (open.pings.length === 0 || isMuch || frame.work.type === 'direct') ping(turn, open)
}

const bytesOf = (frames: readonly Frame[]): number => frames.reduce((sum, { bytes }) => sum + bytes, 0)

/** Frames that the socket has taken and no pong covers yet, oldest first. */
export const unreadFrames = ({ pings, sincePing }: OpenSocket): Frame[] => [
  ...pings.flatMap(({ frames }) => frames),
  ...sincePing,
]

function schedulePing(turn: Turn, open: OpenSocket, delayMs: number): void {
  const message = { type: 'pingDue', token: open.token } as const
  turn.effects.push({
    type: 'setTimer',
    name: 'ping',
    delayMs: Math.min(delayMs, turn.options.pingMs),
    message,
  })
}

function ping(turn: Turn, open: OpenSocket): void {
  const number = nextToken(turn.state)
  if (open.pings.length === 0) armPongTimer(turn, open)
  open.pings.push({ ping: number, frames: open.sincePing })
  open.sincePing = []
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

/** Returns the frames that this pong proves to be read. */
export function pong(turn: Turn, open: OpenSocket, number: number): Frame[] {
  // An unsolicited pong proves nothing.
  if (!open.pings.some(({ ping }) => ping === number)) return []
  open.hasPonged = true
  const read: Frame[] = []
  while (open.pings[0] && open.pings[0].ping <= number) read.push(...(open.pings.shift()?.frames ?? []))
  open.unconfirmedBytes -= bytesOf(read)
  if (open.pings.length > 0) armPongTimer(turn, open)
  else if (open.sincePing.length > 0) ping(turn, open)
  else turn.effects.push({ type: 'clearTimer', name: 'pong' })
  return read
}

export const openSocket = (state: EndpointState, token: number): OpenSocket | undefined =>
  state.socket.phase === 'open' && state.socket.token === token ? state.socket : undefined
