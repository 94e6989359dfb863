// The endpoint actor over a WebSocket: one connection, dialled in an attempt, pinged, closed when idle.
import { type AttemptFailure, type AttemptOutcome, type AttemptReport, failure } from './attempt.ts'
import { allowance, pauseAfter } from './concurrency-limit.ts'
import type { SocketOpening } from './endpoint.messages.ts'
import {
  type EndpointState,
  hasQueued,
  isHeldUp,
  isKeptOpen,
  nextToken,
  takeQueued,
} from './endpoint-state.ts'
import { finish, reportOf, type Turn, takeAllBack, takeBack } from './endpoint-work.ts'
import { write } from './socket-frames.ts'
import {
  armPongTimer,
  carryPing,
  frameEnded,
  frameTaken,
  type Handed,
  intervalMs,
  mostUnread,
  openSocket,
  pong,
  unreadOf,
} from './socket-pings.ts'
import {
  type Frame,
  framesUnderWay,
  newOpenSocket,
  type OpenSocket,
  type SocketState,
  unreadFrames,
} from './socket-state.ts'

/** A receiver that closes with 1008 this soon after the upgrade has rejected the signature. */
const verdictMs = 2_000
const maxUnconfirmedBytes = 256 * 1024
/** The rest of the window is reserved for calls, so that a backlog of deliveries never delays them. */
const maxUnconfirmedQueued = 192 * 1024
const maxUnsettled = 1_000
const leastIdleMs = 1_000
/** A timer that is later than this tells of this process, not of the receiver. */
const haltMs = 500
/** Below the failures that switch an endpoint off, so that one broken connection alone does not. */
const mostFailed = 16
/** The closes of a receiver that leaves in good order. */
const normalCodes = [1000, 1001, 1005]
const cooldownMs = 1_000
const firstAheadMs = 2_000
const longestAheadMs = 60_000

export function pumpSocket(turn: Turn): void {
  const { state } = turn
  const { socket } = state
  if (socket.phase === 'open') return feed(turn, socket)
  if (socket.phase === 'dialling') return hurry(turn, socket)
  if (state.urgent.length > 0) return dial(turn, false)
  if (socket.phase !== 'idle' || isHeldUp(state)) return
  if (hasQueued(state) && allowance(state.concurrency).total > 0) return dial(turn, true)
  if (isKeptOpen(state) && !state.ahead.isPaused) dial(turn, false)
}

/** A call came while the dial waits behind other dials: give the dial priority. */
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
  const isUrgent = state.urgent.length > 0
  state.socket = { phase: 'dialling', token, head, isUrgent }
  turn.effects.push({ type: 'dial', token, config: state.config, isUrgent })
}

export function dialled(turn: Turn, token: number, opening: SocketOpening): void {
  const { state, effects } = turn
  if (state.socket.phase !== 'dialling' || state.socket.token !== token) {
    // Nobody would ever close it.
    effects.push({ type: 'closeSocket', token, code: 1000, reason: 'not needed any more' })
    return
  }
  const { head } = state.socket
  const open = newOpenSocket(token, opening, turn.at.getTime())
  state.socket = open
  effects.push(
    { type: 'setTimer', name: 'settle', delayMs: verdictMs, message: { type: 'settleDue', token } },
    {
      type: 'setTimer',
      name: 'idle',
      delayMs: turn.options.idleCloseMs,
      message: { type: 'idleDue', token },
    },
    { type: 'setTimer', name: 'ping', delayMs: intervalMs(turn), message: { type: 'pingDue', token } },
  )
  writeUrgent(turn, open)
  if (head) carryPing(turn, open, write(turn, open, { type: 'queued', item: head }))
}

/** Fails the delivery and the calls whose attempts include the dial. Other deliveries dial again. */
export function dialFailed(turn: Turn, token: number, report: AttemptReport): void {
  const { state } = turn
  if (state.socket.phase !== 'dialling' || state.socket.token !== token) return
  const { head } = state.socket
  state.socket = { phase: 'idle' }
  for (const work of state.urgent.splice(0)) finish(turn, work, report)
  if (head) finish(turn, { type: 'queued', item: head }, report)
  else restAhead(turn)
  coolDown(turn)
}

