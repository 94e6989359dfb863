import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { answerControl } from './control-api.ts'
import { newTraceId } from './ids.ts'
import { openStream, type Streams } from './live-stream.ts'
import { answerPage, isPagePath } from './page.ts'
import { type ApiReply, type ApiRequest, answerProvider, isProviderPath } from './provider-api.ts'
import type { World } from './world.ts'

const BODY_LIMIT = 1024 * 1024
const FILE_LIMIT = 101 * 1024 * 1024
const READ_TIMEOUT_MS = 30_000

type Body =
  | Readonly<{ type: 'read'; raw: Buffer }>
  | Readonly<{ type: 'too-large' }>
  | Readonly<{ type: 'broken' }>

/** Creates the HTTP server of the provider's API, the control API and the page. */
export function createSimulatorServer(world: World): Server {
  const streams: Streams = new Set()
  const server = createServer(
    { keepAliveTimeout: 60_000, requestTimeout: READ_TIMEOUT_MS },
    (request, response) => {
      serve({ world, streams }, request, response).catch((error: unknown) => {
        world.log.error({ err: error, path: request.url }, 'simulator.request_failed')
        send(response, { type: 'json', status: 500, body: { error: { message: 'the simulator failed' } } })
      })
    },
  )
  server.maxConnections = 10_000
  return server
}

type Served = Readonly<{ world: World; streams: Streams }>

async function serve(
  { world, streams }: Served,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const atNs = process.hrtime.bigint()
  const address = incoming.url ?? '/'
  const mark = address.indexOf('?')
  const path = mark === -1 ? address : address.slice(0, mark)
  const query = new URLSearchParams(mark === -1 ? '' : address.slice(mark + 1))
  const isReading = incoming.method === 'GET' || incoming.method === 'HEAD'
  if (isReading && isPagePath(path)) return servePage(path, incoming, response)
  if (incoming.method === 'GET' && path === '/sim/live')
    return serveStream({ world, streams }, query, response)
  const body = await readBody(incoming, limitOf(path))
  if (body.type === 'broken') return
  if (body.type === 'too-large') {
    // The rest of the body is not awaited, so the connection cannot be reused.
    response.setHeader('connection', 'close')
    send(response, { type: 'json', status: 413, body: { error: { message: 'body too large', code: 1 } } })
    return
  }
  const request = requestOf(incoming, { path, query, raw: body.raw })
  const reply = await answer(world, request)
  if (isProviderPath(path)) journal(world, request, { address, atNs, reply })
  send(response, reply)
}

async function servePage(path: string, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const reply = await answerPage(path, incoming.headers)
  if (reply === undefined) return send(response, NOT_FOUND)
  response.writeHead(reply.status, reply.headers)
  response.end(reply.body)
}

function serveStream({ world, streams }: Served, query: URLSearchParams, response: ServerResponse): void {
  if (openStream(world, streams, query, response)) return
  send(response, { type: 'json', status: 503, body: { error: { message: 'too many pages are open' } } })
}

const NOT_FOUND: ApiReply = { type: 'json', status: 404, body: { error: { message: 'not found' } } }

const requestOf = (
  incoming: IncomingMessage,
  rest: Pick<ApiRequest, 'path' | 'query' | 'raw'>,
): ApiRequest => ({
  ...rest,
  method: incoming.method ?? 'GET',
  authorization: incoming.headers.authorization,
  contentType: incoming.headers['content-type'] ?? '',
  fileOffset: incoming.headers['file_offset']?.toString(),
  body: parsed(incoming.headers['content-type'], rest.raw),
})

type Answered = Readonly<{ address: string; atNs: bigint; reply: ApiReply }>

function journal(world: World, { method, body, raw }: ApiRequest, { address, atNs, reply }: Answered): void {
  const durationMs = Number(process.hrtime.bigint() - atNs) / 1e6
  const seq = world.requests.push({
    at: new Date(Date.now() - durationMs).toISOString(),
    atNs: String(atNs),
    method,
    path: address,
    body: body ?? (raw.length === 0 ? null : { bytes: raw.length }),
    status: reply.type === 'json' ? reply.status : statusOf(reply),
    durationMs,
  })
  if (reply.type === 'json') world.answers.set(seq, reply.body)
}

/** Replies of type `cut` and `hang` have no status. */
const statusOf = (reply: ApiReply): number | null => (reply.type === 'bytes' ? 200 : null)

const limitOf = (path: string): number =>
  path.endsWith('/media') || path.includes('/upload:') || path.startsWith('/sim/') ? FILE_LIMIT : BODY_LIMIT

async function answer(world: World, request: ApiRequest): Promise<ApiReply> {
  if (request.path.startsWith('/sim/')) return answerControl(world, request)
  if (isProviderPath(request.path)) return answerProvider(world, request)
  return NOT_FOUND
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

/** The JSON value of the body; undefined for other content types and for invalid JSON. */
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
      response.writeHead(200, {
        'content-type': reply.contentType,
        'content-length': reply.bytes.length,
        ...reply.headers,
      })
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
