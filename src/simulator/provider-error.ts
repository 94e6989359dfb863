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
  2500: [400, 'Unknown path components'],
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
  131050: [400, 'User has stopped receipt of marketing messages from this business'],
  131051: [400, 'Message type unknown'],
  131052: [400, 'Media download error'],
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

type Options = Readonly<{
  status?: number
  subcode?: number
  /** The whole message, of errors that have no `error_data`. */
  message?: string
  type?: 'OAuthException' | 'GraphMethodException'
}>

/** Trying the same again may succeed. */
const TRANSIENT: readonly number[] = [2, 131016, 131057, 133004]

/** A refused API request. The server answers it with the provider's error body. */
export class ProviderError extends Error {
  readonly code: number
  readonly status: number
  readonly details: string
  readonly options: Options

  constructor(code: number, details?: string, options: Options = {}) {
    super(options.message ?? `(#${code}) ${titleOf(code)}`)
    this.code = code
    this.status = options.status ?? statusOf(code)
    this.details = details ?? titleOf(code)
    this.options = options
  }

  envelope(): unknown {
    const { subcode, message, type = 'OAuthException' } = this.options
    return {
      error: {
        message: this.message,
        type,
        code: this.code,
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        ...(TRANSIENT.includes(this.code) ? { is_transient: true } : {}),
        ...(message === undefined
          ? { error_data: { messaging_product: 'whatsapp', details: this.details } }
          : {}),
        fbtrace_id: newTraceId(),
      },
    }
  }
}

/** A parameter that is missing or wrong: code 100 has no `error_data`, the message says it all. */
export const wrongParameter = (code: number, text: string): ProviderError =>
  code === 100 ? new ProviderError(100, text, { message: `(#100) ${text}` }) : new ProviderError(code, text)

const HREF = 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/'

/** The shape of an error inside a webhook. Errors of calls have no `title`. */
export function webhookError(code: number, subject: 'message' | 'call'): Record<string, unknown> {
  const title = titleOf(code)
  const body = { code, message: title, error_data: { details: `${title}.` }, href: HREF }
  return subject === 'message' ? { ...body, title } : body
}

/** An object that does not exist, or that this token may not see. */
export const unknownNode = (node: string, method = 'get'): ProviderError =>
  new ProviderError(100, undefined, {
    type: 'GraphMethodException',
    subcode: 33,
    message:
      `Unsupported ${method.toLowerCase()} request. Object with ID '${node}' does not exist, cannot be loaded due ` +
      'to missing permissions, or does not support this operation. Please read the Graph API documentation at ' +
      'https://developers.facebook.com/docs/graph-api',
  })

/** An object without this edge. */
export const unknownEdge = (edge: string): ProviderError =>
  new ProviderError(2500, undefined, { message: `Unknown path components: /${edge}` })
