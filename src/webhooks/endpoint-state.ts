// What an endpoint actor holds. The cell owns it and nobody else has a reference, so a turn changes it in place:
// a lane of a thousand deliveries is not copied for each of them.
import type { ReplyTo } from '../actors/actor.ts'
import { idTimeMs } from '../shared/ids.ts'
import type { AttemptReport } from './attempt.ts'
import type { Share, Stake } from './commons.ts'
import {
  type DirectItem,
  type EndpointConfig,
  type LaneName,
  type Pulled,
  type QueuedItem,
  type SocketOpening,
  transportOf,
} from './endpoint.ts'
import { bytesOf, KeyedLane } from './lanes.ts'
import { newPace, type Pace } from './pace.ts'
import { RecentEvents } from './recent-events.ts'

export interface DirectWork {
  readonly type: 'direct'
  readonly id: number
  readonly item: DirectItem
  readonly replyTo: ReplyTo | undefined
}

export interface QueuedWork {
  readonly type: 'queued'
  readonly item: QueuedItem
}

export type Work = DirectWork | QueuedWork

/** A frame handed to the socket, and what its attempt's report will say besides the outcome. */
export interface Frame {
  readonly work: Work
  readonly bytes: number
  readonly startedAtMs: number
  readonly facts: Pick<AttemptReport, 'timings' | 'remoteAddress' | 'reusedConnection'>
}

export interface OpenSocket {
  readonly phase: 'open'
  readonly token: number
  readonly openedAtMs: number
  readonly opening: SocketOpening
  /** Whether a frame was handed to it: the dial was part of the first one's attempt. */
  used: boolean
  /** Frames handed to the socket that it has not yet taken or refused. */
  readonly writing: Map<number, Frame>
  /** Accepted frames whose verdict waits: a close with 1008 shortly after the upgrade makes them failures. */
  readonly unsettled: (Frame & { readonly acceptedAtMs: number })[]
  settled: boolean
  /** The receiver has answered a ping, and had not refused the signature before. */
  hasPonged: boolean
  /** Bytes of frames that no pong covers yet, those still in `writing` included. */
  unconfirmedBytes: number
  /** Of frames taken since the last ping. */
  bytesSincePing: number
  framesSincePing: number
  /** Pings without their pong, oldest first, with the bytes each covers. */
  readonly pings: { readonly ping: number; readonly bytes: number }[]
  lastEventAtMs: number
}

export type SocketState =
  | { readonly phase: 'idle' }
  /** `head` is the delivery whose attempt the dial is part of. */
  | {
      readonly phase: 'dialling'
      readonly token: number
      readonly head: QueuedItem | undefined
      isUrgent: boolean
    }
  | OpenSocket
  /** A dial failed a moment ago: queued events wait, a ringing call dials at once. */
  | { readonly phase: 'cooldown' }

export interface EndpointState {
  config: EndpointConfig
  readonly first: KeyedLane<QueuedItem>
  readonly retries: KeyedLane<QueuedItem>
  /** Ringing and accepted calls: they pass everything. */
  readonly urgent: DirectWork[]
  /** Ids of deliveries that are queued, under way, or whose result is not committed yet. */
  readonly known: Set<string>
  /** HTTPS requests under way. */
  readonly posts: Map<number, Work>
  /** What the process grants to the queued ones among them. */
  readonly postsShare: Share
  retryPosts: number
  directPosts: number
  socket: SocketState
  pace: Pace
  /** Results on their way to the store, which does not count them yet. */
  unrecorded: number
  /** A fault of ours ended an attempt: queued ones pause for a moment. */
  isResting: boolean
  /** The store has deliveries that the lanes do not, and that no pull under way may be relied on to bring. */
  readonly inStore: Record<LaneName, boolean>
  /** The pull under way, and whether it brings first attempts. */
  pulling: { readonly token: number; readonly first: boolean; readonly retries: boolean } | undefined
  /** A pull failed a moment ago. */
  isPullPaused: boolean
  /** First attempts delivered while a pull brings older ones: they go behind them. */
  readonly arrived: QueuedItem[]
  readonly arrivedShare: Share
  readonly recent: RecentEvents
  /** The process goes away: what is under way ends, nothing begins. */
  isLeaving: boolean
  lastToken: number
}

const laneBounds = { items: 1_000, bytes: 4 * 1024 * 1024 }