/**
 * After a dial that failed with nothing to send, or a socket that closed unused, the next one is dialled ahead
 * later and later: nobody waits for it. A call or a delivery dials at once in any case.
 */
function restAhead({ state, effects, options }: Turn): void {
  const { ahead } = state
  const delayMs = Math.min(longestAheadMs, firstAheadMs * 2 ** ahead.failures) * (0.5 + options.random() / 2)
  ahead.failures += 1
  ahead.isPaused = true
  effects.push({ type: 'setTimer', name: 'ahead', delayMs, message: { type: 'dialAhead' } })
}

function coolDown(turn: Turn): void {
  turn.state.socket = { phase: 'cooldown' }
  turn.effects.push({
    type: 'setTimer',
    name: 'cooldown',
    delayMs: Math.max(cooldownMs, pauseAfter(turn.state.concurrency.failures, turn.options.failurePauseMs)),
    message: { type: 'cooledDown' },
  })
}

export function cooledDown({ state }: Turn): void {
  if (state.socket.phase === 'cooldown') state.socket = { phase: 'idle' }
}

/** Writes calls first; then deliveries, while the receiver proves that it reads. */
function feed(turn: Turn, open: OpenSocket): void {
  const { state } = turn
  writeUrgent(turn, open)
  if (isHeldUp(state)) return
  let left = frameAllowance(state, open)
  let last: Handed | undefined
  while (left > 0 && open.unconfirmedBytes < maxUnconfirmedQueued && open.unsettled.length < maxUnsettled) {
    const item = takeQueued(state)
    if (!item) break
    last = write(turn, open, { type: 'queued', item })
    left -= 1
  }
  if (last) carryPing(turn, open, last)
}

/**
 * Frames that may still fail never exceed the failures that are left, so that the twentieth failure is the
 * last. Without failures, frames that were read are not counted: no rejection is expected after a pong.
 */
function frameAllowance(state: EndpointState, open: OpenSocket): number {
  const { concurrency } = state
  const unread = open.writing.size + unreadOf(open)
  if (concurrency.failures > 0)
    return Math.min(1, allowance(concurrency).total) - unread - open.unsettled.length
  return mostUnread(state, open) - unread
}

function writeUrgent(turn: Turn, open: OpenSocket): void {
  while (open.unconfirmedBytes < maxUnconfirmedBytes) {
    const work = turn.state.urgent.shift()
    if (!work) return
    carryPing(turn, open, write(turn, open, work))
  }
}

/** Ends the attempt of a frame. The attempt of a frame that was read ended then, however late its verdict is. */
function end(turn: Turn, frame: Frame, outcome: AttemptOutcome, at = turn.at): void {
  if (frame.isAnswered) return
  const durationMs = Math.max(0, at.getTime() - frame.startedAtMs)
  const report = reportOf(outcome, durationMs, frame.facts)
  finish(at === turn.at ? turn : { ...turn, at }, frame.work, report)
}

export function frameDone(turn: Turn, token: number, done: { frame: number; written: boolean }): void {
  const open = openSocket(turn.state, token)
  const frame = open?.writing.get(done.frame)
  if (!open || !frame) return
  open.writing.delete(done.frame)
  if (done.written) return frameTaken(turn, open, frame)
  frameEnded(turn, open, frame.bytes)
  end(turn, frame, failure('SOCKET_CLOSED'))
}

/** Only a pong proves that frames were read: a socket takes frames for a receiver that reads nothing, too. */
export function ponged(turn: Turn, token: number, ping: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  for (const frame of pong(turn, open, ping)) {
    if (open.settled) end(turn, frame, delivered)
    else {
      open.unsettled.push({ frame, readAtMs: turn.at.getTime() })
      // Their bodies stay in memory.
      turn.state.unreadShare.take(frame.bytes)
    }
  }
}

export function settleDue(turn: Turn, token: number): void {
  const open = openSocket(turn.state, token)
  if (open) settleNow(turn, open)
}

/** A leaving process does not wait for the verdict, which is nearly always the same. */
export function settleNow(turn: Turn, open: OpenSocket): void {
  open.settled = true
  for (const { frame, readAtMs } of open.unsettled.splice(0)) {
    turn.state.unreadShare.give(frame.bytes)
    end(turn, frame, delivered, new Date(readAtMs))
  }
}

