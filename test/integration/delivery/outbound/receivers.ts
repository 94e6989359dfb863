// Receivers on loopback, some of them hostile.
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createConnector } from '../../../../src/delivery/outbound/connect.ts'
import type { ConnectionLimits } from '../../../../src/delivery/outbound/connections.ts'
import {
  createHttpsSender,
  type HttpsSender,
  type SendRequest,
} from '../../../../src/delivery/outbound/https-sender.ts'
import { type AddressResolver, createResolver } from '../../../../src/delivery/outbound/resolve.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import type { Certificate } from '../../../support/certificate.ts'
import type { TestContext } from '../../../support/harness.ts'

/** Listens on a free port of 127.0.0.1; the server and its sockets end with the test. */
export async function listen(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

type Upgrade = (incoming: IncomingMessage, socket: Socket, head: Buffer) => void

/** A receiver that speaks proper HTTP; returns its port. */
export function httpReceiver(t: TestContext, listener: RequestListener, upgrade?: Upgrade): Promise<number> {
  const server = createHttpServer(listener)
  if (upgrade) server.on('upgrade', upgrade)
  return listen(t, server)
}

export const httpsReceiver = (t: TestContext, tls: Certificate, listener: RequestListener): Promise<number> =>
  listen(t, createHttpsServer(tls, listener))

/** A receiver that handles each connection as the test says, by its number from one; returns its port. */
export function rawReceiver(
  t: TestContext,
  accept: (socket: Socket, count: number) => void,
): Promise<number> {
  let count = 0
  return listen(
    t,
    createServer((socket) => {
      count += 1
      accept(socket, count)
    }),
  )
}

/** Answers once the request is complete: its head and the body that it announces. */
export function onRequest(socket: Socket, answer: (request: string) => void): void {
  let seen = ''
  socket.on('data', (chunk) => {
    seen += chunk.toString('latin1')
    const end = seen.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/content-length: (\d+)/i.exec(seen)?.[1] ?? 0)
    if (seen.length < end + 4 + length) return
    const request = seen
    seen = ''
    answer(request)
  })
}

export interface SenderSetup {
  readonly policy?: 'public' | 'any'
  readonly ca?: string
  readonly resolver?: AddressResolver
  readonly limits?: ConnectionLimits
}

export function makeSender(t: TestContext, setup: SenderSetup = {}): HttpsSender {
  const policy = setup.policy ?? 'any'
  const resolver = setup.resolver ?? createResolver({ policy, clock: systemClock })
  const connect = createConnector({ policy, resolver, ca: setup.ca })
  const sender = createHttpsSender({
    policy,
    connect,
    clock: systemClock,
    userAgent: 'Switchboard-Webhooks/0.1.0',
    ...(setup.limits && { limits: setup.limits }),
  })
  t.after(() => sender.close())
  return sender
}

/** An ordinary attempt, with these changes. */
export const request = (url: string, changes: Partial<SendRequest> = {}): SendRequest => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"event":"call.status"}'),
  deadlineMs: 5_000,
  pool: 'endpoint',
  ...changes,
})
