// What each error code of the provider means for us, as data. The code decides and never the HTTP status: the
// provider answers throttling with 400 or 429, and a missing call permission with 401.

/**
 * - `retry`: a transient error, worth a few retries
 * - `throttled`: the number or app is over its rate; slow down, and do not count the attempt
 * - `pairLimited`: too many messages to this one user; wait for this pair only
 * - `permanent`: this request will never succeed
 * - `optedOut`: the user stopped marketing messages of this business
 * - `templatePaused`: no send of this template can succeed for now
 * - `templateThrottled`: the template or its flow is over its rate, or not ready yet; other sends of the number go on
 * - `templateGone`: no send of this template can ever succeed
 * - `account`: credentials, permissions, billing, spam or registration; sending stops until a person acts
 * - `callPermission`: the user has not allowed calls
 * - `callBusy`: a call with this user is already going on
 * - `callLimited`: no more calls or permission requests to this user for now
 * - `callingUnavailable`: the number cannot place or take calls
 * - `invalidSdp`: the provider cannot use the session description
 * - `callAnswered`: the call is in progress already, so an earlier accept succeeded
 * - `callGone`: the provider says that the call does not exist or has ended
 * - `callFailed`: the media of the call failed
 */
export type ProviderErrorClass =
  | 'retry'
  | 'throttled'
  | 'pairLimited'
  | 'permanent'
  | 'optedOut'
  | 'templatePaused'
  | 'templateThrottled'
  | 'templateGone'
  | 'account'
  | 'callPermission'
  | 'callBusy'
  | 'callLimited'
  | 'callingUnavailable'
  | 'invalidSdp'
  | 'callAnswered'
  | 'callGone'
  | 'callFailed'

export const providerErrorClasses: Readonly<Record<number, ProviderErrorClass>> = {
  0: 'account',
  1: 'retry',
  2: 'retry',
  3: 'account',
  4: 'throttled',
  10: 'account',
  33: 'account',
  100: 'permanent',
  104: 'account',
  190: 'account',
  368: 'account',
  613: 'throttled',
  803: 'account',
  80007: 'throttled',
  130403: 'permanent',
  130429: 'throttled',
  130472: 'permanent',
  // Users of one country only: campaigns to several countries go on.
  130497: 'permanent',
  131000: 'retry',
  131005: 'account',
  131008: 'permanent',
  131009: 'permanent',
  131016: 'retry',
  131021: 'permanent',
  131026: 'permanent',
  131030: 'permanent',
  131031: 'account',
  131037: 'account',
  131042: 'account',
  131044: 'account',
  131045: 'account',
  131047: 'permanent',
  131048: 'account',
  // The provider caps marketing per user over all businesses. Retries within a day count against the account.
  131049: 'permanent',
  131050: 'optedOut',
  131051: 'permanent',
  131052: 'permanent',
  131053: 'permanent',
  131055: 'callingUnavailable',
  131056: 'pairLimited',
  // A throughput upgrade takes up to a minute, which is longer than a few retries.
  131057: 'throttled',
  131060: 'permanent',
  131061: 'permanent',
  131062: 'permanent',
  // Marketing templates of this account need another way of sending; its other templates go.
  131063: 'templateGone',
  131064: 'account',
  131065: 'permanent',
  131070: 'permanent',
  132000: 'permanent',
  132001: 'templateGone',
  132005: 'permanent',
  132007: 'permanent',
  132008: 'permanent',
  132012: 'permanent',
  132015: 'templatePaused',
  132016: 'templateGone',
  132018: 'permanent',
  132068: 'permanent',
  132069: 'templateThrottled',
  133004: 'retry',
  133010: 'account',
  133016: 'throttled',
  134100: 'templateGone',
  // A template that was just made or changed: about ten minutes.
  134101: 'templateThrottled',
  134102: 'templateGone',
  135000: 'permanent',
  137000: 'permanent',
  138000: 'callingUnavailable',
  138001: 'permanent',
  138002: 'throttled',
  138003: 'callBusy',
  138004: 'retry',
  138005: 'throttled',
  138006: 'callPermission',
  138007: 'callGone',
  138009: 'callLimited',
  138011: 'permanent',
  138012: 'callLimited',
  138013: 'callingUnavailable',
  138014: 'callingUnavailable',
  138015: 'callingUnavailable',
  138017: 'permanent',
  138018: 'callingUnavailable',
  138019: 'callFailed',
  138020: 'callFailed',
  138021: 'callFailed',
  138022: 'callFailed',
  138023: 'callFailed',
  138038: 'permanent',
}

/** Codes that mean something else together with a subcode. */
const pairClasses: Readonly<Record<string, ProviderErrorClass>> = {
  // The object of the path does not exist or is not visible any more: the number, and so every send of it.
  '100/33': 'account',
}

/** What these refuse is the choice of one person, or how they appear: the next person may well get the message. */
export const personalCodes: readonly string[] = ['131050', '131062']

const isMissingPermission = (code: number): boolean => code >= 200 && code <= 299

/** Undefined for a code that is not in the provider's documentation. */
export const classOfCode = (code: number, subcode?: string | null): ProviderErrorClass | undefined =>
  pairClasses[`${code}/${subcode}`] ??
  providerErrorClasses[code] ??
  (isMissingPermission(code) ? 'account' : undefined)

/** For errors in webhooks, which have no HTTP status: an unknown code is permanent. */
export const classOfReported = (code: number, subcode?: string | null): ProviderErrorClass =>
  classOfCode(code, subcode) ?? 'permanent'
