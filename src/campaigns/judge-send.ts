// What becomes of a recipient after the provider's word on the send (decisions 4). Pure; the delays are data.
import type { ProviderError, ProviderResult, SentMessage } from '../contract/provider.ts'
import type { PauseReason } from '../contract/records/campaign.ts'

/** Whose sends cannot succeed until a person acts. */
export interface Pause {
  readonly reason: PauseReason
  readonly scope: 'campaign' | 'number' | 'workspace'
}

export type SendVerdict =
  | { readonly type: 'accepted'; readonly providerMessageId: string; readonly held: boolean }
  /** Certainly nothing was sent: the recipient is PENDING again. */
  | {
      readonly type: 'again'
      readonly delayMs: number
      /** Whether it uses up one of the recipient's tries. */
      readonly counts: boolean
      /** The number is over its rate. */
      readonly slow: boolean
      readonly pause: Pause | null
    }
  | { readonly type: 'failed'; readonly error: Pick<ProviderError, 'code' | 'title'> }
  /** It may have been sent: never repeated by itself. */
  | { readonly type: 'unknown' }

const transientDelaysMs = [1_000, 4_000, 15_000, 60_000]
/** The provider's advice for one pair: 4^n seconds. */
const pairDelaysMs = [4_000, 16_000, 64_000, 256_000]
const unreachableDelayMs = 2_000
const throttledDelayMs = 1_000
/** Whatever the provider asks for, it is asked again after this. */
const longestAskedMs = 300_000

const again = (delayMs: number, rest: Partial<Omit<SendVerdict & { type: 'again' }, 'type'>> = {}) =>
  ({ type: 'again', delayMs, counts: false, slow: false, pause: null, ...rest }) as const

/** A claim whose time was over before anything was written. */
export const returned: SendVerdict = again(0)

/** `tries` are those before this one that counted. */
export function judgeSend(result: ProviderResult<SentMessage>, tries: number): SendVerdict {
  if (result.type === 'ok') return { type: 'accepted', ...result.value }
  if (result.type === 'unknown') return { type: 'unknown' }
  // Nobody fails because the provider could not be reached, and nobody is claimed for it at full rate.
  if (result.type === 'notSent') return again(unreachableDelayMs, { slow: true })
  return judgeRefusal(result.error, tries)
}

function judgeRefusal(error: ProviderError, tries: number): SendVerdict {
  const asked = Math.min(error.retryAfterMs ?? 0, longestAskedMs)
  const pause = pauseFor(error)
  if (pause) return again(0, { pause })
  switch (error.class) {
    case 'throttled':
      return again(Math.max(throttledDelayMs, asked), { slow: true })
    case 'pairLimited':
      return tryAgain(pairDelaysMs[tries], asked, error)
    case 'retry':
      return tryAgain(transientDelaysMs[tries], asked, error)
    default:
      return failed(error)
  }
}

const tryAgain = (delayMs: number | undefined, asked: number, error: ProviderError): SendVerdict =>
  delayMs === undefined ? failed(error) : again(Math.max(delayMs, asked), { counts: true })

const failed = ({ code, title }: ProviderError): SendVerdict => ({ type: 'failed', error: { code, title } })

/** Codes that concern more than one recipient; the other ones of class `account` stop the whole workspace. */
const pauses: Readonly<Record<string, Pause>> = {
  131042: { reason: 'BILLING', scope: 'workspace' },
  131048: { reason: 'SPAM_LIMIT', scope: 'number' },
  131045: { reason: 'NUMBER_UNAVAILABLE', scope: 'number' },
  133010: { reason: 'NUMBER_UNAVAILABLE', scope: 'number' },
}

/** Also for errors that a status reports: some blocks are told only after the message was accepted. */
export function pauseFor({ code, class: kind }: Pick<ProviderError, 'code' | 'class'>): Pause | null {
  if (kind === 'templatePaused') return { reason: 'TEMPLATE_PAUSED', scope: 'campaign' }
  if (kind === 'templateGone') return { reason: 'TEMPLATE_UNAVAILABLE', scope: 'campaign' }
  if (kind === 'account') return pauses[code] ?? { reason: 'PROVIDER_ACCOUNT', scope: 'workspace' }
  return null
}
