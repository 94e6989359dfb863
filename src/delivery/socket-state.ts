// The state of an endpoint's socket, a part of the state of its actor.
import type { AttemptReport } from './attempt.ts'
import type { SocketOpening } from './endpoint.messages.ts'
import type { QueuedItem, Work } from './endpoint.ts'
import { newWindow, type SocketWindow } from './socket-window.ts'

/** A frame handed to the socket, and the facts that its attempt's report contains besides the outcome. */
export interface Frame {
  readonly work: Work
  readonly bytes: number
  readonly startedAtMs: number
  readonly facts: Pick<AttemptReport, 'timings' | 'remoteAddress' | 'reusedConnection'>
  /** The ping right behind the frame, in the same write. */
  ping: number | undefined
  /** A call whose time ran out has its answer. Its bytes are still on their way. */
  isAnswered: boolean
  /** Its queue was read anew since: its row may be gone. */
  isOutdated: boolean
}

/** A ping without its pong, and what it covers: the frames that the socket took since the ping before it. */
export interface Ping {
  readonly ping: number
  readonly frames: readonly Frame[]
  readonly isForCall: boolean
  /** When it was handed to the socket, and how many frames were unread then. */
  readonly sentAtMs: number
  readonly unread: number
}

export interface OpenSocket {
  readonly phase: 'open'
  readonly token: number
  readonly openedAtMs: number
  readonly opening: SocketOpening
  /** Whether a frame was handed to the socket: the dial is part of the first frame's attempt. */
  used: boolean
  /** Frames handed to the socket that it has neither taken nor refused yet. */
  readonly writing: Map<number, Frame>
  /** Frames that the socket has taken since the last ping. */
  sincePing: Frame[]
  /** Oldest first. */
  readonly pings: Ping[]
  /**
   * Frames that the receiver has read, without a verdict: a close with 1008 shortly after the upgrade makes
   * them failures.
   */
  readonly unsettled: { readonly frame: Frame; readonly readAtMs: number }[]
  settled: boolean
  readonly window: SocketWindow
  /** The receiver has answered a ping, and had not rejected the signature before. */
  hasPonged: boolean
  /** Bytes of frames that no pong covers yet, including those in `writing`. */
  unconfirmedBytes: number
  /** When the answer to the oldest ping is late. */
  pongDueAtMs: number
  lastEventAtMs: number
}

/** Frames that the socket has taken and no pong covers yet, oldest first. */
export const unreadFrames = ({ pings, sincePing }: OpenSocket): Frame[] => [
  ...pings.flatMap(({ frames }) => frames),
  ...sincePing,
]

export type SocketState =
  | { readonly phase: 'idle' }
  /** `head` is the delivery whose attempt includes the dial. */
  | {
      readonly phase: 'dialling'
      readonly token: number
      readonly head: QueuedItem | undefined
      isUrgent: boolean
    }
  | OpenSocket
  /** A dial failed or a new socket closed a moment ago: deliveries wait, a ringing call dials at once. */
  | { readonly phase: 'cooldown' }

export const newOpenSocket = (token: number, opening: SocketOpening, nowMs: number): OpenSocket => ({
  phase: 'open',
  token,
  openedAtMs: nowMs,
  opening,
  used: false,
  writing: new Map(),
  sincePing: [],
  pings: [],
  unsettled: [],
  settled: false,
  hasPonged: false,
  window: newWindow(nowMs),
  unconfirmedBytes: 0,
  pongDueAtMs: nowMs,
  lastEventAtMs: nowMs,
})

/** Frames that were handed to the socket and may still come back, oldest first. */
export const framesUnderWay = (socket: SocketState): Frame[] =>
  socket.phase === 'open' ? [...unreadFrames(socket), ...socket.writing.values()] : []
