import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const DEADLINE_MS = 10_000

export type Loose = Record<string, unknown>

/** One update as the receiver saw it, taken out of its webhook. */
export type Seen = Readonly<{
  at: number
  /** The number of the POST that carried it. */
  post: number
  field: string
  kind: 'message' | 'status' | 'call' | 'other'
  update: Loose
  value: Loose
}>

export const asList = (value: unknown): Loose[] => (Array.isArray(value) ? value : [])

function unpack(text: string, post: number): Seen[] {
  const body = JSON.parse(text) as { entry: { changes: { field: string; value: Loose }[] }[] }
  return body.entry
    .flatMap((entry) => entry.changes)
    .flatMap(({ field, value }): Seen[] => {
      const base = { at: Date.now(), post, field, value }
      const found = [
        ...asList(value['messages']).map((update) => ({ ...base, kind: 'message' as const, update })),
        ...asList(value['statuses']).map((update) => ({ ...base, kind: 'status' as const, update })),
        ...asList(value['calls']).map((update) => ({ ...base, kind: 'call' as const, update })),
      ]
      return found.length > 0 ? found : [{ ...base, kind: 'other', update: value }]
    })
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Waits for conditions that only arrivals can change. */
function arrivals() {
  const waiting = new Set<() => void>()
  const until = (ready: () => boolean, what: () => string): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(check)
        reject(new Error(`nothing came: ${what()}`))
      }, DEADLINE_MS)
      function check() {
        if (!ready()) return
        clearTimeout(timer)
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  const wake = () => {
    for (const check of waiting) check()
  }
  return { until, wake }
}

function answerChallenge(url: URL, token: string, response: ServerResponse): void {
  const known = url.searchParams.get('hub.verify_token') === token
  response.writeHead(known ? 200 : 403).end(known ? url.searchParams.get('hub.challenge') : 'no')
}

/** Receives the provider's webhooks: checks every signature, and answers with the configured status. */
export async function startReceiver({ secret, verifyToken }: { secret: string; verifyToken: string }) {
  const seen: Seen[] = []
  const bodies: string[] = []
  const signatures: string[] = []
  const forged: string[] = []
  const state = { status: 200 }
  const { until, wake } = arrivals()
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://receiver')
    if (request.method === 'GET') {
      answerChallenge(url, verifyToken, response)
      return
    }
    const text = await textOf(request)
    const expected = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`
    if (request.headers['x-hub-signature-256'] !== expected) forged.push(text)
    bodies.push(text)
    signatures.push(String(request.headers['x-hub-signature-256']))
    seen.push(...unpack(text, bodies.length))
    response.writeHead(state.status).end()
    wake()
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { seen, bodies, signatures, forged, state, until, close, url: `http://127.0.0.1:${port}/hook` }
}
