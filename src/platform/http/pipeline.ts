// Runs every request of an API through the same steps: match, guard, rate limit, body, validation, handler,
// response, log.
import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { AppError, type ErrorCode, notFound } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { errorResponse, faultLevel, toAppError } from './error-response.ts'
import { type HttpHandler, type HttpRequest, type HttpResponse, RequestAborted } from './exchange.ts'
import { linesResponse } from './lines-answer.ts'
import { type Bucket, type RateHeaders, type RateLimiter, rateHeaders, rateLimited } from './rate-limit.ts'
import { openUpload, readBody } from './read-body.ts'
import { readQuery } from './read-query.ts'
import { Answer, LinesAnswer, RawAnswer, type Route } from './route.ts'
import { createRouter } from './router.ts'
import { check, validationError } from './validate.ts'

/** What the guard returns for a known caller. */
export interface Admission<Context> {
  readonly context: Context
  /** Why a known caller is refused. It costs a token, too, and the response has the caller's rate headers. */
  readonly refusal?: AppError | undefined
  /** Ids for the log line, under their stable names. */
  readonly subject: Readonly<Record<string, string>>
  readonly bucket?: Bucket
}

/** What the log line and the metrics contain of one request. Never a query, a body or an unmatched path. */
export interface Served {
  readonly requestId: string
  readonly method: string
  /** The pattern, such as `/calls/:id`; undefined when no route matched. */
  readonly route: string | undefined
  readonly status: number
  readonly code: ErrorCode | undefined
  readonly durationMs: number
  /** True when the client disconnected before the response. */
  readonly aborted: boolean
}

/** What refuses requests for now, whoever asks. */
interface Gates<R> {
  /** False: the process is overloaded, and requests to this route are refused. */
  readonly admits?: (route: R) => boolean
  /** False: what every request needs is away, and waiting for it would only hold the request. */
  readonly isAvailable?: () => boolean
}

export interface PipelineOptions<Context, R extends Route<Context>> extends Gates<R> {
  readonly prefix: string
  readonly routes: readonly R[]
  /** Throws an AppError for an unknown caller. */
  readonly guard: (request: HttpRequest, route: R) => Promise<Admission<Context>>
  readonly limiter?: RateLimiter
  /** Rate headers of a response to an unknown caller. Absent: such a response has none. */
  readonly anonymousRate?: RateHeaders
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly onServed?: (served: Served) => void
}

interface Exchange<R> {
  readonly request: HttpRequest
  route: R | undefined
  subject: Readonly<Record<string, string>>
  rate: RateHeaders | undefined
}

export function createPipeline<Context, R extends Route<Context>>(
  options: PipelineOptions<Context, R>,
): HttpHandler {
  const match = createRouter(options.prefix, options.routes)

  async function run(exchange: Exchange<R>): Promise<HttpResponse> {
    const { request } = exchange
    const matched = match(request.method, request.path)
    if (matched.type === 'unknown')
      throw new AppError('NOT_FOUND', 'there is no such path; /docs lists the paths of the API')
    if (matched.type === 'wrong-method')
      throw new AppError('METHOD_NOT_ALLOWED', `this path takes ${matched.allow}`, {
        headers: { allow: matched.allow },
      })
    exchange.route = matched.route
    checkGates(options, matched.route)
    const admission = await options.guard(request, matched.route)
    exchange.subject = admission.subject
    if (admission.bucket && options.limiter)
      exchange.rate = await take(options.limiter, admission.bucket, exchange)
    if (admission.refusal) throw admission.refusal
    return answer(await handle(matched, admission.context, request), exchange)
  }

  async function handle(
    { route, params }: { route: R; params: Params },
    context: Context,
    request: HttpRequest,
  ) {
    const upload = route.upload && openUpload(request, route.upload)
    if (route.upload && upload)
      return route.upload.handle({ context, request, ...readAddress(route, params, request), upload })
    return route.handle({ context, request, ...(await readInput(route, params, request)) })
  }

  function answer(result: unknown, { request, route, subject }: Exchange<R>): HttpResponse {
    if (!(result instanceof LinesAnswer)) return toResponse(result, route?.success ?? 200)
    return linesResponse(result, request, (refusal) =>
      options.log[faultLevel(refusal)](
        { requestId: request.requestId, route: route?.path, ...subject, err: refusal.cause ?? refusal },
        'request.broke_off',
      ),
    )
  }

  return async (request) => {
    const startedMs = performance.now()
    const exchange: Exchange<R> = { request, route: undefined, subject: {}, rate: options.anonymousRate }
    let failure: unknown
    let response: HttpResponse
    try {
      response = await run(exchange)
    } catch (error) {
      failure = error
      response = errorResponse(toAppError(error), request)
    }
    report(options, exchange, { status: response.status, startedMs, failure })
    return withHeaders(response, request.requestId, exchange.rate)
  }
}

