// The endpoint actor over HTTPS: which attempts start, and what their reports lead to.
import type { AttemptReport } from './attempt.ts'
import { nextToken, type Work } from './endpoint-state.ts'
import { answerDirect, finish, room, type Turn } from './endpoint-work.ts'

const maxDirectPosts = 32

/** Starts what may start: calls first and always, then first attempts, then retries in places of their own. */
export function pumpHttps(turn: Turn): void {
  const { state } = turn
  for (let work = state.urgent.shift(); work; work = state.urgent.shift()) {
    if (state.directPosts < maxDirectPosts) post(turn, work)
    else answerDirect(turn, work, { type: 'failed', code: 'OVERLOADED', message: 'endpoint overloaded' })
  }
  const queued = state.posts.size - state.directPosts
  const free = room(state, { all: queued, retries: state.retryPosts })
  let left = free.total
  for (; left > 0; left -= 1) {
    const item = state.first.take()
    if (!item) break
    post(turn, { type: 'queued', item })
  }
  for (let retries = Math.min(left, free.retries); retries > 0; retries -= 1) {
    const item = state.retries.take()
    if (!item) break
    post(turn, { type: 'queued', item })
  }
}

export function posted(turn: Turn, token: number, report: AttemptReport): void {
  const { state } = turn
  const work = state.posts.get(token)
  if (!work) return
  state.posts.delete(token)
  count(turn, work, -1)
  finish(turn, work, report)
}

function post(turn: Turn, work: Work): void {
  const { state } = turn
  const token = nextToken(state)
  state.posts.set(token, work)
  count(turn, work, 1)
  turn.effects.push({ type: 'post', token, config: state.config, item: work.item })
}

function count({ state }: Turn, work: Work, by: 1 | -1): void {
  if (work.type === 'direct') state.directPosts += by
  else if (work.item.attemptNumber > 1 || work.item.replay) state.retryPosts += by
}
