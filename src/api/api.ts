// The public API as one handler for everything below /api/v1. Decides nothing itself: the rows and the guard do.
import type { Logger } from 'pino'
import type { AuthenticateKey } from '../auth/authenticate-key.ts'
import type { HttpHandler } from '../http/exchange.ts'
import { createPipeline, type Served } from '../http/pipeline.ts'
import { type RateLimiter, rateHeaders } from '../http/rate-limit.ts'
import { createGuard } from './guard.ts'
import type { ApiServices } from './services.ts'
import { apiPrefix, table } from './table.ts'

export interface ApiOptions {
  readonly services: ApiServices
  readonly authenticate: AuthenticateKey
  readonly limiter: RateLimiter
  readonly log: Pick<Logger, 'info' | 'error'>
  readonly onServed?: (served: Served) => void
}

// What a new key gets: told to those who have shown none, from whose bucket nothing was taken.
const newKey = { key: '', ratePerSecond: 100, burst: 200 }

const anonymousRate = rateHeaders(newKey, newKey.burst)

/** Of an answer that the API itself did not give. */
export const refusalHeaders = (path: string): Readonly<Record<string, string>> =>
  path.startsWith('/api/') ? anonymousRate : {}

export const createApi = ({ services, authenticate, ...options }: ApiOptions): HttpHandler =>
  createPipeline({
    ...options,
    prefix: apiPrefix,
    routes: table,
    guard: createGuard(authenticate, services),
    anonymousRate,
  })
