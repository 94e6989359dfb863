// The outside of the gateway: the customer's endpoints and the provider. Records when each frame or request
// arrives. A process of its own, here or on another host.
import * as uws from 'uWebSockets.js'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Observed } from '../scenarios/work.ts'
import { nowNs } from './monotonic.ts'
import { callAnswerer, statusSender } from './reactions.ts'
import { recipientIn, tokenIn } from './token.ts'

export interface Arrived {
  readonly event: Observed | string
  /** See token.ts; of a message without one, such as a template, its recipient. */
  readonly id: string
  readonly atNs: number
}

export interface ListenOptions {
  readonly host: string
  /** Files of a certificate; without them nothing listens with TLS. */
  readonly tls?: { readonly keyFile: string; readonly certFile: string }
}

export interface Reactions {
  /** Whose sends get the statuses: the one whose requests come below `/<sender>`. Default: who has no path of its own. */
  readonly sender?: string
  /** Answers each ringing call by API, with this session. */
  readonly answerCalls?: { readonly url: string; readonly apiKey: string; readonly sdp: string }
  /** As the provider reports a message that it took: sent, then delivered. */
  readonly statuses?: { readonly url: string; readonly appSecret: string; readonly wabaId: string }
}

export interface ReceiverProtocol {
  listen: { question: ListenOptions; answer: { plainPort: number; tlsPort: number | null } }
  react: { question: Reactions; answer: null }
  /** `/failing/*` answers 500 while this holds. */
  fail: { question: { isFailing: boolean }; answer: null }
  /** Waits for this many arrivals, then 300 ms longer for surplus ones. Removes the returned arrivals. */
  collect: { question: { count: number; timeoutMs: number }; answer: Arrived[] }
  /** Arrivals that were not collected yet. */
  pending: { question: null; answer: number }
  /** When each socket that is open was opened. */
  sockets: { question: null; answer: number[] }
  /** Ends every socket without a closing handshake. Gives the time of it. */
  cut: { question: null; answer: number }
  clock: { question: null; answer: number }
}

const graceMs = 300
let arrivals: { atNs: number; event?: Observed; bytes: Buffer }[] = []
const sockets = new Map<uws.WebSocket<unknown>, number>()
let isFailing = false
let answerCall: ((frame: Buffer) => void) | undefined
/** By sender: a message that comes late has its statuses reported to who sent it, not to who is measured meanwhile. */
const reporters = new Map<string, (phoneNumberId: string, body: Buffer) => void>()

/** Only records the time and keeps the bytes. Parsing waits until the run is over. */
function arrived(bytes: Buffer, event?: Observed): void {
  arrivals.push({ atNs: nowNs(), bytes, ...(event && { event }) })
}

/** A message that is delivered was sent: its SENT may fall away, so only DELIVERED is owed. */
function frame(bytes: Buffer): void {
  if (bytes.includes('"status":"SENT"')) return
  arrived(bytes)
  if (answerCall && bytes.includes('"call.ringing"')) answerCall(bytes)
}

