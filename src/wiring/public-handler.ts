// The public port: which edge answers which path.

import { AppError } from '../contract/errors.ts'
import { errorResponse } from '../http/error-response.ts'
import type { HttpHandler } from '../http/exchange.ts'
import type { Health } from './health.ts'
import type { Metrics } from './metrics.ts'

export interface Edges {
  readonly api: HttpHandler
  readonly console: HttpHandler
  readonly providerWebhooks: HttpHandler
  readonly health: Health
  readonly metrics: Metrics
}

/** Probes that are answered however busy the process is. */
export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

export const publicHandler = ({ api, console, providerWebhooks, health, metrics }: Edges): HttpHandler =>
  function route(request) {
    const { path } = request
    if (path.startsWith('/api/')) return api(request)
    if (path === '/provider/webhooks') return providerWebhooks(request)
    if (path.startsWith('/console/api/')) return console(request)
    if (path === '/healthz') return health.alive()
    if (path === '/readyz') return health.ready()
    if (path === '/metrics') return metrics.answer()
    return errorResponse(new AppError('NOT_FOUND', 'there is nothing at this path'), request.requestId)
  }
