// The routes of the public port: passes each request to its edge by the path.
import { createConsolePages } from '../console/assets/serve.ts'
import { AppError } from '../contract/errors.ts'
import { errorResponse } from '../platform/http/error-response.ts'
import type { HttpHandler } from '../platform/http/exchange.ts'
import { onlyReading } from '../platform/http/fixed-answer.ts'
import type { Health } from '../platform/process/health.ts'
import { fileReply } from '../web/page-files.ts'
import { isSharedPath, sharedFileAt } from '../web/shared-files.ts'

export interface Edges {
  readonly api: HttpHandler
  readonly console: HttpHandler
  readonly providerWebhooks: HttpHandler
  readonly health: Health
  /** Public pages, by path. */
  readonly pages: Readonly<Record<string, HttpHandler>>
}

/** Probes that are answered even while the process refuses other requests as overloaded. */
export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

export function publicHandler({ api, console, pages, ...edges }: Edges): HttpHandler {
  const { providerWebhooks, health } = edges
  const consolePages = createConsolePages()
  const exact = new Map<string, HttpHandler>([
    ...Object.entries(pages),
    ['/provider/webhooks', providerWebhooks],
    ['/healthz', () => health.alive()],
    ['/readyz', () => health.ready()],
  ])
  return function route(request) {
    const { path } = request
    if (path.startsWith('/api/')) return api(request)
    if (path.startsWith('/console/api/')) return console(request)
    if (path === '/console' || path.startsWith('/console/')) return consolePages(request)
    if (isSharedPath(path)) return sharedPages(request)
    return (exact.get(path) ?? nothing)(request)
  }
}

const nothing: HttpHandler = (request) =>
  errorResponse(
    new AppError(
      'NOT_FOUND',
      'there is nothing at this path; the API begins at /api/v1, and /docs describes it',
    ),
    request,
  )

/** The files that console and documentation share. */
const sharedPages: HttpHandler = async (request) => {
  if (request.method !== 'GET' && request.method !== 'HEAD') return onlyReading(request)
  const file = await sharedFileAt(request.path)
  if (file === undefined) return nothing(request)
  const reply = fileReply(file, {
    ifNoneMatch: request.header('if-none-match'),
    acceptEncoding: request.header('accept-encoding'),
  })
  return { ...reply, headers: { ...reply.headers, 'x-request-id': request.requestId } }
}