function withBody(response: uws.HttpResponse, use: (body: Buffer) => unknown): void {
  const chunks: Buffer[] = []
  response.onAborted(() => undefined)
  response.onData((chunk, isLast) => {
    chunks.push(Buffer.from(chunk.slice(0)))
    if (isLast) response.cork(() => use(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
  })
}

const answerJson = (response: uws.HttpResponse, body: unknown) =>
  response.writeHeader('content-type', 'application/json').end(JSON.stringify(body))

function sentBy(sender: string, number: string, response: uws.HttpResponse): void {
  withBody(response, (body) => {
    arrived(body, 'provider.message')
    answerJson(response, {
      messaging_product: 'whatsapp',
      messages: [{ id: `wamid.${tokenIn(body.toString('latin1')) || nowNs()}` }],
    })
    reporters.get(sender)?.(number, body)
  })
}

function routes(app: uws.TemplatedApp): uws.TemplatedApp {
  return app
    .ws('/*', {
      idleTimeout: 0,
      maxPayloadLength: 1024 * 1024,
      open: (socket) => void sockets.set(socket, nowNs()),
      close: (socket) => void sockets.delete(socket),
      message: (_socket, bytes) => frame(Buffer.from(bytes.slice(0))),
    })
    .post('/v24.0/:number/messages', (response, request) =>
      sentBy('', request.getParameter(0) ?? '', response),
    )
    .post('/:sender/v24.0/:number/messages', (response, request) =>
      sentBy(request.getParameter(0) ?? '', request.getParameter(1) ?? '', response),
    )
    .post('/v24.0/:number/calls', (response) =>
      withBody(response, (body) => {
        if (body.includes('"accept"')) arrived(body, 'provider.accept')
        answerJson(response, { messaging_product: 'whatsapp', success: true })
      }),
    )
    .post('/failing/*', (response) =>
      withBody(response, (body) => {
        if (isFailing) return response.writeStatus('500 Internal Server Error').end()
        frame(body)
        return response.end()
      }),
    )
    .post('/*', (response) =>
      withBody(response, (body) => {
        frame(body)
        response.end()
      }),
    )
}

/** Takes the questions of the protocol as POSTs. */
function controlled(app: uws.TemplatedApp, token: string): uws.TemplatedApp {
  const handlers: Readonly<Record<string, (question: never) => unknown>> = receiverHandlers
  return app.post('/control/:name', (response, request) => {
    const [name, given] = [request.getParameter(0) ?? '', request.getHeader('authorization')]
    let isGone = false
    const answer = (status: string, body: unknown) =>
      void (isGone || response.cork(() => answerJson(response.writeStatus(status), body)))
    withBody(response, (body) => {
      const handle = Object.hasOwn(handlers, name) && name !== 'listen' ? handlers[name] : undefined
      if (given !== `Bearer ${token}`) return answer('401 Unauthorized', null)
      if (!handle) return answer('404 Not Found', null)
      return Promise.resolve()
        .then(() => handle(JSON.parse(body.toString()) as never))
        .then(
          (result) => answer('200 OK', result),
          (error: unknown) => answer('500 Internal Server Error', String(error)),
        )
    })
    response.onAborted(() => {
      isGone = true
    })
  })
}

const listenOn = (app: uws.TemplatedApp, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (socket) resolve(uws.us_socket_local_port(socket as never))
      else reject(new Error(`the receiver cannot listen on port ${port}`))
    })
  })

/** `control`: for a receiver on another host, which is asked over HTTP with this token. */
export async function listen({ host, tls }: ListenOptions, control?: { port: number; token: string }) {
  const app = control ? controlled(uws.App(), control.token) : uws.App()
  const plainPort = await listenOn(routes(app), host, control?.port ?? 0)
  if (!tls) return { plainPort, tlsPort: null }
  const secure = uws.SSLApp({ key_file_name: tls.keyFile, cert_file_name: tls.certFile })
  return { plainPort, tlsPort: await listenOn(routes(secure), host, 0) }
}

const eventPattern = /"event":"([a-z.]+)"/

function read({ atNs, event, bytes }: (typeof arrivals)[number]): Arrived {
  const text = bytes.toString('latin1')
  const id = tokenIn(text) || (event === 'provider.message' ? recipientIn(text) : '')
  return { event: event ?? eventPattern.exec(text)?.[1] ?? '', id, atNs }
}

async function collect({ count, timeoutMs }: ReceiverProtocol['collect']['question']): Promise<Arrived[]> {
  const deadline = performance.now() + timeoutMs
  while (arrivals.length < count && performance.now() < deadline) await sleep(10)
  await sleep(graceMs)
  const taken = arrivals.map(read)
  arrivals = []
  return taken
}

export const receiverHandlers = {
  listen: (options: ListenOptions) => listen(options),
  react({ sender = '', answerCalls, statuses }: Reactions) {
    answerCall = answerCalls && callAnswerer(answerCalls, (bytes) => arrived(bytes, 'answer.sent'))
    if (statuses) reporters.set(sender, statusSender(statuses))
    else reporters.delete(sender)
    return null
  },
  fail(question: { isFailing: boolean }) {
    isFailing = question.isFailing
    return null
  },
  collect,
  pending: () => arrivals.length,
  sockets: () => [...sockets.values()],
  cut() {
    const atNs = nowNs()
    for (const socket of [...sockets.keys()]) socket.close()
    return atNs
  },
  clock: () => nowNs(),
}
