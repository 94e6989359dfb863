// Turns any error into the error body of the API contract. Unexpected errors become INTERNAL and are logged.
import { BlobStoreError } from '../../contract/blobs.ts'
import { AppError, errorCatalog } from '../../contract/errors.ts'
import { BatcherFull } from '../../shared/batcher.ts'
import { DeadlineExceeded } from '../../shared/deadline.ts'
import { isOutage } from '../../shared/outage.ts'
import type { HttpRequest, HttpResponse } from './exchange.ts'

/** Maps an error to a refusal, which keeps the original error as `cause`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof BatcherFull)
    return new AppError('OVERLOADED', 'too much work is waiting; try again shortly', {
      retryAfterSeconds: 1,
      cause: error,
    })
  if (isUnavailable(error))
    return new AppError('UNAVAILABLE', `${serviceOf(error)}; try again shortly`, {
      retryAfterSeconds: 2,
      cause: error,
    })
  return new AppError('INTERNAL', 'something went wrong here; quote the requestId', { cause: error })
}

/** An overload or an outage is foreseen; INTERNAL is what nobody foresaw. */
export const faultLevel = (error: unknown): 'warn' | 'error' =>
  toAppError(error).code === 'INTERNAL' ? 'error' : 'warn'

/** What an error body says of the request. */
export type ErrorContext = Pick<HttpRequest, 'requestId' | 'publicUrl'>

export function errorResponse(error: AppError, request: ErrorContext): HttpResponse {
  const { code, retryAfterSeconds } = error
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-request-id': request.requestId,
    ...error.headers,
  }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.ceil(retryAfterSeconds))
  return { status: errorCatalog[code].status, headers, body: JSON.stringify(errorBody(error, request)) }
}

/** `docs` is the address of the page about this code. */
export const errorBody = ({ code, message, details }: AppError, { requestId, publicUrl }: ErrorContext) => ({
  error: {
    code,
    message,
    ...(details ? { details } : {}),
    requestId,
    docs: `${publicUrl}/docs/errors/${code}`,
  },
})

// Replies of Redis while it loads, fails over or is read-only. Errors of the client are known by class name.
const redisReply = /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN)\b/
const redisErrors = new Set([
  'ClientClosedError',
  'ClientOfflineError',
  'DisconnectsClientError',
  'SocketClosedUnexpectedlyError',
  'SocketTimeoutError',
  'SocketTimeoutDuringMaintenanceError',
  'ConnectionTimeoutError',
  'CommandTimeoutDuringMaintenanceError',
  'ReconnectStrategyError',
  'TimeoutError',
])

/** Which service it is, where the error tells. */
function serviceOf(error: unknown): string {
  if (error instanceof BlobStoreError) return 'the file store is unavailable'
  return isOutage(error) ? 'the database is unavailable' : 'a backing service does not answer'
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof DeadlineExceeded || error instanceof BlobStoreError) return true
  return isOutage(error) || redisErrors.has(error.constructor.name) || redisReply.test(error.message)
}
