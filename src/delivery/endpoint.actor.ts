// The endpoint actor: the only place in the cluster that sends to an endpoint. It opens no connection and
// writes no row itself: it requests both with effects, and receives the results as messages.
import type { ActorDefinition, Incoming, Step } from '../platform/actors/actor.ts'
import { failure } from './attempt.ts'
import { allowance } from './concurrency-limit.ts'
import type { Effects, EndpointEffect, EndpointMessage } from './endpoint.messages.ts'
import type { QueuedItem } from './endpoint.ts'
import { reload, reloaded, reloadFailed } from './endpoint-reload.ts'
import {
  dropOutdated,
  dropQueued,
  type EndpointState,
  enqueueInTurn,
  enqueueOrLeave,
  isKeptOpen,
  isSocket,
  nextToken,
  pullAll,
  pullAnew,
  queueNameOf,
  takeArrived,
} from './endpoint-state.ts'
import {
  answerDirect,
  directTimerEffect,
  type EndpointOptions,
  endpointOff,
  pullMore,
  reportOf,
  type Turn,
} from './endpoint-work.ts'
import { maxDirectPosts, notPosted, posted, pumpHttps } from './https-transport.ts'
import { directDue } from './socket-calls.ts'
import { pingDue } from './socket-pings.ts'
import { unreadFrames } from './socket-state.ts'
import {
  cooledDown,
  dialFailed,
  dialled,
  dropSocket,
  frameDone,
  idleDue,
  ponged,
  pongLate,
  pumpSocket,
  settleDue,
  settleNow,
  socketClosed,
} from './socket-transport.ts'

/** The actor commits nothing itself: results go through the recorder, which commits many at once. */
export type EndpointTx = never
export type EndpointActor = ActorDefinition<EndpointState, EndpointMessage, EndpointTx, EndpointEffect>

/**
 * Calls that wait for a socket, for room in it, or for the end of a request under way. So many may come to one endpoint
 * within a round trip; each waits for five seconds at most, which is better than not to ring.
 */
const maxUrgent = 512
const pullAgainMs = 1_000
const idleSocketMs = 30_000
const idleHttpsMs = 5 * 60_000
/** Without the configuration: an actor takes the address of its endpoint only from the database. */
const fromOthers: ReadonlySet<EndpointMessage['type']> = new Set([
  'deliver',
  'direct',
  'wake',
  'configChanged',
  'stayReady',
])
/** A pull waits for the guard, too: the previous owner may still be sending what it would read. */
const guarded = new Set<string>(['post', 'dial', 'hurryDial', 'frame', 'pull'])

export const endpointActor = (options: EndpointOptions): EndpointActor => ({
  kind: 'endpoint',
  mailboxLimit: 2_000,
  fromOthers,
  // A receiver recognises a call that is forwarded twice by the id of its event.
  repeatable: new Set(['direct']),
  idleAfterMs: (state) => {
    if (state.known.size > 0 || state.posts.size > 0 || state.urgent.length > 0) return undefined
    if (state.socket.phase !== 'idle' || isKeptOpen(state)) return undefined
    return isSocket(state) ? idleSocketMs : idleHttpsMs
  },
  drain: { type: 'leave' },
  isGuarded: (effect) => guarded.has(effect.type),
  // Held for seconds after a takeover, it would use a secret that was changed meanwhile, or open a socket that nobody closes.
  insteadOf(effect, state) {
    const { socket } = state
    if (effect.type === 'post') return insteadOfPost(effect, state)
    if (effect.type === 'dial' && !(socket.phase === 'dialling' && socket.token === effect.token))
      return { type: 'dialFailed', token: effect.token, report: reportOf(failure('INTERRUPTED')) }
    return undefined
  },
  handle(state, incoming): Step<EndpointState, EndpointTx, Effects[number]> {
    const turn: Turn = { state, at: incoming.at, options, effects: [] }
    apply(turn, incoming)
    dropOutdated(state)
    if (state.config.enabled) {
      if (state.reloading === undefined) pump(turn)
      pullMore(turn)
    }
    if (state.isLeaving) leaveWhenDone(turn)
    return { state, effects: turn.effects }
  },
})

function pump(turn: Turn): void {
  if (isSocket(turn.state)) pumpSocket(turn)
  else pumpHttps(turn)
}

function apply(turn: Turn, { message, replyTo }: Incoming<EndpointMessage>): void {
  if (isSocketMessage(message)) return applySocket(turn, message)
  switch (message.type) {
    case 'deliver':
      return deliver(turn, message.items)
    case 'direct':
      return direct(turn, { item: message.item, replyTo })
    case 'notPosted':
      return notPosted(turn, message.token)
    case 'posted':
      return posted(turn, message.token, message.report)
    case 'recorded':
      return recorded(turn, message)
    case 'configChanged':
      return reload(turn)
    case 'reloaded':
      if (message.token === turn.state.reloading) turn.state.reloading = undefined
      return reloaded(turn, message.config)
    case 'reloadFailed':
      return reloadFailed(turn, message.token)
    case 'leave':
      return leave(turn)
    case 'wake':
      return message.isAnew ? pullAnew(turn.state) : pullAll(turn.state)
    case 'stayReady':
      return
    case 'pulled':
      return pulled(turn, message)
    case 'pullFailed':
      return pullFailed(turn, message.token)
    case 'pullAgain':
      turn.state.isPullPaused = false
      return
    case 'rested':
      turn.state.isResting = false
      return
  }
}

