// The endpoint actor over a WebSocket: one connection, dialled inside an attempt, watched by pings, closed when idle.
import { limits } from '../contract/limits.ts'
import { type AttemptErrorCode, type AttemptOutcome, type AttemptReport, failure } from './attempt.ts'
import type { SocketOpening } from './endpoint.ts'
import {
  type EndpointState,
  type Frame,
  hasQueued,
  isHeldUp,
  laneOf,
  nextToken,
  type OpenSocket,
  type SocketState,
  takeQueued,
  type Work,
} from './endpoint-state.ts'
import { directTimer, finish, reportOf, type Turn, takeBack } from './endpoint-work.ts'
import { allowance } from './pace.ts'
import { frameBegun, frameTaken, openSocket } from './socket-pings.ts'

/** A receiver that closes with 1008 this soon after the upgrade has refused the signature (decisions 5). */
const verdictMs = 2_000
const maxUnconfirmedBytes = 256 * 1024
/** The rest of the window is kept for calls: a backlog that fills its part never holds them up. */
const maxUnconfirmedQueued = 192 * 1024
const maxUnsettled = 1_000
const cooldownMs = 1_000

export function pumpSocket(turn: Turn): void {
  const { state } = turn
  const { socket } = state
  if (socket.phase === 'open') return feed(turn, socket)
  if (socket.phase === 'dialling') return hurry(turn, socket)
  if (state.urgent.length > 0) return dial(turn, false)
  if (socket.phase !== 'idle' || isHeldUp(state) || !hasQueued(state)) return
  if (allowance(state.pace).total > 0) dial(turn, true)
}

/** A call came while the dial waits for its turn among others. */
function hurry({ state, effects }: Turn, socket: Extract<SocketState, { phase: 'dialling' }>): void {
  if (socket.isUrgent || state.urgent.length === 0) return
  socket.isUrgent = true
  effects.push({ type: 'hurryDial', token: socket.token })
}

function dial(turn: Turn, forQueued: boolean): void {
  const { state } = turn
  const token = nextToken(state)
  const head = forQueued ? takeQueued(state) : undefined
  if (state.socket.phase === 'cooldown') turn.effects.push({ type: 'clearTimer', name: 'cooldown' })
  state.socket = { phase: 'dialling', token, head, isUrgent: !forQueued }
  turn.effects.push({ type: 'dial', token, config: state.config, isUrgent: !forQueued })
}

export function dialled(turn: Turn, token: number, opening: SocketOpening): void {
  const { state, effects } = turn
  if (state.socket.phase !== 'dialling' || state.socket.token !== token) return
  const { head } = state.socket
  const now = turn.at.getTime()
  const open: OpenSocket = {
    phase: 'open',
    token,
    openedAtMs: now,
    opening,
    used: false,
    writing: new Map(),
    unsettled: [],
    settled: false,
    hasPonged: false,
    unconfirmedBytes: 0,
    bytesSincePing: 0,
    framesSincePing: 0,
    pings: [],
    lastEventAtMs: now,
  }
  state.socket = open
  effects.push(
    { type: 'setTimer', name: 'settle', delayMs: verdictMs, message: { type: 'settleDue', token } },
    {
      type: 'setTimer',
      name: 'idle',
      delayMs: turn.options.idleCloseMs,
      message: { type: 'idleDue', token },
    },
    { type: 'setTimer', name: 'ping', delayMs: turn.options.pingMs, message: { type: 'pingDue', token } },
  )
  writeUrgent(turn, open)
  if (head) write(turn, open, { type: 'queued', item: head })
}

/** The dial was part of the attempt of its delivery, and of every call that waits; the others dial again. */
export function dialFailed(turn: Turn, token: number, report: AttemptReport): void {
  const { state } = turn
  if (state.socket.phase !== 'dialling' || state.socket.token !== token) return
  const { head } = state.socket
  state.socket = { phase: 'idle' }
  for (const work of state.urgent.splice(0)) finish(turn, work, report)
  if (head) finish(turn, { type: 'queued', item: head }, report)
  coolDown(turn)
}

