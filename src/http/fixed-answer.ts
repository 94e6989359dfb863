// The same bytes for everybody, made once: pages and documents that need no key.
import { createHash } from 'node:crypto'
import { AppError } from '../contract/errors.ts'
import { errorResponse } from './error-response.ts'
import type { HttpHandler } from './exchange.ts'

export interface FixedAnswer {
  readonly contentType: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export function fixedAnswer({ contentType, body, headers = {} }: FixedAnswer): HttpHandler {
  const bytes = Buffer.from(body)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`
  const always = {
    etag,
    'cache-control': 'public, max-age=60, must-revalidate',
    'x-content-type-options': 'nosniff',
    ...headers,
  }
  return function answer(request) {
    const { method, requestId } = request
    const named = { ...always, 'x-request-id': requestId }
    if (method !== 'GET' && method !== 'HEAD')
      return errorResponse(
        new AppError('METHOD_NOT_ALLOWED', 'this path takes GET', { headers: { allow: 'GET, HEAD' } }),
        requestId,
      )
    if (isKnown(request.header('if-none-match'), etag)) return { status: 304, headers: named }
    return { status: 200, headers: { ...named, 'content-type': contentType }, body: bytes }
  }
}

/** `*`, or a list of tags, weak ones among them: what a proxy made of ours is still ours. */
const isKnown = (condition: string | undefined, etag: string): boolean =>
  (condition ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
