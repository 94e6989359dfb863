// What becomes of a send after the provider's word on it. Pure; the delays are data.
import type { ProviderError, ProviderResult, SentMessage } from '../contract/provider.ts'

export type SendVerdict =
  | { readonly type: 'accepted'; readonly providerMessageId: string; readonly held: boolean }
  | { readonly type: 'retry'; readonly delayMs: number; readonly error: ProviderError }
  | { readonly type: 'failed'; readonly error: ProviderError }
  /** Bytes went out and no answer came: only the provider's status updates can tell, so it is never repeated. */
  | { readonly type: 'unknown'; readonly error: ProviderError }

const transientDelaysMs = [500, 1_000, 2_000, 4_000, 8_000, 16_000]
/** The provider's advice for one pair: 4^n seconds. */
const pairDelaysMs = [4_000, 16_000, 64_000]

/** `attempt` counts from one. */
export function judgeSend(result: ProviderResult<SentMessage>, attempt: number): SendVerdict {
  if (result.type === 'ok') return { type: 'accepted', ...result.value }
  const { error } = result
  if (result.type === 'unknown') return { type: 'unknown', error }
  const delayMs = result.type === 'notSent' ? transientDelaysMs[attempt - 1] : retryDelay(error, attempt)
  if (delayMs === undefined) return { type: 'failed', error }
  return { type: 'retry', delayMs: Math.max(delayMs, error.retryAfterMs ?? 0), error }
}

function retryDelay(error: ProviderError, attempt: number): number | undefined {
  if (error.class === 'pairLimited') return pairDelaysMs[attempt - 1]
  if (error.class === 'retry' || error.class === 'throttled') return transientDelaysMs[attempt - 1]
  return undefined
}
