// Sends requests that no proper client would send, and asserts the form of every refusal.
import assert from 'node:assert/strict'
import { type Agent, request } from 'node:http'
import { connect } from 'node:net'
import type { Json } from './clients.ts'

export interface Ask {
  readonly method?: string
  /** Sent as it is: nothing is resolved or encoded. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A string or bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown
  /** Announces this many bytes and sends none: a server that refuses them may hang up during a write. */
  readonly announcedBytes?: number
}

export interface Told {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly json: Json
}

/** What the case is, the request, `<status> <code>` of the answer, and the path of its first detail. */
export type Case = readonly [what: string, ask: Ask, expected: string, path?: string]

/** Tells an answer that never comes from a busy machine: a webhook may carry hundreds of statuses. */
const TIME_LIMIT_MS = 60_000

/** Uses a new connection, or those of the agent. */
export function send(
  origin: string,
  { method = 'GET', path, headers = {}, body, announcedBytes }: Ask,
  agent?: Agent,
): Promise<Told> {
  const { hostname, port } = new URL(origin)
  const bytes = body === undefined ? undefined : bytesOf(body)
  const length = announcedBytes ?? bytes?.length
  const type = length === undefined ? {} : { 'content-type': 'application/json', 'content-length': length }
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ hostname, port, method, path, agent: agent ?? false, timeout: TIME_LIMIT_MS },
      headers: { ...type, ...headers },
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path}`)))
    sent.on('error', reject)
    sent.on('response', (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        if (!agent) sent.destroy()
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json: parsed(text) })
      })
    })
    if (announcedBytes === undefined) sent.end(bytes)
    else sent.flushHeaders()
  })
}

const bytesOf = (body: unknown): Buffer => {
  if (typeof body === 'string') return Buffer.from(body)
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(JSON.stringify(body))
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const answerMs = 1_500
const readMs = 100

export interface Parts {
  /** Follows when the server has had the time to read what comes before. */
  readonly later?: string
  readonly withinMs?: number
}

/** Returns everything received until the server closes the connection, or for a while. */
export function raw(
  origin: string,
  bytes: string | Buffer,
  { later = '', withinMs = answerMs }: Parts = {},
): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes)
      if (later) setTimeout(() => socket.write(later), readMs)
    })
    const timer = setTimeout(() => socket.destroy(), withinMs)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    // A reset counts as an answer.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
  })
}

const inside =
  /postgres|redis|\bselect\b.*\bfrom\b|\binsert into\b|node_modules|\.ts:\d|\/src\/|at \w+ \(|uWebSockets/i

/** The refusal has the documented body and headers, and reveals nothing internal. */
export function assertRefused(told: Told, expected: string, path?: string): void {
  const { error } = told.json ?? {}
  assert.equal(`${told.status} ${error?.code}`, expected, told.text.slice(0, 500))
  assert.deepEqual(Object.keys(told.json), ['error'])
  const keys = Object.keys(error).filter((key) => key !== 'details')
  assert.deepEqual(keys, ['code', 'message', 'requestId', 'docs'])
  assert.match(error.message, /\S+ \S+/)
  assert.equal(told.headers['x-request-id'], error.requestId)
  assert.equal(told.headers['content-type'], 'application/json')
  assert.equal(told.headers['cache-control'], 'no-store')
  assert.doesNotMatch(told.text, inside)
  if (expected === '400 VALIDATION_ERROR') assert.ok(error.details.length > 0 && error.details.length <= 20)
  if (path !== undefined) assert.equal(error.details[0].path, path)
  if (told.status === 405) assert.match(String(told.headers['allow']), /^[A-Z]+(, [A-Z]+)*$/)
  if (told.status === 429 || told.status === 503)
    assert.match(String(told.headers['retry-after']), /^[1-9]\d*$/)
}

/** Also checks the headers that every answer of the public API carries. */
export function assertApiRefused(told: Told, expected: string, path?: string): void {
  assertRefused(told, expected, path)
  assert.match(String(told.headers['ratelimit-policy']), /^"key";q=\d+;w=\d+$/)
  assert.match(String(told.headers['ratelimit']), /^"key";r=\d+;t=\d+$/)
  if (told.status === 401) assert.equal(told.headers['www-authenticate'], 'Bearer')
}
