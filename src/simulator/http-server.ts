import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { answerControl } from './control-api.ts'
import { newTraceId } from './ids.ts'
import { type ApiReply, type ApiRequest, answerProvider, isProviderPath } from './provider-api.ts'
import type { World } from './world.ts'

const BODY_LIMIT = 1024 * 1024
const FILE_LIMIT = 101 * 1024 * 1024
const READ_TIMEOUT_MS = 30_000

type Body =
  | Readonly<{ type: 'read'; raw: Buffer }>
  | Readonly<{ type: 'too-large' }>
  | Readonly<{ type: 'broken' }>

/** The one server for the provider's API and the control API. */
export function createSimulatorServer(world: World): Server {
  const server = createServer(
    { keepAliveTimeout: 60_000, requestTimeout: READ_TIMEOUT_MS },
    (request, response) => {
      serve(world, request, response).catch((error: unknown) => {
        world.log.error({ err: error, path: request.url }, 'simulator.request_failed')
        send(response, { type: 'json', status: 500, body: { error: { message: 'the simulator failed' } } })
      })
    },
  )
  server.maxConnections = 10_000
  return server
}

async function serve(world: World, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const atNs = process.hrtime.bigint()
  const address = incoming.url ?? '/'
  const mark = address.indexOf('?')
  const path = mark === -1 ? address : address.slice(0, mark)
  const body = await readBody(incoming, limitOf(path))
  if (body.type === 'broken') return
  if (body.type === 'too-large') {
    // The rest of the body is not waited for, so the connection cannot be used again.
    response.setHeader('connection', 'close')
    send(response, { type: 'json', status: 413, body: { error: { message: 'body too large', code: 1 } } })
    return
  }
  const query = new URLSearchParams(mark === -1 ? '' : address.slice(mark + 1))
  const request = requestOf(incoming, { path, query, raw: body.raw })
  const reply = await answer(world, request)
  if (isProviderPath(path)) journal(world, request, { address, atNs, reply })
  send(response, reply)
}

const requestOf = (
  incoming: IncomingMessage,
  rest: Pick<ApiRequest, 'path' | 'query' | 'raw'>,
): ApiRequest => ({
  ...rest,
  method: incoming.method ?? 'GET',
  authorization: incoming.headers.authorization,
  contentType: incoming.headers['content-type'] ?? '',
  body: parsed(incoming.headers['content-type'], rest.raw),
})

type Served = Readonly<{ address: string; atNs: bigint; reply: ApiReply }>

function journal(world: World, { method, body, raw }: ApiRequest, { address, atNs, reply }: Served): void {
  const durationMs = Number(process.hrtime.bigint() - atNs) / 1e6
  world.requests.push({
    at: new Date(Date.now() - durationMs).toISOString(),
    atNs: String(atNs),
    method,
    path: address,
    body: body ?? (raw.length === 0 ? null : { bytes: raw.length }),
    status: reply.type === 'json' ? reply.status : statusOf(reply),
    durationMs,
  })
}

/** Requests that were cut off or left hanging have no status. */
const statusOf = (reply: ApiReply): number | null => (reply.type === 'bytes' ? 200 : null)

const limitOf = (path: string): number =>
  path.endsWith('/media') || path.startsWith('/sim/') ? FILE_LIMIT : BODY_LIMIT

async function answer(world: World, request: ApiRequest): Promise<ApiReply> {
  if (request.path.startsWith('/sim/')) return answerControl(world, request)
  if (isProviderPath(request.path)) return answerProvider(world, request)
  return { type: 'json', status: 404, body: { error: { message: 'not found' } } }
}

function readBody(incoming: IncomingMessage, limit: number): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else resolve({ type: 'too-large' })
    })
    incoming.on('end', () =>
      resolve({ type: 'read', raw: chunks.length === 1 ? (chunks[0] ?? EMPTY) : Buffer.concat(chunks) }),
    )
    incoming.on('error', () => resolve({ type: 'broken' }))
  })
}

const EMPTY = Buffer.alloc(0)

/** The JSON value of the body; other bodies, and broken JSON, have none. */
function parsed(contentType: string | undefined, raw: Buffer): unknown {
  if (raw.length === 0 || contentType?.includes('json') !== true) return undefined
  try {
    return JSON.parse(raw.toString())
  } catch {
    return undefined
  }
}

function send(response: ServerResponse, reply: ApiReply): void {
  switch (reply.type) {
    case 'hang':
      return
    case 'cut':
      response.socket?.destroy()
      return
    case 'bytes':
      response.writeHead(200, { 'content-type': reply.contentType, 'content-length': reply.bytes.length })
      response.end(reply.bytes)
      return
    case 'json': {
      const text = JSON.stringify(reply.body)
      response.writeHead(reply.status, {
        'content-type': 'application/json; charset=UTF-8',
        'content-length': Buffer.byteLength(text),
        'facebook-api-version': 'v24.0',
        'x-fb-request-id': newTraceId(),
        ...reply.headers,
      })
      response.end(text)
    }
  }
}
