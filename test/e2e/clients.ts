// Clients that drive a stack from outside: the public API with a key, the console with a cookie, the
// simulator's control API.
import assert from 'node:assert/strict'
import { assertDocumented } from '../support/documented.ts'
import { PATIENCE_MS } from '../support/patience.ts'

// Each test asserts the fields that it reads, so the type stays open.
// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes.
export type Json = any

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export interface Client {
  get(path: string): Promise<Reply>
  post(path: string, body?: unknown): Promise<Reply>
  put(path: string, body: unknown): Promise<Reply>
  patch(path: string, body: unknown): Promise<Reply>
  delete(path: string): Promise<Reply>
}

/** Checks every reply before the caller gets it. */
type Judge = (method: string, path: string, reply: Reply) => void

export function client(
  base: string,
  headers: Readonly<Record<string, string>> = {},
  judge: Judge = () => undefined,
): Client {
  const ask = async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        // A busy client may write to a connection that its server has just closed, and can then not know what was done.
        connection: 'close',
      },
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
    const reply = {
      status: answer.status,
      headers: answer.headers,
      body: isJson ? JSON.parse(text) : text,
    }
    judge(method, path, reply)
    return reply
  }
  return {
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    put: (path, body) => ask('PUT', path, body),
    patch: (path, body) => ask('PATCH', path, body),
    delete: (path) => ask('DELETE', path),
  }
}

/** Checks every reply against the OpenAPI document. */
export const apiClient = (origin: string, key: string): Client =>
  client(`${origin}/api/v1`, { authorization: `Bearer ${key}` }, (method, path, { status, headers, body }) =>
    assertDocumented({ method, path, status, body, header: (name) => headers.get(name) }),
  )

/** Signs in at one gateway; returns the cookie, which is valid at every gateway. */
export async function signIn(
  origin: string,
  operator: { readonly email: string; readonly password: string },
): Promise<string> {
  const { status, headers, body } = await client(origin).post('/console/api/session', operator)
  assert.equal(status, 200, JSON.stringify(body))
  const [cookie = ''] = headers.getSetCookie()
  return cookie.split(';')[0] ?? ''
}

/** Paths are relative to the workspace. */
export const consoleClient = (origin: string, workspaceId: string, cookie: string): Client =>
  client(`${origin}/console/api/workspaces/${workspaceId}`, { cookie })

/** Distributes requests round robin over the clients that exist at that moment. */
export function inTurn(clients: () => readonly Client[]): Client {
  let turn = 0
  const next = (): Client => {
    const all = clients()
    const chosen = all[turn++ % all.length]
    if (!chosen) throw new Error('no gateway is running')
    return chosen
  }
  return {
    get: (path) => next().get(path),
    post: (path, body) => next().post(path, body),
    put: (path, body) => next().put(path, body),
    patch: (path, body) => next().patch(path, body),
    delete: (path) => next().delete(path),
  }
}

/** Returns the body of a reply that must have this status. */
export async function ok(reply: Promise<Reply>, status = 200): Promise<Json> {
  const { status: given, body } = await reply
  assert.equal(given, status, JSON.stringify(body))
  return body
}

/** Returns the error code of a reply that must have this status. */
export async function refused(reply: Promise<Reply>, status: number): Promise<string> {
  const body = await ok(reply, status)
  return body.error.code
}
