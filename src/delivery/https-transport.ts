// The endpoint actor over HTTPS: starts attempts, and handles their reports.
import type { AttemptReport } from './attempt.ts'
import { isCounted, pauseAfter } from './concurrency-limit.ts'
import type { Work } from './endpoint.ts'
import { type EndpointState, nextToken, queueNameOf } from './endpoint-state.ts'
import {
  answerDirect,
  directTimerEffect,
  endpointOff,
  finish,
  rest,
  room,
  type Turn,
} from './endpoint-work.ts'

export const maxDirectPosts = 32

/**
 * Starts what may start: calls first and always, then first attempts, then retries within their own limit.
 */
export function pumpHttps(turn: Turn): void {
  const { state } = turn
  while (state.directPosts < maxDirectPosts) {
    const work = state.urgent.shift()
    if (!work) break
    post(turn, work)
  }
  const free = room(state, { first: queuedPosts(state) - state.retryPosts, retries: state.retryPosts })
  const started = start(turn, state.first, Math.min(free.total, free.first))
  start(turn, state.retries, Math.min(free.total - started, free.retries))
}

const queuedPosts = ({ posts, directPosts }: EndpointState): number => posts.size - directPosts

function start(turn: Turn, queue: EndpointState['first'], most: number): number {
  for (let started = 0; started < most; started += 1) {
    const item = queue.take()
    if (!item) return started
    post(turn, { type: 'queued', item })
  }
  return Math.max(0, most)
}

export function posted(turn: Turn, token: number, report: AttemptReport): void {
  const { state } = turn
  const work = state.posts.get(token)
  if (!work) return
  const wasFull = queuedPosts(state) - state.retryPosts >= state.concurrency.cap
  state.posts.delete(token)
  count(turn, work, -1)
  finish(turn, work, report, { wasFull, isCounted: isCounted(state.concurrency, token) })
  if (work.type === 'direct' || state.isResting) return
  const pauseMs = pauseAfter(state.concurrency.failures, turn.options.failurePauseMs)
  if (pauseMs > 0) rest(turn, pauseMs)
}

/** The call goes with the new configuration, in this turn where nothing holds it up. */
export function notPosted(turn: Turn, token: number): void {
  const { state, options } = turn
  const work = state.posts.get(token)
  if (work?.type !== 'direct') return
  state.posts.delete(token)
  count(turn, work, -1)
  if (!state.config.enabled) return answerDirect(turn, work, endpointOff)
  state.urgent.unshift(work)
  turn.effects.push(directTimerEffect(work.id, options.directTimeoutMs))
}

function post(turn: Turn, work: Work): void {
  const { state } = turn
  const token = nextToken(state)
  state.posts.set(token, work)
  count(turn, work, 1)
  turn.effects.push({ type: 'post', token, config: state.config, item: work.item })
}

function count({ state }: Turn, work: Work, by: 1 | -1): void {
  if (work.type === 'direct') {
    state.directPosts += by
    return
  }
  if (by === 1) state.postsShare.take(1)
  else state.postsShare.give(1)
  if (queueNameOf(work.item) === 'retries') state.retryPosts += by
}
