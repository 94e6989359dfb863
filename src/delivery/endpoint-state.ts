// The state of an endpoint actor. The cell owns it and no other code has a reference, so a turn changes it in
// place: a queue of a thousand deliveries is not copied for each of them.
import { idTimeMs } from '../shared/ids.ts'
import { AttemptQueue, bytesOf } from './attempt-queue.ts'
import { type ConcurrencyLimit, newConcurrencyLimit } from './concurrency-limit.ts'
import type { Pulled } from './endpoint.messages.ts'
import {
  type DirectWork,
  type EndpointConfig,
  type QueuedItem,
  type QueueName,
  transportOf,
  type Work,
} from './endpoint.ts'
import type { EndpointQuota, Share } from './process-budget.ts'
import { RecentAttempts } from './recent-attempts.ts'
import { RecentEvents } from './recent-events.ts'
import { framesUnderWay, type SocketState } from './socket-state.ts'

export interface EndpointState {
  config: EndpointConfig
  readonly first: AttemptQueue<QueuedItem>
  readonly retries: AttemptQueue<QueuedItem>
  /** Ringing and accepted calls: they go before everything else. */
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
  readonly unreadShare: Share
  concurrency: ConcurrencyLimit
  /** Of a socket that is kept open for calls: failed dials and unused sockets in a row, and a pause after each. */
  readonly ahead: { failures: number; isPaused: boolean }
  /** Results on their way to the store, which has not counted them yet. */
  unrecorded: number
  /** A fault of ours ended an attempt: queued attempts pause for a moment. */
  isResting: boolean
  /** The store has deliveries that are not in the queues, and that the current pull may miss. */
  readonly inStore: Record<QueueName, boolean>
  /** The pull under way, which queues it reads, and the deliveries that left `known` since it began. */
  pulling:
    | {
        readonly token: number
        readonly first: boolean
        readonly retries: boolean
        readonly left: Set<string>
      }
    | undefined
  /** The configuration was changed, and the reload with this token has not told it yet: nothing begins. */
  reloading: number | undefined
  /** A pull failed a moment ago. */
  isPullPaused: boolean
  /** First attempts that arrive while a pull reads older ones: they go behind those. */
  readonly arrived: QueuedItem[]
  readonly arrivedShare: Share
  readonly recent: RecentEvents
  readonly recentAttempts: RecentAttempts
  /** The process is leaving: what is under way ends, nothing new begins. */
  isLeaving: boolean
  lastToken: number
}

const queueBounds = { items: 1_000, bytes: 4 * 1024 * 1024 }

interface StateOptions {
  readonly quota: EndpointQuota
  readonly nowMs: number
  /** Deliveries that were attempted here by the incarnation before; their results are on their way to the store. */
  readonly unwritten?: readonly string[]
}

export function newEndpointState(
  config: EndpointConfig,
  pending: Pulled,
  { quota, nowMs, unwritten = [] }: StateOptions,
): EndpointState {
  const state: EndpointState = {
    config,
    first: new AttemptQueue(queueBounds, quota.first),
    retries: new AttemptQueue(queueBounds, quota.retries),
    urgent: [],
    known: new Set(unwritten),
    posts: new Map(),
    postsShare: quota.posts,
    retryPosts: 0,
    directPosts: 0,
    socket: { phase: 'idle' },
    unreadShare: quota.unread,
    concurrency: newConcurrencyLimit(config.consecutiveFailures),
    unrecorded: unwritten.length,
    ahead: { failures: 0, isPaused: false },
    isResting: false,
    inStore: { ...pending.more },
    pulling: undefined,
    reloading: undefined,
    isPullPaused: false,
    arrived: [],
    arrivedShare: quota.arrived,
    recent: new RecentEvents(),
    recentAttempts: new RecentAttempts(promptMs),
    isLeaving: false,
    lastToken: 0,
  }
  // What waits for one that is off will be held, and turning it on sends nothing by itself.
  if (config.enabled) for (const item of pending.items) enqueueOrLeave(state, item, nowMs)
  return state
}

export const nextToken = (state: EndpointState): number => {
  state.lastToken += 1
  return state.lastToken
}

/** A replay repeats a delivery on request, so it waits among the retries. */
export const queueNameOf = (item: QueuedItem): QueueName =>
  item.attemptNumber > 1 || item.replay ? 'retries' : 'first'

export const queueOf = (state: EndpointState, item: QueuedItem): AttemptQueue<QueuedItem> =>
  state[queueNameOf(item)]

/** False when the queue is full: the row stays in the store and is pulled when there is room. */
function enqueue(state: EndpointState, item: QueuedItem): boolean {
  if (state.known.has(item.deliveryId)) return true
  const queue = queueOf(state, item)
  if (queue.isFull) return false
  state.known.add(item.deliveryId)
  queue.push(item)
  return true
}

