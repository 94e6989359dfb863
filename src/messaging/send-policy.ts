// Decides what happens to a send after the provider's answer: one verdict for single sends and campaigns, and
// a policy of each as data. Pure.
import type { ProviderError, ProviderResult, SentMessage } from '../contract/provider.ts'
import type { ProviderErrorClass } from '../contract/provider-errors.ts'

export type SendVerdict =
  | ({ readonly type: 'accepted' } & SentMessage)
  /** The provider certainly did not take the message: it may be sent again after the delay. */
  | {
      readonly type: 'again'
      readonly delayMs: number
      /** Whether this attempt uses up one of the tries. */
      readonly counts: boolean
      /** What must slow down. */
      readonly slow: Slow
      /** Null where the provider was not asked. */
      readonly error: ProviderError | null
    }
  | { readonly type: 'failed'; readonly error: ProviderError }
  /**
   * The request was sent and no answer came. Only a status of the provider can tell the outcome, so the send
   * is never repeated automatically.
   */
  | { readonly type: 'unknown'; readonly error: ProviderError }

/** `campaign`: the other sends of the number go on. */
type Slow = 'number' | 'campaign' | null

interface Repeat {
  /** Milliseconds before each repeat; after the last one the send fails. A number: repeated without limit. */
  readonly delaysMs: readonly number[] | number
  readonly slow: Slow
}

/** How failed requests are repeated. A class that is missing in `refused` fails at once. */
export interface SendPolicy {
  readonly unreachable: Repeat
  readonly refused: Readonly<Partial<Record<ProviderErrorClass, Repeat>>>
}

const quick: Repeat = { delaysMs: [500, 1_000, 2_000, 4_000, 8_000, 16_000], slow: null }
/** A pause of the provider lasts about a minute, and two minutes end it for certain. */
const beyondPause: Repeat = { delaysMs: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000], slow: null }
/** The campaign pauses, and its recipients wait until a person resumes it. */
const untilResumed: Repeat = { delaysMs: 0, slow: null }

export const sendPolicies = {
  single: {
    unreachable: quick,
    refused: {
      retry: quick,
      throttled: beyondPause,
      templateThrottled: quick,
      // The provider recommends 4^n seconds for one pair of number and recipient.
      pairLimited: { delaysMs: [4_000, 16_000, 64_000], slow: null },
    },
  },
  campaign: {
    // No recipient fails because the provider is unreachable. `slow` stops the campaign from claiming
    // recipients at the full rate meanwhile.
    unreachable: { delaysMs: 2_000, slow: 'number' },
    refused: {
      retry: { delaysMs: [1_000, 4_000, 15_000, 60_000], slow: null },
      throttled: { delaysMs: 1_000, slow: 'number' },
      // A minute later a few find out whether it is over.
      templateThrottled: { delaysMs: 60_000, slow: 'campaign' },
      pairLimited: { delaysMs: [4_000, 16_000, 64_000, 256_000], slow: null },
      templatePaused: untilResumed,
      templateGone: untilResumed,
      account: untilResumed,
    },
  },
} as const satisfies Record<string, SendPolicy>

export type SendPolicyName = keyof typeof sendPolicies

/** The limit for the delay that the provider asks for in Retry-After. */
const longestAskedMs = 300_000

/** `tries`: the earlier attempts that used up a try. */
export function judgeSend(
  result: ProviderResult<SentMessage>,
  policy: SendPolicy,
  tries: number,
): SendVerdict {
  if (result.type === 'ok') return { type: 'accepted', ...result.value }
  const { type, error } = result
  if (type === 'unknown') return { type, error }
  const repeat = type === 'notSent' ? policy.unreachable : policy.refused[error.class]
  return repeat ? again(repeat, tries, error) : { type: 'failed', error }
}

function again({ delaysMs, slow }: Repeat, tries: number, error: ProviderError): SendVerdict {
  const counts = typeof delaysMs !== 'number'
  const delayMs = counts ? delaysMs[tries] : delaysMs
  if (delayMs === undefined) return { type: 'failed', error }
  const askedMs = Math.min(error.retryAfterMs ?? 0, longestAskedMs)
  return { type: 'again', delayMs: Math.max(delayMs, askedMs), counts, slow, error }
}
