// Any error → the one envelope of the contract. What nobody foresaw becomes INTERNAL and is worth a log entry.
import { BlobStoreError } from '../contract/blobs.ts'
import { AppError, errorCatalog } from '../contract/errors.ts'
import { BatcherFull } from '../shared/batcher.ts'
import { DeadlineExceeded } from '../shared/deadline.ts'
import type { HttpResponse } from './exchange.ts'

/** The refusal an error amounts to; INTERNAL keeps it as `cause`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof BatcherFull)
    return new AppError('OVERLOADED', 'too much work is waiting; try again shortly', {
      retryAfterSeconds: 1,
      cause: error,
    })
  if (isOutage(error))
    return new AppError('UNAVAILABLE', 'a backing service does not answer; try again shortly', {
      retryAfterSeconds: 2,
      cause: error,
    })
  return new AppError('INTERNAL', 'something went wrong here; quote the requestId', { cause: error })
}

export function errorResponse(error: AppError, requestId: string): HttpResponse {
  const { code, retryAfterSeconds } = error
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-request-id': requestId,
    ...error.headers,
  }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.ceil(retryAfterSeconds))
  return { status: errorCatalog[code].status, headers, body: JSON.stringify(errorBody(error, requestId)) }
}

export const errorBody = ({ code, message, details }: AppError, requestId: string) => ({
  error: { code, message, ...(details ? { details } : {}), requestId },
})

// Codes of sockets and of the Postgres driver.
const outageCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
])

// SQLSTATE: connection exceptions (08), lack of resources (53), shut down or cancelled by a time limit (57),
// read-only after a failover (25006), serialization failure and deadlock (40).
const outageStates = /^(08|53|57|40)...$|^25006$/

// Redis replies while it loads, fails over or is read-only; the client's own errors go by their class.
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

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof DeadlineExceeded || error instanceof BlobStoreError) return true
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    outageCodes.has(code) ||
    outageStates.test(code) ||
    redisErrors.has(error.constructor.name) ||
    redisReply.test(error.message)
  )
}
