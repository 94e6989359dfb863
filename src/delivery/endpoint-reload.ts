// Reading the configuration anew, after it was changed.
import { nextToken } from './endpoint-state.ts'
import type { Turn } from './endpoint-work.ts'

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