function coolDown(turn: Turn): void {
  turn.state.socket = { phase: 'cooldown' }
  turn.effects.push({
    type: 'setTimer',
    name: 'cooldown',
    delayMs: cooldownMs,
    message: { type: 'cooledDown' },
  })
}

export function cooledDown({ state }: Turn): void {
  if (state.socket.phase === 'cooldown') state.socket = { phase: 'idle' }
}

/** Calls first; then deliveries, while the receiver proves that it reads. */
function feed(turn: Turn, open: OpenSocket): void {
  const { state } = turn
  writeUrgent(turn, open)
  if (isHeldUp(state)) return
  let left = frameAllowance(state, open)
  while (left > 0 && open.unconfirmedBytes < maxUnconfirmedQueued && open.unsettled.length < maxUnsettled) {
    const item = takeQueued(state)
    if (!item) return
    write(turn, open, { type: 'queued', item })
    left -= 1
  }
}

/**
 * Frames whose verdict is open never exceed the failures that are left, so that the twentieth is the last. Of a
 * receiver that has answered a ping a verdict of those it took is not to be feared.
 */
function frameAllowance({ pace }: EndpointState, open: OpenSocket): number {
  const undecided = open.writing.size + (open.hasPonged && pace.failures === 0 ? 0 : open.unsettled.length)
  return (pace.failures > 0 ? Math.min(1, allowance(pace).total) : limits.failuresToDisable) - undecided
}

function writeUrgent(turn: Turn, open: OpenSocket): void {
  while (open.unconfirmedBytes < maxUnconfirmedBytes) {
    const work = turn.state.urgent.shift()
    if (!work) return
    write(turn, open, work)
  }
}

function write(turn: Turn, open: OpenSocket, work: Work): void {
  const { state, effects } = turn
  const frame = nextToken(state)
  const { body } = work.item
  const [bytes, now] = [Buffer.byteLength(body), turn.at.getTime()]
  frameBegun(turn, open, bytes)
  open.writing.set(frame, frameOf(open, { work, bytes, now }))
  open.used = true
  open.lastEventAtMs = now
  effects.push({ type: 'frame', token: open.token, frame, item: work.item })
  // Frames of a key follow one another in the stream: the next need not wait for this one's verdict.
  if (work.type === 'queued') laneOf(state, work.item).release(work.item.key)
}

/** The dial is part of the first frame's attempt. */
function frameOf({ opening, used }: OpenSocket, begun: { work: Work; bytes: number; now: number }): Frame {
  const { startedAtMs, timings, remoteAddress } = opening
  return {
    work: begun.work,
    bytes: begun.bytes,
    startedAtMs: used ? begun.now : startedAtMs,
    facts: { timings: used ? {} : timings, remoteAddress, reusedConnection: used },
  }
}

/** Ends the attempt of a frame; what was accepted earlier ended then, however late its verdict. */
function end(turn: Turn, { work, startedAtMs, facts }: Frame, outcome: AttemptOutcome, at = turn.at): void {
  const durationMs = Math.max(0, at.getTime() - startedAtMs)
  finish({ ...turn, at }, work, { ...reportOf(outcome, durationMs), ...facts })
}

export function frameDone(turn: Turn, token: number, done: { frame: number; written: boolean }): void {
  const open = openSocket(turn.state, token)
  const frame = open?.writing.get(done.frame)
  if (!open || !frame) return
  open.writing.delete(done.frame)
  if (!done.written) return end(turn, frame, failure('SOCKET_CLOSED'))
  frameTaken(turn, open, frame.bytes)
  if (open.settled) end(turn, frame, accepted)
  else open.unsettled.push({ ...frame, acceptedAtMs: turn.at.getTime() })
}

export function settleDue(turn: Turn, token: number): void {
  const open = openSocket(turn.state, token)
  if (open) settleNow(turn, open)
}

/** Leaving does not wait for a verdict that nearly always is the same. */
export function settleNow(turn: Turn, open: OpenSocket): void {
  open.settled = true
  settle(turn, open, true)
}