export function enqueueOrLeave(state: EndpointState, item: QueuedItem, nowMs: number): void {
  if (!enqueue(state, item)) state.inStore[queueNameOf(item)] = true
  else if (queueNameOf(item) === 'first') state.recent.note(item.key, item.eventId, nowMs)
}

/**
 * Puts a new item behind what the store holds: while the store has older items of the queue, the new one
 * stays there too. It also stays there while the event before it has not arrived: another node may have
 * written that one and hand it over more slowly. And it stays there when its own hand-over took about as long
 * as the sweeper waits, or was overtaken by another: it may have been sent already.
 */
export function enqueueInTurn(state: EndpointState, item: QueuedItem, nowMs: number): void {
  const queue = queueNameOf(item)
  if (state.inStore[queue] || state.known.has(item.deliveryId)) return
  const mayBeSent = queue === 'first' ? isOutOfTurn : wasAttempted
  if (queue === 'first' && state.pulling?.first) setAside(state, item)
  else if (isLate(item, nowMs) || mayBeSent(state, item, nowMs)) state.inStore[queue] = true
  else enqueueOrLeave(state, item, nowMs)
}

/** The event before it may still be on its way, or a pull was faster than the hand-over and it was sent already. */
const isOutOfTurn = (
  { recent }: EndpointState,
  { key, eventId, after }: QueuedItem,
  nowMs: number,
): boolean => recent.lacks(key, after, nowMs) || recent.hasPassed(key, eventId)

const wasAttempted = (
  { recentAttempts }: EndpointState,
  { deliveryId, attemptNumber }: QueuedItem,
): boolean => recentAttempts.has(deliveryId, attemptNumber)

/** Well within the sweeper's grace of three seconds. */
const promptMs = 2_000

const isLate = (item: QueuedItem, nowMs: number): boolean =>
  nowMs - (item.dueAtMs ?? idTimeMs(item.deliveryId)) > promptMs

/** Keeps the item until the pull has ended. */
function setAside(state: EndpointState, item: QueuedItem): void {
  const { arrived, arrivedShare } = state
  const hasRoom = arrived.length < queueBounds.items && arrivedShare.held < arrivedShare.limit
  if (!hasRoom) {
    state.inStore.first = true
    return
  }
  arrived.push(item)
  arrivedShare.take(bytesOf(item))
}

/** The items that were set aside, in the order of their arrival. */
export function takeArrived(state: EndpointState): QueuedItem[] {
  state.arrivedShare.give(state.arrivedShare.held)
  return state.arrived.splice(0)
}

/** So many results wait for the store when it does not take them; nothing more is sent until it does. */
const maxUnrecorded = 2_000

/** Whether nothing that waits here may start now. */
export const isHeldUp = (state: EndpointState): boolean =>
  state.isResting || state.isLeaving || state.unrecorded >= maxUnrecorded

/** The next queued delivery, first attempts before retries. */
export const takeQueued = (state: EndpointState): QueuedItem | undefined =>
  state.first.take() ?? state.retries.take()

export const hasQueued = (state: EndpointState): boolean => state.first.size > 0 || state.retries.size > 0

/** Drops what waits, because the rows are in the store. What is under way goes on. */
export function dropQueued(state: EndpointState): void {
  for (const item of [...state.first.clear(), ...state.retries.clear()]) state.known.delete(item.deliveryId)
  takeArrived(state)
  for (const frame of framesUnderWay(state.socket)) frame.isOutdated = true
  // The pull under way read the store before this: ignore its result.
  state.pulling = undefined
  state.inStore.first = false
  state.inStore.retries = false
}

/** Rows may have changed: what waits is read again, with what was under way and comes back without an attempt. */
export function pullAnew(state: EndpointState): void {
  dropQueued(state)
  pullAll(state)
}

/** What comes back after its queue was dropped: all is read again, because later events of its key may be queued now. */
export function dropOutdated(state: EndpointState): void {
  const outdated = [state.first.takeOutdated(), state.retries.takeOutdated()]
  if (outdated.every((items) => items.length === 0)) return
  for (const item of outdated.flat()) state.known.delete(item.deliveryId)
  pullAnew(state)
}

export function pullAll(state: EndpointState): void {
  state.inStore.first = true
  state.inStore.retries = true
}

/** Its socket is open also while nothing is to be sent. */
export const isKeptOpen = (state: EndpointState): boolean =>
  isSocket(state) && state.config.enabled && state.config.staysOpen

export const isSocket = (state: EndpointState): boolean => transportOf(state.config.url) === 'socket'