function withHeaders(response: HttpResponse, requestId: string, rate: RateHeaders | undefined): HttpResponse {
  const headers: Record<string, string> = { ...response.headers, 'x-request-id': requestId }
  if (rate) {
    headers['ratelimit-policy'] = rate['ratelimit-policy']
    headers['ratelimit'] = rate.ratelimit
  }
  return { ...response, headers }
}

/** Before the caller is looked up: a refusal must cost little. */
function checkGates<R>({ isAvailable, admits }: Gates<R>, route: R): void {
  if (isAvailable?.() === false) throw unavailable()
  if (admits && !admits(route)) throw shed()
}

/** The same for a handler that is no pipeline. */
export const whileAvailable =
  (handler: HttpHandler, { isAvailable }: { readonly isAvailable: () => boolean }): HttpHandler =>
  (request) =>
    isAvailable() ? handler(request) : errorResponse(unavailable(), request)

const unavailable = () =>
  new AppError('UNAVAILABLE', 'the database does not answer at the moment; try again shortly', {
    retryAfterSeconds: 2,
  })

const shed = () =>
  new AppError('OVERLOADED', 'the process is busy with more important requests; try again shortly', {
    retryAfterSeconds: 1,
  })

async function take(limiter: RateLimiter, bucket: Bucket, exchange: Exchange<unknown>): Promise<RateHeaders> {
  if (bucket.ratePerSecond === 0) return rateHeaders(bucket, 0)
  const state = await limiter.take(bucket.key, bucket.ratePerSecond, bucket.burst)
  const headers = rateHeaders(bucket, state.remaining)
  if (state.allowed) return headers
  exchange.rate = headers
  throw rateLimited(state)
}

type Params = Readonly<Record<string, string>>

async function readInput(route: Route<never>, params: Params, request: HttpRequest) {
  const body = route.body ? await readBody(request, route.bodyBytes ?? limits.bodyBytes) : undefined
  const address = checkAddress(route, params, request)
  const checkedBody = route.body ? check(route.body, body) : accepted
  const details = [...address.details, ...(checkedBody.ok ? [] : checkedBody.details)]
  if (!checkedBody.ok || details.length > 0) throw validationError(details)
  return { params: address.params, query: address.query, body: checkedBody.value }
}

function readAddress(route: Route<never>, given: Params, request: HttpRequest) {
  const { params, query, details } = checkAddress(route, given, request)
  if (details.length > 0) throw validationError(details)
  return { params, query }
}

function checkAddress(route: Route<never>, given: Params, request: HttpRequest) {
  const params = route.params ? check(route.params, given) : accepted
  // An invalid id gets the same response as an unknown id: 404.
  if (!params.ok) throw notFound('resource')
  const query = readQuery(route, request)
  return query.ok
    ? { params: params.value, query: query.value, details: [] }
    : { params: params.value, query: undefined, details: query.details }
}

const accepted = { ok: true, value: undefined } as const

function toResponse(result: unknown, success: number): HttpResponse {
  if (result instanceof RawAnswer)
    return { status: result.status ?? success, headers: result.headers, body: result.body }
  const answer = result instanceof Answer ? result : new Answer(result)
  const status = answer.status ?? success
  const { cookies } = answer
  if (answer.body === undefined)
    return { status, cookies, headers: { 'cache-control': 'no-store', ...answer.headers } }
  return {
    status,
    cookies,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...answer.headers },
    body: JSON.stringify(answer.body),
  }
}

// The client has disconnected, so this status is never sent. It keeps the request out of our own failures.
const clientGone = 499

interface Ending {
  readonly status: number
  readonly startedMs: number
  readonly failure: unknown
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

function report<Context, R extends Route<Context>>(
  { log, onServed }: PipelineOptions<Context, R>,
  { request, route, subject }: Exchange<R>,
  { status, startedMs, failure }: Ending,
): void {
  const aborted = failure instanceof RequestAborted
  const refusal = failure === undefined || aborted ? undefined : toAppError(failure)
  const served: Served = {
    requestId: request.requestId,
    // Free text of the client, where no route names it.
    method: route || methods.has(request.method) ? request.method : 'none',
    route: route?.path,
    status: aborted ? clientGone : status,
    code: refusal?.code,
    durationMs: Math.round((performance.now() - startedMs) * 100) / 100,
    aborted,
  }
  onServed?.(served)
  const line = Object.assign(served, subject)
  // A 4xx is the caller's mistake.
  if (!refusal || refusal.status < 500) log.info(line, 'request.served')
  else log[faultLevel(refusal)]({ ...line, err: refusal.cause ?? refusal }, 'request.served')
}
