// The endpoint actor over a WebSocket: one connection, dialled inside an attempt, watched by pings, closed when idle.
import { type AttemptReport, failure } from './attempt.ts'
import {
  type EndpointState,
  hasQueued,
  laneOf,
  nextToken,
  type OpenSocket,
  takeQueued,
  type Work,
} from './endpoint-state.ts'
import { directTimer, finish, reportOf, type Turn } from './endpoint-work.ts'
import { allowance } from './pace.ts'

/** A receiver that closes with 1008 this soon after the upgrade has refused the signature (decisions 5). */
const verdictMs = 2_000
const maxUnconfirmedBytes = 256 * 1024
const maxUnsettled = 1_000
const pingAfterBytes = 64 * 1024
const pingAfterFrames = 16
const unconfirmedPingMs = 5_000
const pongTimeoutMs = 5_000
const cooldownMs = 1_000

export function pumpSocket(turn: Turn): void {
  const { state } = turn
  const { socket } = state
  if (socket.phase === 'open') return feed(turn, socket)
  if (socket.phase === 'dialling') return
  if (state.urgent.length > 0) return dial(turn, false)
  if (socket.phase === 'idle' && hasQueued(state) && allowance(state.pace).total > 0) dial(turn, true)
}

function dial(turn: Turn, forQueued: boolean): void {
  const { state } = turn
  const token = nextToken(state)
  const head = forQueued ? takeQueued(state) : undefined
  if (state.socket.phase === 'cooldown') turn.effects.push({ type: 'clearTimer', name: 'cooldown' })
  state.socket = { phase: 'dialling', token, head }
  turn.effects.push({ type: 'dial', token, config: state.config })
}

export function dialled(turn: Turn, token: number): void {
  const { state, effects } = turn
  if (state.socket.phase !== 'dialling' || state.socket.token !== token) return
  const { head } = state.socket
  const now = turn.at.getTime()
  const open: OpenSocket = {
    phase: 'open',
    token,
    openedAtMs: now,
    writing: new Map(),
    unsettled: [],
    settled: false,
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
  while (state.urgent.length > 0) writeUrgent(turn, open)
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
  while (state.urgent.length > 0) writeUrgent(turn, open)
  let left = allowance(state.pace).total === 0 ? 0 : Number.POSITIVE_INFINITY
  // While failures run in a row, one frame at a time: the twentieth must be the last.
  if (state.pace.failures > 0) left = 1 - open.writing.size - open.unsettled.length
  while (left > 0 && open.unconfirmedBytes < maxUnconfirmedBytes && open.unsettled.length < maxUnsettled) {
    const item = takeQueued(state)
    if (!item) return
    write(turn, open, { type: 'queued', item })
    left -= 1
  }
}

function writeUrgent(turn: Turn, open: OpenSocket): void {
  const work = turn.state.urgent.shift()
  if (work) write(turn, open, work)
}

function write(turn: Turn, open: OpenSocket, work: Work): void {
  const { state, effects } = turn
  const frame = nextToken(state)
  const { body } = work.item
  if (open.unconfirmedBytes === 0) schedulePing(turn, open, unconfirmedPingMs)
  open.writing.set(frame, work)
  open.unconfirmedBytes += body.length
  open.bytesSincePing += body.length
  open.framesSincePing += 1
  open.lastEventAtMs = turn.at.getTime()
  effects.push({ type: 'frame', token: open.token, frame, item: work.item })
  // Frames of a key follow one another in the stream: the next need not wait for this one's verdict.
  if (work.type === 'queued') laneOf(state, work.item).release(work.item.key)
  if (open.bytesSincePing >= pingAfterBytes || open.framesSincePing >= pingAfterFrames) ping(turn, open)
}

export function frameDone(turn: Turn, token: number, done: { frame: number; written: boolean }): void {
  const open = openSocket(turn.state, token)
  const work = open?.writing.get(done.frame)
  if (!open || !work) return
  open.writing.delete(done.frame)
  if (!done.written) finish(turn, work, reportOf(failure('SOCKET_CLOSED')))
  else if (open.settled) finish(turn, work, reportOf({ type: 'delivered', statusCode: null }))
  else open.unsettled.push(work)
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

function settle(turn: Turn, open: OpenSocket, accepted: boolean): void {
  const report = reportOf(
    accepted ? { type: 'delivered', statusCode: null } : failure('SOCKET_REJECTED_SIGNATURE'),
  )
  for (const work of open.unsettled.splice(0)) finish(turn, work, report)
}

export function socketClosed(turn: Turn, token: number, code: number): void {
  const { state } = turn
  const open = openSocket(state, token)
  if (!open) return
  const rejected = code === 1008 && turn.at.getTime() - open.openedAtMs <= verdictMs
  forgetSocket(turn)
  settle(turn, open, !rejected)
  const report = reportOf(failure(rejected ? 'SOCKET_REJECTED_SIGNATURE' : 'SOCKET_CLOSED'))
  for (const work of open.writing.values()) finish(turn, work, report)
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
    for (const work of socket.writing.values()) finish(turn, work, reportOf(failure('INTERRUPTED')))
  } else if (socket.phase === 'dialling') {
    turn.effects.push({ type: 'cutSocket', token: socket.token })
    state.socket = { phase: 'idle' }
    if (socket.head) finish(turn, { type: 'queued', item: socket.head }, reportOf(failure('INTERRUPTED')))
  }
}

function forgetSocket(turn: Turn): void {
  turn.state.socket = { phase: 'idle' }
  for (const name of ['settle', 'idle', 'ping', 'pong']) turn.effects.push({ type: 'clearTimer', name })
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
  while (open.pings[0] && open.pings[0].ping <= number) {
    open.unconfirmedBytes -= open.pings.shift()?.bytes ?? 0
  }
  if (open.pings.length > 0) armPongTimer(turn, open)
  else turn.effects.push({ type: 'clearTimer', name: 'pong' })
}

/** A half-open connection: cut it, since its closing handshake would wait for the same dead peer. */
export function pongLate(turn: Turn, token: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  turn.effects.push({ type: 'cutSocket', token })
  socketClosed(turn, token, 1006)
}

export function idleDue(turn: Turn, token: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  const idleMs = turn.at.getTime() - open.lastEventAtMs
  if (idleMs >= turn.options.idleCloseMs) return dropSocket(turn, 1000, 'idle')
  const delayMs = turn.options.idleCloseMs - idleMs
  turn.effects.push({ type: 'setTimer', name: 'idle', delayMs, message: { type: 'idleDue', token } })
}

/** A call waited for a socket as long as its five seconds allow. */
export function directDue(turn: Turn, id: number): void {
  const index = turn.state.urgent.findIndex((work) => work.id === id)
  const [work] = index < 0 ? [] : turn.state.urgent.splice(index, 1)
  if (work) finish(turn, work, reportOf(failure('TIMEOUT'), turn.options.directTimeoutMs))
}

export const directTimerEffect = (id: number, delayMs: number) =>
  ({ type: 'setTimer', name: directTimer(id), delayMs, message: { type: 'directDue', work: id } }) as const

const openSocket = (state: EndpointState, token: number): OpenSocket | undefined =>
  state.socket.phase === 'open' && state.socket.token === token ? state.socket : undefined
