// What an endpoint actor holds. The cell owns it and nobody else has a reference, so a turn changes it in place:
// a lane of a thousand deliveries is not copied for each of them.
import type { ReplyTo } from '../actors/actor.ts'
import { type DirectItem, type EndpointConfig, type QueuedItem, transportOf } from './endpoint.ts'
import { KeyedLane } from './lanes.ts'
import { newPace, type Pace } from './pace.ts'

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

export interface OpenSocket {
  readonly phase: 'open'
  readonly token: number
  readonly openedAtMs: number
  /** Frames handed to the socket that it has not yet taken or refused. */
  readonly writing: Map<number, Work>
  /** Accepted frames whose verdict waits: a close with 1008 shortly after the upgrade makes them failures. */
  readonly unsettled: Work[]
  settled: boolean
  /** Bytes of frames that no pong covers yet. */
  unconfirmedBytes: number
  bytesSincePing: number
  framesSincePing: number
  /** Pings without their pong, oldest first, with the bytes each covers. */
  readonly pings: { readonly ping: number; readonly bytes: number }[]
  lastEventAtMs: number
}

export type SocketState =
  | { readonly phase: 'idle' }
  /** `head` is the delivery whose attempt the dial is part of. */
  | { readonly phase: 'dialling'; readonly token: number; readonly head: QueuedItem | undefined }
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
  retryPosts: number
  directPosts: number
  socket: SocketState
  pace: Pace
  /** The store has first attempts that the lanes do not, and that no pull under way may be relied on to bring. */
  moreInStore: boolean
  /** The same of retries and replays, however many: first attempts never queue up behind them. */
  moreRetries: boolean
  pulling: boolean
  /** Delivered while a pull is under way: they go behind what it brings. */
  readonly arrived: QueuedItem[]
  /** The process goes away: what is under way ends, nothing begins. */
  isLeaving: boolean
  lastToken: number
}

const laneItems = 1_000
const laneBytes = 4 * 1024 * 1024

export function newEndpointState(
  config: EndpointConfig,
  pending: { readonly items: readonly QueuedItem[]; readonly more: boolean },
): EndpointState {
  const state: EndpointState = {
    config,
    first: new KeyedLane(laneItems, laneBytes),
    retries: new KeyedLane(laneItems, laneBytes),
    urgent: [],
    known: new Set(),
    posts: new Map(),
    retryPosts: 0,
    directPosts: 0,
    socket: { phase: 'idle' },
    pace: newPace(config.consecutiveFailures),
    moreInStore: pending.more,
    moreRetries: pending.more,
    pulling: false,
    arrived: [],
    isLeaving: false,
    lastToken: 0,
  }
  for (const item of pending.items) enqueue(state, item)
  return state
}

export const nextToken = (state: EndpointState): number => {
  state.lastToken += 1
  return state.lastToken
}

export const laneOf = (state: EndpointState, item: QueuedItem): KeyedLane<QueuedItem> =>
  item.attemptNumber > 1 || item.replay ? state.retries : state.first

/** False where the lane is full: the row stays in the store and is pulled when there is room. */
export function enqueue(state: EndpointState, item: QueuedItem): boolean {
  if (state.known.has(item.deliveryId)) return true
  const lane = laneOf(state, item)
  if (lane.isFull) return false
  state.known.add(item.deliveryId)
  lane.push(item)
  return true
}

/** Behind what the store brought, in the order of arrival; while the store holds older ones they stay there too. */
export function enqueueInTurn(state: EndpointState, items: readonly QueuedItem[]): void {
  for (const item of items) {
    const isBehind = state.moreInStore && laneOf(state, item) === state.first
    if (isBehind || !enqueue(state, item)) leaveInStore(state, item)
  }
}

/** It did not fit, or must not overtake: a pull brings it. */
export function leaveInStore(state: EndpointState, item: QueuedItem): void {
  if (laneOf(state, item) === state.first) state.moreInStore = true
  else state.moreRetries = true
}

/** A hint that names no delivery, or a page that ended before the store did: either lane may have more. */
export function lookAgain(state: EndpointState): void {
  state.moreInStore = !state.isLeaving
  state.moreRetries = !state.isLeaving
}

/** Keeps them for the end of the pull. */
export function setAside(state: EndpointState, items: readonly QueuedItem[]): void {
  if (state.arrived.length + items.length <= laneItems) state.arrived.push(...items)
  else for (const item of items) leaveInStore(state, item)
}

/** The next queued delivery, first attempts before retries. */
export const takeQueued = (state: EndpointState): QueuedItem | undefined =>
  state.first.take() ?? state.retries.take()

export const hasQueued = (state: EndpointState): boolean => state.first.size > 0 || state.retries.size > 0

/** Forgets what waits; the rows are in the store. What is under way goes on. */
export function dropQueued(state: EndpointState): void {
  for (const item of [...state.first.clear(), ...state.retries.clear()]) state.known.delete(item.deliveryId)
  state.arrived.length = 0
  state.moreInStore = false
  state.moreRetries = false
}

export const isSocket = (state: EndpointState): boolean => transportOf(state.config.url) === 'socket'
