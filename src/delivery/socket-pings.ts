// Tracks what a receiver has proved to have read: each pong covers every frame before its ping.
import type { EndpointEffect } from './endpoint.messages.ts'
import { type EndpointState, nextToken } from './endpoint-state.ts'
import type { Turn } from './endpoint-work.ts'
import type { Frame, OpenSocket } from './socket-state.ts'
import { adjustWindow, leastFrames, windowBegun } from './socket-window.ts'

const pingAfterBytes = 64 * 1024
/** Of the frames that may be unread, so that a busy socket does not stop for each pong. */
const pingAfterShare = 1 / 4
/** A receiver that takes the upgrade and reads nothing fails few deliveries. */
const maxUnreadBeforePong = 4
const unconfirmedPingMs = 5_000
/** Calls of one moment are told that their time is over before their connection ends. */
const afterCallMs = 250

/** A frame of this turn, and the effect that hands it to the socket. */
export interface Handed {
  readonly frame: Frame
  readonly effect: Extract<EndpointEffect, { type: 'frame' }>
}

/** Call before a frame of so many bytes is written. */
export function frameBegun(turn: Turn, open: OpenSocket, bytes: number): void {
  if (open.unconfirmedBytes === 0) {
    schedulePing(turn, open, unconfirmedPingMs)
    windowBegun(open.window, turn.at.getTime())
  }
  open.unconfirmedBytes += bytes
  turn.state.unreadShare.take(bytes)
}

/** Frames of so many bytes were read, or were never taken. */
export function frameEnded({ state }: Turn, open: OpenSocket, bytes: number): void {
  open.unconfirmedBytes -= bytes
  state.unreadShare.give(bytes)
}

/**
 * Lets a ping go right behind the frame, in the same write, so that the proof takes one round trip. While one is
 * under way, frames share the next. Somebody waits for the result of a call, so it shares none; what is written with it
 * is proved with it. The ping is behind its frame also where a lapsed guard or a full socket holds both back; it counts
 * from when the frame was taken.
 */
export function carryPing(turn: Turn, open: OpenSocket, { frame, effect }: Handed): void {
  if (frame.work.type === 'queued' && (open.pings.length > 0 || isCarrying(open, 'queued'))) return
  frame.ping = nextToken(turn.state)
  effect.ping = frame.ping
}

/** Whether a ping is on its way, alone or behind a frame that the socket has not taken yet. */
const isProving = (open: OpenSocket): boolean => open.pings.length > 0 || isCarrying(open)

function isCarrying({ writing }: OpenSocket, type?: Frame['work']['type']): boolean {
  for (const { ping, work } of writing.values())
    if (ping !== undefined && (type ?? work.type) === work.type) return true
  return false
}

/**
 * Call when the socket has taken the frame, not before: a ping of its own must not cover a frame that a lapsed guard
 * or a full socket still holds back.
 */
export function frameTaken(turn: Turn, open: OpenSocket, frame: Frame): void {
  open.sincePing.push(frame)
  // That it was taken may be told late, which would make the way look short.
  if (frame.ping !== undefined) return sent(turn, open, frame.ping, frame.startedAtMs)
  if (isMuch(open) || !isProving(open)) ping(turn, open)
}

const isMuch = ({ sincePing, window }: OpenSocket): boolean =>
  sincePing.length >= window.frames * pingAfterShare || bytesOf(sincePing) >= pingAfterBytes

const bytesOf = (frames: readonly Frame[]): number => frames.reduce((sum, { bytes }) => sum + bytes, 0)

/** How many queued frames may be unread. Where memory is short, those without a verdict count as well. */
export function mostUnread({ unreadShare }: EndpointState, open: OpenSocket): number {
  if (!open.hasPonged) return maxUnreadBeforePong
  return unreadShare.held < unreadShare.limit ? open.window.frames : leastFrames - open.unsettled.length
}

