import { newTraceId } from './ids.ts'

/** HTTP status and title of each code that the simulator can answer or report. */
const CATALOGUE: Readonly<Record<number, readonly [status: number, title: string]>> = {
  1: [400, 'An unknown error occurred'],
  2: [503, 'Service temporarily unavailable'],
  4: [400, 'Application request limit reached'],
  100: [400, 'Invalid parameter'],
  104: [401, 'An access token is required to request this resource'],
  190: [401, 'Invalid OAuth access token'],
  368: [403, 'Temporarily blocked for policies violations'],
  80007: [400, 'Rate limit issues'],
  130429: [429, 'Rate limit hit'],
  131000: [500, 'Something went wrong'],
  131008: [400, 'Required parameter is missing'],
  131009: [400, 'Parameter value is not valid'],
  131016: [503, 'Service unavailable'],
  131021: [400, 'Recipient cannot be sender'],
  131026: [400, 'Message undeliverable'],
  131042: [400, 'Business eligibility payment issue'],
  131047: [400, 'Re-engagement message'],
  131048: [429, 'Spam rate limit hit'],
  131049: [400, 'This message was not delivered to maintain healthy ecosystem engagement.'],
  131051: [400, 'Message type unknown'],
  131053: [400, 'Media upload error'],
  131055: [400, 'Method not allowed'],
  131056: [429, 'Pair rate limit hit'],
  131062: [400, 'Business-scoped User ID (BSUID) recipients are not supported for this message'],
  132000: [400, 'Number of parameters does not match the expected number of params'],
  132001: [404, 'Template name does not exist in the translation'],
  132012: [400, 'Parameter format does not match format in the created template'],
  132015: [400, 'Template is paused'],
  132016: [400, 'Template is disabled'],
  133010: [400, 'Phone number not registered'],
  138000: [401, 'Calling not enabled'],
  138002: [429, 'Concurrent calls limit reached'],
  138003: [400, 'Duplicate call'],
  138006: [401, 'No approved call permission from the recipient'],
  138009: [400, 'Call permission request limit hit'],
  138012: [400, 'Business initiated calls limit hit'],
  138017: [400, 'Call permission already granted permanently'],
  138019: [400, 'Call setup failed at the client'],
}

const titleOf = (code: number): string => CATALOGUE[code]?.[1] ?? 'Unknown error'
const statusOf = (code: number): number => CATALOGUE[code]?.[0] ?? 400

type Options = Readonly<{ status?: number; subcode?: number }>

/** A refused API request. The server answers it with the provider's error body. */
export class ProviderError extends Error {
  readonly code: number
  readonly status: number
  readonly details: string
  readonly subcode: number | undefined

  constructor(code: number, details?: string, options: Options = {}) {
    super(`(#${code}) ${titleOf(code)}`)
    this.code = code
    this.status = options.status ?? statusOf(code)
    this.details = details ?? titleOf(code)
    this.subcode = options.subcode
  }

  envelope(): unknown {
    return {
      error: {
        message: this.message,
        type: 'OAuthException',
        code: this.code,
        ...(this.subcode === undefined ? {} : { error_subcode: this.subcode }),
        error_data: { messaging_product: 'whatsapp', details: this.details },
        fbtrace_id: newTraceId(),
      },
    }
  }
}

const HREF = 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/'

/** The shape of an error inside a webhook. Errors of calls have no `title`. */
export function webhookError(code: number, subject: 'message' | 'call'): Record<string, unknown> {
  const title = titleOf(code)
  const body = { code, message: title, error_data: { details: `${title}.` }, href: HREF }
  return subject === 'message' ? { ...body, title } : body
}

export const unknownNode = (node: string): ProviderError =>
  new ProviderError(
    100,
    `Object with ID '${node}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    { subcode: 33 },
  )
