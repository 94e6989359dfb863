// The client of the console's JSON API. A refusal becomes an ApiError with the server's message.
import { signal } from '@preact/signals'
import { ApiError, type Detail } from './api-error.ts'
import { isAttended } from './attendance.ts'
import { askToConfirm } from './confirmation.ts'
import { askToSignIn, worker } from './ended-session.ts'
import { noteAnswer } from './freshness.ts'
import { route } from './router.ts'
import { instructionOf, messageOf } from './sentences.ts'
import { limitSilence } from './time-limit.ts'

export { ApiError }

/** True once nobody is signed in and nothing would be lost: the app then leads to the page of the sign-in and back. */
export const isSignedOut = signal(false)

/** Counts the answers that the workspace requires a second factor, which may have become true just now. */
export const lacksFactor = signal(0)

/** The operator closed the dialog that asks for the password: not shown as an error. */
export const CANCELLED = 'CANCELLED'

type Query = Readonly<Record<string, string | number | undefined | null>>

interface Options {
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** On CONFIRMATION_REQUIRED it opens the password dialog, and repeats the request after a confirmation. */
async function ask<Body>(method: string, path: string, options: Options = {}): Promise<Body> {
  try {
    return await send<Body>(method, path, options)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'CONFIRMATION_REQUIRED') throw error
    if (await askToConfirm(passwordIn(options.body))) return await send<Body>(method, path, options)
    throw cancelled('Nothing was done: it was not confirmed.')
  }
}

const cancelled = (message: string): ApiError => new ApiError({ status: 0, code: CANCELLED, message })

const passwordIn = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'password' in body ? String(body.password) : undefined

async function send<Body>(method: string, path: string, { body, signal: abort }: Options): Promise<Body> {
  const init: RequestInit = { method, signal: abort ?? null }
  if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers = { 'content-type': 'application/json' }
  }
  const answer = await lasting(path, () => fetchedInTime(path, init))
  if (answer.status === 204) return undefined as Body
  return (await answer.json()) as Body
}

export const unreachable = (): ApiError =>
  new ApiError({
    status: 0,
    code: 'UNREACHABLE',
    message: 'The server cannot be reached. Check your connection and try again.',
  })

/**
 * For bodies that are not JSON, such as files: the caller reads the response. It has no time limit, because a large one may
 * take long.
 */
export const askRaw = (path: string, init: RequestInit): Promise<Response> =>
  lasting(path, () => fetched(path, init))

/** If the session has ended, the request waits until the operator has signed in again, and is then repeated. */
export async function lasting(path: string, request: () => Promise<Response>): Promise<Response> {
  const answer = await request()
  if (answer.ok) {
    noteAnswer()
    return answer
  }
  const { error, isOfSession } = await refusal(answer, path)
  if (!isOfSession) throw error
  if (worker.peek() === undefined) isSignedOut.value = true
  else if (path === WHO) void askToSignIn()
  else if (await askToSignIn()) return await lasting(path, request)
  else throw cancelled('Nothing was done: you are signed out.')
  throw error
}

async function fetched(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  // A change was asked for, however long it takes, as an upload may.
  if ((init.method ?? 'GET') === 'GET' && !isAttended()) headers.set('x-unattended', '1')
  for (const [name, value] of Object.entries(inNameOf(path))) headers.set(name, value)
  return await fetch(`/console/api${path}`, { ...init, headers, credentials: 'same-origin' }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error
      throw unreachable()
    },
  )
}

/** Longer than the server works on anything that it answers with JSON. */
const LONGEST_MS = 45_000

/**
 * The whole answer within the time, or none: a connection may be dead without anybody telling, and what waits for the answer,
 * such as the next look or the next reply, would wait for ever.
 */
async function fetchedInTime(path: string, init: RequestInit): Promise<Response> {
  const abort = new AbortController()
  const leave = () => abort.abort()
  const { signal: given } = init
  if (given?.aborted) leave()
  given?.addEventListener('abort', leave)
  const limit = limitSilence(LONGEST_MS, leave)
  try {
    const answer = await fetched(path, { ...init, signal: abort.signal })
    const body = await answer.text()
    return new Response(body === '' ? null : body, answer)
  } catch (error) {
    throw given?.aborted || error instanceof ApiError ? error : unreachable()
  } finally {
    limit.lift()
    given?.removeEventListener('abort', leave)
  }
}

/** Asks for it after a sign-in, which would wait for itself. */
const WHO = '/me'

/** Somebody else may have signed in in another tab: then what was written here is refused, not done in that name. */
export function inNameOf(path: string): Readonly<Record<string, string>> {
  const operatorId = worker.peek()
  return operatorId === undefined || path === WHO ? {} : { 'x-operator': operatorId }
}

/** A 401 from these paths is about the submitted password, not about the session. */
const withoutSession = ['/session', '/invitation/accept']

interface Refusal {
  readonly error: ApiError
  /** There is no session any more. */
  readonly isOfSession: boolean
}

async function refusal(answer: Response, path: string): Promise<Refusal> {
  const { error } = (await answer.json().catch(() => ({}))) as {
    error?: { code: string; message: string; details?: Detail[]; requestId?: string }
  }
  const asksForCode = error?.details?.some((detail) => detail.path === 'totp') === true
  if (error?.code === 'SECOND_FACTOR_REQUIRED') lacksFactor.value += 1
  const retryAfter = Number(answer.headers.get('retry-after'))
  const told = new ApiError({
    status: answer.status,
    code: error?.code ?? 'INTERNAL',
    message: error ? messageOf(error.code, error.message) : `The server answered ${answer.status}.`,
    details: error?.details?.map((detail) => ({
      ...detail,
      message: instructionOf(detail.message, detail.path),
    })),
    requestId: error?.requestId ?? answer.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfter > 0 ? retryAfter : undefined,
  })
  return {
    error: told,
    isOfSession: answer.status === 401 && !withoutSession.includes(path) && !asksForCode,
  }
}

export const api = {
  get: <Body>(path: string, abort?: AbortSignal) => ask<Body>('GET', path, { signal: abort }),
  post: <Body = void>(path: string, body?: unknown) => ask<Body>('POST', path, { body }),
  put: <Body = void>(path: string, body: unknown) => ask<Body>('PUT', path, { body }),
  patch: <Body = void>(path: string, body: unknown) => ask<Body>('PATCH', path, { body }),
  delete: <Body = void>(path: string, body?: unknown) => ask<Body>('DELETE', path, { body }),
}

/** A path in the current workspace, with the query parameters that have a value. */
export function inWorkspace(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  const params = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  const full = `/workspaces/${encodeURIComponent(route.value.workspaceId ?? '')}${path}`
  return params.size === 0 ? full : `${full}?${params.toString()}`
}

export const toApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError({
        status: 0,
        code: 'UNEXPECTED',
        message: error instanceof Error ? error.message : String(error),
      })
