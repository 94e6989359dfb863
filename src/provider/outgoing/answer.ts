// Turns an exchange into a result: ok, refused with the provider's error, not sent, or unknown.
import * as v from 'valibot'
import type { ProviderError, ProviderResult } from '../../contract/provider.ts'
import { classOfCode, type ProviderErrorClass } from '../../contract/provider-errors.ts'
import { storableStart } from '../../shared/storable-text.ts'
import type { Exchange } from './pending-exchange.ts'

/** Classifies an error code whose meaning depends on the operation. Undefined: the general table decides. */
export type Judge = (code: number, explanation: string) => ProviderErrorClass | undefined

export interface AnswerRules<T> {
  readonly schema: v.GenericSchema<unknown, T>
  readonly judge?: Judge | undefined
  /** Removed from error texts: the provider repeats a malformed token in its error message. */
  readonly secret: string
}

const optionalText = v.fallback(v.nullish(v.string(), null), null)

const optionalId = v.fallback(
  v.nullish(v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.regex(/^[\w-]{1,128}$/)), null),
  null,
)

const Envelope = v.object({
  error: v.object({
    code: v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.integer()),
    error_subcode: optionalId,
    fbtrace_id: optionalId,
    message: optionalText,
    is_transient: v.fallback(v.boolean(), false),
    // Usually an object, but the provider has also sent plain text.
    error_data: v.fallback(
      v.union([
        v.string(),
        v.pipe(
          v.object({ details: optionalText }),
          v.transform((data) => data.details),
        ),
      ]),
      '',
    ),
    error_user_msg: optionalText,
  }),
})
type Envelope = v.InferOutput<typeof Envelope>

export function readAnswer<T>(exchange: Exchange, rules: AnswerRules<T>): ProviderResult<T> {
  if (exchange.type === 'failed') return lostExchange(exchange)
  const body = parseJson(exchange.body)
  const envelope = v.safeParse(Envelope, body)
  if (envelope.success) {
    return { type: 'refused', error: refusal(envelope.output.error, exchange, rules) }
  }
  if (exchange.status >= 200 && exchange.status < 300) {
    const parsed = v.safeParse(rules.schema, body)
    if (parsed.success) return { type: 'ok', value: parsed.output }
  }
  return unreadable(exchange)
}

const titles = {
  UNREACHABLE: 'The provider cannot be reached',
  TIMEOUT: 'The provider took too long',
  CONNECTION_LOST: 'The connection to the provider broke',
  ANSWER_TOO_LARGE: 'The answer of the provider is too large',
  OVERLOADED: 'Too many requests to the provider',
} as const

function lostExchange(exchange: Extract<Exchange, { type: 'failed' }>): ProviderResult<never> {
  const error: ProviderError = {
    code: exchange.code,
    title: titles[exchange.code],
    details: exchange.details,
    httpStatus: null,
    class: 'retry',
    retryAfterMs: null,
  }
  return { type: exchange.written ? 'unknown' : 'notSent', error }
}

type Answered = Extract<Exchange, { type: 'answered' }>

function refusal(
  given: Envelope['error'],
  answer: Answered,
  rules: Pick<AnswerRules<unknown>, 'judge' | 'secret'>,
): ProviderError {
  const clean = (text: string, maxLength: number) =>
    storableStart(rules.secret === '' ? text : text.replaceAll(rules.secret, '(token)'), maxLength)
  const title =
    clean((given.message ?? '').replace(/^\(#\d+\)\s*/, ''), 512) || `Provider error ${given.code}`
  const details = clean(given.error_data || given.error_user_msg || '', 1024)
  const traceId = given.fbtrace_id ?? traceOf(answer)
  return {
    code: String(given.code),
    title,
    details: details || null,
    ...(given.error_subcode !== null && { subcode: given.error_subcode }),
    ...(traceId !== null && { traceId }),
    httpStatus: answer.status,
    class:
      rules.judge?.(given.code, `${title} ${details}`) ??
      classOfCode(given.code, given.error_subcode) ??
      (given.is_transient || answer.status >= 500 ? 'retry' : 'permanent'),
    retryAfterMs: retryAfterMs(answer),
  }
}

/** The provider's id of the request, which its support asks for. */
export const traceOf = ({ headers }: Answered): string | null => {
  const id = headers['x-fb-trace-id']
  return typeof id === 'string' && /^[\w-]{1,128}$/.test(id) ? id : null
}

// A response without a readable error object does not come from the provider's application. A 3xx or 4xx was
// refused in front of it. After a 2xx or 5xx the outcome is unknown: a proxy may have forwarded the request
// and then lost or garbled the response.
function unreadable(answer: Answered): ProviderResult<never> {
  const isTurnedAway = answer.status >= 300 && answer.status < 500
  const error: ProviderError = {
    code: 'UNREADABLE_ANSWER',
    title: 'The answer of the provider cannot be read',
    details: `HTTP status ${answer.status}`,
    httpStatus: answer.status,
    class: answer.status === 429 ? 'throttled' : 'retry',
    retryAfterMs: retryAfterMs(answer),
  }
  return { type: isTurnedAway ? 'refused' : 'unknown', error }
}

/** Undefined when the bytes are not JSON. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch {
    return undefined
  }
}

/** Reads seconds or a date; null when the header is absent or neither. */
function retryAfterMs({ headers }: Answered): number | null {
  const text = headers['retry-after']
  if (text === undefined) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}