export function unreadOf({ pings, sincePing }: OpenSocket): number {
  let count = sincePing.length
  for (const { frames } of pings) count += frames.length
  return count
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

function ping(turn: Turn, open: OpenSocket): void {
  const number = nextToken(turn.state)
  sent(turn, open, number, turn.at.getTime())
  turn.effects.push({ type: 'ping', token: open.token, ping: number })
}

function sent(turn: Turn, open: OpenSocket, number: number, sentAtMs: number): void {
  const isOldest = open.pings.length === 0
  const frames = open.sincePing
  const isForCall = frames.some(({ work }) => work.type === 'direct')
  open.pings.push({ ping: number, frames, isForCall, sentAtMs, unread: unreadOf(open) })
  open.sincePing = []
  if (isOldest || pongDueAtMs(turn, open) < open.pongDueAtMs) armPongTimer(turn, open)
}

/**
 * A receiver has as long to read a frame as to answer a request (clause Limits). One that has not read a call in its
 * time is taken for gone, so that the next call gets a new connection.
 */
function pongDueAtMs({ at, options: { timeoutMs, directTimeoutMs } }: Turn, { pings }: OpenSocket): number {
  const isForCall = pings.some((ping) => ping.isForCall)
  return at.getTime() + (isForCall ? Math.min(timeoutMs, directTimeoutMs + afterCallMs) : timeoutMs)
}

/** The same for a call that the socket has not even taken in its time: no ping is behind it yet. */
export function callOverdue(turn: Turn, open: OpenSocket): void {
  const dueAtMs = turn.at.getTime() + afterCallMs
  if (open.pings.length === 0 || dueAtMs < open.pongDueAtMs) armPongTimer(turn, open, dueAtMs)
}

export function armPongTimer(turn: Turn, open: OpenSocket, dueAtMs = pongDueAtMs(turn, open)): void {
  open.pongDueAtMs = dueAtMs
  const delayMs = open.pongDueAtMs - turn.at.getTime()
  const message = { type: 'pongLate', token: open.token } as const
  turn.effects.push({ type: 'setTimer', name: 'pong', delayMs, message })
}

export function pingDue(turn: Turn, token: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  ping(turn, open)
  schedulePing(turn, open, open.unconfirmedBytes > 0 ? unconfirmedPingMs : intervalMs(turn))
}

/** Sockets are pinged at the same instants: with thousands of them the process would wake up for each. */
const togetherMs = 50

/** Until the next ping of a quiet socket: the interval, less the time that makes it one of those instants. */
export function intervalMs({ at, options: { pingMs } }: Turn): number {
  const early = (at.getTime() + pingMs) % Math.min(togetherMs, pingMs / 2)
  return pingMs - early
}

/** Returns the frames that this pong proves to be read. */
export function pong(turn: Turn, open: OpenSocket, number: number): Frame[] {
  takeAnswered(turn, open, number)
  const index = open.pings.findIndex(({ ping }) => ping === number)
  // An unsolicited pong proves nothing.
  if (index < 0) return []
  open.hasPonged = true
  // By their places, not their numbers: a ping of its own overtakes one whose frame a lapsed guard holds back.
  const answered = open.pings.splice(0, index + 1)
  const read = answered.flatMap(({ frames }) => frames)
  const { sentAtMs = 0, unread = 0 } = answered[index] ?? {}
  adjustWindow(open.window, { sentAtMs, unread, frames: read.length, nowMs: turn.at.getTime() })
  frameEnded(turn, open, bytesOf(read))
  if (open.pings.length > 0) armPongTimer(turn, open)
  else if (open.sincePing.length > 0 && !isCarrying(open)) ping(turn, open)
  else turn.effects.push({ type: 'clearTimer', name: 'pong' })
  return read
}

/** Over TLS a pong may be read before it is reported that the frame was written. */
function takeAnswered(turn: Turn, open: OpenSocket, number: number): void {
  if (open.writing.size === 0) return
  const frames = [...open.writing]
  const last = frames.findIndex(([, { ping }]) => ping === number)
  for (const [id, frame] of frames.slice(0, last + 1)) {
    open.writing.delete(id)
    frameTaken(turn, open, frame)
  }
}

export const openSocket = (state: EndpointState, token: number): OpenSocket | undefined =>
  state.socket.phase === 'open' && state.socket.token === token ? state.socket : undefined
