// Serves fixed bytes, prepared once: pages and documents that need no key.
import { createHash } from 'node:crypto'
import { AppError } from '../../contract/errors.ts'
import { errorResponse } from './error-response.ts'
import type { HttpHandler } from './exchange.ts'

export interface FixedAnswer {
  readonly contentType: string
  /** Called once, at the first request. */
  readonly body: () => string
  readonly headers?: Readonly<Record<string, string>>
}

export function fixedAnswer({ contentType, body, headers = {} }: FixedAnswer): HttpHandler {
  let prepared: { readonly bytes: Uint8Array; readonly etag: string } | undefined
  const prepare = () => {
    const bytes = Buffer.from(body())
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"` }
  }
  const always = {
    'cache-control': 'public, max-age=60, must-revalidate',
    'x-content-type-options': 'nosniff',
    ...headers,
  }
  return function answer(request) {
    const { method, requestId } = request
    if (method !== 'GET' && method !== 'HEAD')
      return errorResponse(
        new AppError('METHOD_NOT_ALLOWED', 'this path takes GET', { headers: { allow: 'GET, HEAD' } }),
        request,
      )
    prepared ??= prepare()
    const { bytes, etag } = prepared
    const named = { ...always, etag, 'x-request-id': requestId }
    if (isKnown(request.header('if-none-match'), etag)) return { status: 304, headers: named }
    return { status: 200, headers: { ...named, 'content-type': contentType }, body: bytes }
  }
}

/** If-None-Match is `*` or a list of tags. A weak tag also matches: a proxy may have weakened ours. */
const isKnown = (condition: string | undefined, etag: string): boolean =>
  (condition ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
