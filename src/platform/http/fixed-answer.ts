// Serves fixed bytes, prepared and compressed once: pages and documents that need no key.
import { AppError } from '../../contract/errors.ts'
import { type Encoded, encode, etagOf, formFor, isKnown } from '../../shared/encoded.ts'
import { errorResponse } from './error-response.ts'
import type { HttpHandler } from './exchange.ts'

export interface FixedAnswer {
  readonly contentType: string
  /** Called once, at the first request. */
  readonly body: () => string
  readonly headers?: Readonly<Record<string, string>>
}

interface Prepared {
  readonly forms: Encoded
  readonly etag: string
}

export function fixedAnswer({ contentType, body, headers = {} }: FixedAnswer): HttpHandler {
  let prepared: Promise<Prepared> | undefined
  const prepare = async (): Promise<Prepared> => {
    const bytes = Buffer.from(body())
    return { forms: await encode(bytes), etag: etagOf(bytes) }
  }
  const forget = (error: unknown): never => {
    prepared = undefined
    throw error
  }
  const always = {
    'cache-control': 'public, max-age=60, must-revalidate',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    ...headers,
  }
  return async function answer(request) {
    const { method, requestId } = request
    if (method !== 'GET' && method !== 'HEAD') return onlyReading(request)
    prepared ??= prepare().catch(forget)
    const { forms, etag } = await prepared
    const named = { ...always, etag, 'x-request-id': requestId }
    if (isKnown(request.header('if-none-match'), etag)) return { status: 304, headers: named }
    const form = formFor(forms, request.header('accept-encoding'))
    return {
      status: 200,
      headers: { ...named, 'content-type': contentType, ...form.headers },
      body: form.body,
    }
  }
}

/** For everything that can only be read. */
export const onlyReading: HttpHandler = (request) =>
  errorResponse(
    new AppError('METHOD_NOT_ALLOWED', 'this path takes GET', { headers: { allow: 'GET, HEAD' } }),
    request,
  )