export function newEndpointState(
  config: EndpointConfig,
  pending: Pulled,
  { stake, nowMs }: { readonly stake: Stake; readonly nowMs: number },
): EndpointState {
  const state: EndpointState = {
    config,
    first: new KeyedLane(laneBounds, stake.first),
    retries: new KeyedLane(laneBounds, stake.retries),
    urgent: [],
    known: new Set(),
    posts: new Map(),
    postsShare: stake.posts,
    retryPosts: 0,
    directPosts: 0,
    socket: { phase: 'idle' },
    pace: newPace(config.consecutiveFailures),
    unrecorded: 0,
    isResting: false,
    inStore: { ...pending.more },
    pulling: undefined,
    isPullPaused: false,
    arrived: [],
    arrivedShare: stake.arrived,
    recent: new RecentEvents(),
    isLeaving: false,
    lastToken: 0,
  }
  for (const item of pending.items) enqueueOrLeave(state, item, nowMs)
  return state
}

export const nextToken = (state: EndpointState): number => {
  state.lastToken += 1
  return state.lastToken
}

/** A replay is somebody's second try, so it waits among the retries. */
export const laneNameOf = (item: QueuedItem): LaneName =>
  item.attemptNumber > 1 || item.replay ? 'retries' : 'first'

export const laneOf = (state: EndpointState, item: QueuedItem): KeyedLane<QueuedItem> =>
  state[laneNameOf(item)]

/** False where the lane is full: the row stays in the store and is pulled when there is room. */
function enqueue(state: EndpointState, item: QueuedItem): boolean {
  if (state.known.has(item.deliveryId)) return true
  const lane = laneOf(state, item)
  if (lane.isFull) return false
  state.known.add(item.deliveryId)
  lane.push(item)
  return true
}

export function enqueueOrLeave(state: EndpointState, item: QueuedItem, nowMs: number): void {
  if (!enqueue(state, item)) state.inStore[laneNameOf(item)] = true
  else if (laneNameOf(item) === 'first') state.recent.note(item.key, item.eventId, nowMs)
}

/**
 * Behind what the store holds: while it has older ones of the lane, the new one stays there too. So it does where the
 * event before it has not come: another node may have written that one, and be slower to hand it over. And where it
 * was on its way for as long as the sweeper waits: then it may have been sent already.
 */
export function enqueueInTurn(state: EndpointState, item: QueuedItem, nowMs: number): void {
  const lane = laneNameOf(item)
  if (state.inStore[lane]) return
  if (lane === 'first' && state.pulling?.first) setAside(state, item)
  else if (isLate(item, nowMs) || state.recent.lacks(item.key, item.after, nowMs)) state.inStore[lane] = true
  else enqueueOrLeave(state, item, nowMs)
}

/** Well within the sweeper's grace of three seconds. */
const promptMs = 2_000

const isLate = (item: QueuedItem, nowMs: number): boolean =>
  nowMs - (item.dueAtMs ?? idTimeMs(item.deliveryId)) > promptMs

/** Keeps it for the end of the pull. */
function setAside(state: EndpointState, item: QueuedItem): void {
  const { arrived, arrivedShare } = state
  const hasRoom = arrived.length < laneBounds.items && arrivedShare.held < arrivedShare.limit
  if (!hasRoom) {
    state.inStore.first = true
    return
  }
  arrived.push(item)
  arrivedShare.take(bytesOf(item))
}

/** What was set aside, in the order of its arrival. */
export function takeArrived(state: EndpointState): QueuedItem[] {
  state.arrivedShare.give(state.arrivedShare.held)
  return state.arrived.splice(0)
}

/** Whether what waits here may start at all. */
export const isHeldUp = (state: EndpointState): boolean => state.isResting || state.isLeaving

/** The next queued delivery, first attempts before retries. */
export const takeQueued = (state: EndpointState): QueuedItem | undefined =>
  state.first.take() ?? state.retries.take()

export const hasQueued = (state: EndpointState): boolean => state.first.size > 0 || state.retries.size > 0

/** Forgets what waits; the rows are in the store. What is under way goes on. */
export function dropQueued(state: EndpointState): void {
  for (const item of [...state.first.clear(), ...state.retries.clear()]) state.known.delete(item.deliveryId)
  takeArrived(state)
  // What a pull still brings was read before this.
  state.pulling = undefined
  state.inStore.first = false
  state.inStore.retries = false
}

export function pullAll(state: EndpointState): void {
  state.inStore.first = true
  state.inStore.retries = true
}

export const isSocket = (state: EndpointState): boolean => transportOf(state.config.url) === 'socket'