const socketMessages = [
  'dialled',
  'dialFailed',
  'frameDone',
  'socketClosed',
  'pong',
  'pingDue',
  'pongLate',
  'settleDue',
  'idleDue',
  'cooledDown',
  'directDue',
  'dialAhead',
] as const
type SocketMessage = Extract<EndpointMessage, { type: (typeof socketMessages)[number] }>

const isSocketMessage = (message: EndpointMessage): message is SocketMessage =>
  (socketMessages as readonly string[]).includes(message.type)

function applySocket(turn: Turn, message: SocketMessage): void {
  switch (message.type) {
    case 'dialled':
      return dialled(turn, message.token, message.opening)
    case 'dialFailed':
      return dialFailed(turn, message.token, message.report)
    case 'frameDone':
      return frameDone(turn, message.token, message)
    case 'socketClosed':
      return socketClosed(turn, message.token, message.code)
    case 'pong':
      return ponged(turn, message.token, message.ping)
    case 'pingDue':
      return pingDue(turn, message.token)
    case 'pongLate':
      return pongLate(turn, message.token)
    case 'settleDue':
      return settleDue(turn, message.token)
    case 'idleDue':
      return idleDue(turn, message.token)
    case 'cooledDown':
      return cooledDown(turn)
    case 'directDue':
      return directDue(turn, message.work)
    case 'dialAhead':
      turn.state.ahead.isPaused = false
      return
  }
}

function insteadOfPost(
  { token, item, config: before }: Extract<Effects[number], { type: 'post' }>,
  { config, reloading }: EndpointState,
): EndpointMessage | undefined {
  const isOutdated = !config.enabled || before.configVersion !== config.configVersion
  // A call does not wait for the configuration.
  if (!('deliveryId' in item)) return isOutdated ? { type: 'notPosted', token } : undefined
  const waits = isOutdated || reloading !== undefined
  return waits ? { type: 'posted', token, report: reportOf(failure('INTERRUPTED')) } : undefined
}

function deliver({ state, at }: Turn, items: readonly QueuedItem[]): void {
  if (!state.config.enabled || state.isLeaving) return
  for (const item of items) enqueueInTurn(state, item, at.getTime())
}

function direct(turn: Turn, asked: Pick<Parameters<typeof answerDirect>[1], 'item' | 'replyTo'>): void {
  const { state, options } = turn
  const work = { type: 'direct' as const, id: nextToken(state), ...asked }
  if (!state.config.enabled) return answerDirect(turn, work, endpointOff)
  if (state.urgent.length >= maxUrgent)
    return answerDirect(turn, work, { type: 'failed', code: 'OVERLOADED', message: 'endpoint overloaded' })
  state.urgent.push(work)
  // A request has its own deadline. A call that waits for a request or a socket gets this one.
  if (isSocket(state) || state.directPosts >= maxDirectPosts || state.reloading !== undefined)
    turn.effects.push(directTimerEffect(work.id, options.directTimeoutMs))
}

function pulled(turn: Turn, message: Extract<EndpointMessage, { type: 'pulled' }>): void {
  const { state } = turn
  const { pulling } = state
  if (pulling?.token !== message.token) return
  state.pulling = undefined
  const nowMs = turn.at.getTime()
  // A replay through another gateway than the change before it can be here before the word of that change.
  if ((message.configVersion ?? 0) > state.config.configVersion && state.reloading === undefined) reload(turn)
  for (const item of message.items) {
    // The row may have been read before its result was written: read it again.
    if (pulling.left.has(item.deliveryId)) state.inStore[queueNameOf(item)] = true
    else enqueueOrLeave(state, item, nowMs)
  }
  if (message.more.first) state.inStore.first = true
  if (message.more.retries) state.inStore.retries = true
  for (const item of takeArrived(state)) enqueueInTurn(state, item, nowMs)
}

/** The store still has older deliveries, so what arrived meanwhile stays there until a pull succeeds. */
function pullFailed({ state, effects }: Turn, token: number): void {
  const { pulling } = state
  if (pulling?.token !== token) return
  state.pulling = undefined
  takeArrived(state)
  if (pulling.first) state.inStore.first = true
  if (pulling.retries) state.inStore.retries = true
  state.isPullPaused = true
  effects.push({ type: 'setTimer', name: 'pull', delayMs: pullAgainMs, message: { type: 'pullAgain' } })
}

function leave(turn: Turn): void {
  const { state } = turn
  state.isLeaving = true
  dropQueued(state)
  if (state.socket.phase === 'open') settleNow(turn, state.socket)
}

function leaveWhenDone(turn: Turn): void {
  const { state } = turn
  const { socket } = state
  const busy =
    socket.phase === 'dialling' ||
    (socket.phase === 'open' && (socket.writing.size > 0 || unreadFrames(socket).length > 0))
  if (busy || state.posts.size > 0 || state.known.size > 0 || state.urgent.length > 0) return
  dropSocket(turn, 1001, 'going away')
  turn.effects.push({ type: 'passivate' })
}

function recorded(turn: Turn, message: Extract<EndpointMessage, { type: 'recorded' }>): void {
  const { state } = turn
  for (const id of message.deliveryIds) {
    state.pulling?.left.add(id)
    if (state.known.delete(id)) state.unrecorded -= 1
  }
  // Off, as the statement saw it: since then somebody may have turned it on. Or still on, although 20 failures were seen:
  // the store counts differently, for example after an off and on that this owner missed.
  const isDoubtful = !message.enabled || (isSpent(state) && state.unrecorded === 0)
  if (state.config.enabled && isDoubtful) reload(turn)
}

const isSpent = ({ concurrency }: EndpointState): boolean => allowance(concurrency).total === 0