export function socketClosed(turn: Turn, token: number, code: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  const isRejected = code === 1008 && turn.at.getTime() - open.openedAtMs <= verdictMs
  if (isRejected) return lose(turn, open, failure('SOCKET_REJECTED_SIGNATURE'))
  lose(turn, open, failure('SOCKET_CLOSED'), normalCodes.includes(code))
}

/** After a close in good order, which both sides have completed, what the socket had taken was read. */
function lose(turn: Turn, open: OpenSocket, reason: AttemptFailure, isInOrder = false): void {
  forgetSocket(turn)
  if (reason.code !== 'SOCKET_REJECTED_SIGNATURE') settleNow(turn, open)
  const [rejected, unread, writing] = [open.unsettled, unreadFrames(open), [...open.writing.values()]]
  if (isInOrder) for (const frame of unread) end(turn, frame, delivered)
  fail(turn, [...rejected.map(({ frame }) => frame), ...(isInOrder ? [] : unread), ...writing], reason)
  if (open.used) turn.state.ahead.failures = 0
  else if (isKeptOpen(turn.state)) restAhead(turn)
  // A receiver that closes at once would otherwise be dialled in a tight loop.
  if (turn.at.getTime() - open.openedAtMs <= verdictMs) coolDown(turn)
}

/** Of the deliveries the oldest have failed. The others had no attempt, and go out again. */
function fail(turn: Turn, frames: readonly Frame[], reason: AttemptFailure): void {
  const spared = frames.filter(({ work }) => work.type === 'queued').slice(mostFailed)
  for (const frame of frames) if (!spared.includes(frame)) end(turn, frame, reason)
  takeAllBack(turn.state, spared)
}

/** Closes for a reason of ours: what was read stays delivered, other deliveries use the next socket. */
export function dropSocket(turn: Turn, code: number, reason: string): void {
  const { state } = turn
  const { socket } = state
  if (socket.phase === 'open') {
    turn.effects.push({ type: 'closeSocket', token: socket.token, code, reason })
    const frames = framesUnderWay(state.socket)
    forgetSocket(turn)
    settleNow(turn, socket)
    for (const { work, isAnswered } of frames)
      if (work.type === 'direct' && !isAnswered) finish(turn, work, reportOf(failure('INTERRUPTED')))
    takeAllBack(state, frames)
  } else if (socket.phase === 'dialling') {
    turn.effects.push({ type: 'cutSocket', token: socket.token })
    state.socket = { phase: 'idle' }
    if (socket.head) takeBack(state, socket.head)
  }
}

function forgetSocket(turn: Turn): void {
  turn.state.socket = { phase: 'idle' }
  turn.state.unreadShare.give(turn.state.unreadShare.held)
  for (const name of ['settle', 'idle', 'ping', 'pong']) turn.effects.push({ type: 'clearTimer', name })
}

/** A half-open connection. Terminate it: a closing handshake would wait for the same dead peer. */
export function pongLate(turn: Turn, token: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  // This process stood still: the pong may be here, unread.
  if (turn.at.getTime() > open.pongDueAtMs + haltMs) return armPongTimer(turn, open)
  turn.effects.push({ type: 'cutSocket', token })
  lose(turn, open, failure('BACKPRESSURE'))
}

export function idleDue(turn: Turn, token: number): void {
  const open = openSocket(turn.state, token)
  if (!open) return
  const idleMs = turn.at.getTime() - open.lastEventAtMs
  if (idleMs >= turn.options.idleCloseMs && !isKeptOpen(turn.state)) return dropSocket(turn, 1000, 'idle')
  // One that is kept open may be given up by its number later.
  const leastMs = isKeptOpen(turn.state) ? turn.options.pingMs : leastIdleMs
  const delayMs = Math.max(turn.options.idleCloseMs - idleMs, leastMs)
  turn.effects.push({ type: 'setTimer', name: 'idle', delayMs, message: { type: 'idleDue', token } })
}

const delivered: AttemptOutcome = { type: 'delivered', statusCode: null }
