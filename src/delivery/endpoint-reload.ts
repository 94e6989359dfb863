// Reading the configuration anew, after it was changed.
import { streakIs } from './concurrency-limit.ts'
import type { EndpointConfig } from './endpoint.ts'
import { dropQueued, nextToken, pullAll, pullAnew } from './endpoint-state.ts'
import { answerDirect, endpointOff, type Turn } from './endpoint-work.ts'
import { dropSocket } from './socket-transport.ts'

const reloadAgainMs = 1_000

/**
 * Nothing begins until the answer: what is sent after a change must be signed with the new secret, at the new address.
 * Of several reloads the last counts, since the others may have read before the last change.
 */
export function reload({ state, effects }: Turn): void {
  state.reloading = nextToken(state)
  effects.push({ type: 'reload', token: state.reloading })
}

export function reloadFailed({ state, effects }: Turn, token: number): void {
  if (token !== state.reloading) return
  const message = { type: 'configChanged' as const }
  effects.push({ type: 'setTimer', name: 'reload', delayMs: reloadAgainMs, message })
}

function switchOff(turn: Turn): void {
  const { state } = turn
  state.config = { ...state.config, enabled: false }
  dropQueued(state)
  for (const work of state.urgent.splice(0)) answerDirect(turn, work, endpointOff)
  dropSocket(turn, 1000, 'endpoint off')
}

/** A rotated secret, a new URL or switching off drops the open socket. A new name or event list does not. */
export function reloaded(turn: Turn, config: EndpointConfig | null): void {
  const { state } = turn
  // Two reloads may be answered in another order than they were asked.
  if (config && config.configVersion < state.config.configVersion) return
  if (config === null || !config.enabled) {
    if (state.config.enabled) switchOff(turn)
    if (config) state.config = config
    return
  }
  // Results that are not committed yet are already counted here.
  const seen = state.config.enabled && state.unrecorded > 0 ? state.concurrency.failures : 0
  streakIs(state.concurrency, Math.max(seen, config.consecutiveFailures), state.lastToken)
  if (config.configVersion > state.config.configVersion) takeOver(turn, config)
}

function takeOver(turn: Turn, config: EndpointConfig): void {
  const { state } = turn
  const { config: before } = state
  // What waits was held, also where both changes are read together.
  const wasOff = config.turnedOnVersion > before.configVersion
  const redial = config.url !== before.url || config.secret !== before.secret
  if (redial || (wasOff && state.socket.phase === 'dialling')) dropSocket(turn, 1000, 'configuration changed')
  state.config = config
  if (!before.enabled) pullAll(state)
  else if (wasOff) pullAnew(state)
}