function settle(turn: Turn, open: OpenSocket, isAccepted: boolean): void {
  for (const frame of open.unsettled.splice(0)) {
    if (isAccepted) end(turn, frame, accepted, new Date(frame.acceptedAtMs))
    else end(turn, frame, failure('SOCKET_REJECTED_SIGNATURE'))
  }
}

export function socketClosed(turn: Turn, token: number, code: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  const isRejected = code === 1008 && turn.at.getTime() - open.openedAtMs <= verdictMs
  lose(turn, open, isRejected ? 'SOCKET_REJECTED_SIGNATURE' : 'SOCKET_CLOSED')
}

function lose(turn: Turn, open: OpenSocket, code: AttemptErrorCode): void {
  forgetSocket(turn)
  settle(turn, open, code !== 'SOCKET_REJECTED_SIGNATURE')
  for (const frame of open.writing.values()) end(turn, frame, failure(code))
  // A receiver that hangs up at once would otherwise be dialled in a tight loop.
  if (turn.at.getTime() - open.openedAtMs <= verdictMs) coolDown(turn)
}

/** Closes for a reason of ours: what was accepted stays accepted, what was not is written to the next socket. */
export function dropSocket(turn: Turn, code: number, reason: string): void {
  const { state } = turn
  const { socket } = state
  if (socket.phase === 'open') {
    turn.effects.push({ type: 'closeSocket', token: socket.token, code, reason })
    forgetSocket(turn)
    settle(turn, socket, true)
    // Backwards, since each goes to the front: what was first is first again.
    for (const { work } of [...socket.writing.values()].reverse()) {
      if (work.type === 'queued') takeBack(state, work.item)
      else finish(turn, work, reportOf(failure('INTERRUPTED')))
    }
  } else if (socket.phase === 'dialling') {
    turn.effects.push({ type: 'cutSocket', token: socket.token })
    state.socket = { phase: 'idle' }
    if (socket.head) takeBack(state, socket.head)
  }
}

function forgetSocket(turn: Turn): void {
  turn.state.socket = { phase: 'idle' }
  for (const name of ['settle', 'idle', 'ping', 'pong']) turn.effects.push({ type: 'clearTimer', name })
}

/** A half-open connection: cut it, since its closing handshake would wait for the same dead peer. */
export function pongLate(turn: Turn, token: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  turn.effects.push({ type: 'cutSocket', token })
  lose(turn, open, 'BACKPRESSURE')
}

export function idleDue(turn: Turn, token: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  const idleMs = turn.at.getTime() - open.lastEventAtMs
  if (idleMs >= turn.options.idleCloseMs) return dropSocket(turn, 1000, 'idle')
  const delayMs = turn.options.idleCloseMs - idleMs
  turn.effects.push({ type: 'setTimer', name: 'idle', delayMs, message: { type: 'idleDue', token } })
}

/** A call waited as long as its five seconds allow: for a socket, or for one that takes its frame. */
export function directDue(turn: Turn, id: number): void {
  const { state } = turn
  const work = waitingCall(state, id) ?? unwrittenCall(state, id)
  const outcome = failure(state.socket.phase === 'open' ? 'BACKPRESSURE' : 'TIMEOUT')
  if (work) finish(turn, work, reportOf(outcome, turn.options.directTimeoutMs))
}

function waitingCall({ urgent }: EndpointState, id: number): Work | undefined {
  const index = urgent.findIndex((work) => work.id === id)
  return index < 0 ? undefined : urgent.splice(index, 1)[0]
}

function unwrittenCall({ socket }: EndpointState, id: number): Work | undefined {
  if (socket.phase !== 'open') return undefined
  for (const [frame, { work }] of socket.writing) {
    if (work.type !== 'direct' || work.id !== id) continue
    socket.writing.delete(frame)
    return work
  }
  return undefined
}

const accepted: AttemptOutcome = { type: 'delivered', statusCode: null }

export const directTimerEffect = (id: number, delayMs: number) =>
  ({ type: 'setTimer', name: directTimer(id), delayMs, message: { type: 'directDue', work: id } }) as const
