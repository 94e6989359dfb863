// What the floors share: reads, verifies and parses a webhook, has it committed and sent, and answers the provider. None
// of them routes, retries, orders or owns anything.
import * as uws from 'uWebSockets.js'
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { Pool as HttpPool } from 'undici'
import { WebSocket } from 'ws'
import { connectPool, type Pool } from '../../src/platform/postgres/sql.ts'
import type { OpponentProtocol } from '../harness/opponents.ts'
import { type Change, changeOf, type Payload } from './floor-rows.ts'
import { readWorld } from './floor-world.ts'

/** Resolves when the change is committed and its frame is handed over. */
export type Take = (change: Change) => Promise<unknown>

/** `proven` is called when the receiver has answered, or has the frame. */
export type Send = (body: Buffer | string, proven?: () => void) => void

export async function startFloor(
  { databaseUrl, receiverUrl, appSecret }: OpponentProtocol['start']['question'],
  program: (sql: Pool, send: Send) => Take,
): Promise<number> {
  const sql = connectPool({ url: databaseUrl, max: 8, name: 'bench-floor' })
  const world = await readWorld(sql, receiverUrl)
  const [take, isSigned] = [program(sql, await sender(receiverUrl)), signatureCheck(appSecret)]
  const app = uws.App().post('/provider/webhooks', (response, request) => {
    const given = request.getHeader('x-hub-signature-256')
    const chunks: Buffer[] = []
    let isGone = false
    const answer = (status: string) =>
      void (isGone || response.cork(() => response.writeStatus(status).end()))
    response.onAborted(() => {
      isGone = true
    })
    response.onData((chunk, isLast) => {
      chunks.push(Buffer.from(chunk.slice(0)))
      if (!isLast) return
      const body = Buffer.concat(chunks)
      if (!isSigned(body, given)) return answer('401 Unauthorized')
      const change = changeOf(
        world,
        (JSON.parse(body.toString()) as Payload).entry[0]?.changes[0]?.value ?? {},
      )
      take(change).then(
        () => answer('200 OK'),
        () => answer('503 Service Unavailable'),
      )
    })
  })
  return new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, (listening) =>
      listening ? resolve(uws.us_socket_local_port(listening as never)) : reject(new Error('cannot listen')),
    )
  })
}

function signatureCheck(appSecret: string) {
  const key = createSecretKey(Buffer.from(appSecret))
  return (body: Buffer, given: string): boolean => {
    const expected = `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
    return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  }
}

/** A POST that fails is lost, as everything that a floor does not care about: the bench counts it. */
async function sender(receiverUrl: string): Promise<Send> {
  const { origin, pathname, protocol } = new URL(receiverUrl)
  if (protocol.startsWith('ws')) return frameSender(receiverUrl)
  const pool = new HttpPool(origin, { connections: 64 })
  return (body, proven) =>
    void pool
      .request({ method: 'POST', path: pathname, headers: { 'content-type': 'application/json' }, body })
      .then((answer) => answer.body.dump())
      .then(proven)
      .catch(() => undefined)
}

/** A ping behind the frames of one turn of the loop that are to be proven. */
async function frameSender(receiverUrl: string): Promise<Send> {
  const socket = new WebSocket(receiverUrl, { perMessageDeflate: false })
  await once(socket, 'open')
  const pinged: (() => void)[][] = []
  let unproven: (() => void)[] = []
  socket.on('pong', () => {
    for (const proven of pinged.shift() ?? []) proven()
  })
  const ping = () => {
    pinged.push(unproven)
    unproven = []
    socket.ping()
  }
  return (body, proven) => {
    socket.send(body, { binary: false })
    if (proven && unproven.push(proven) === 1) setImmediate(ping)
  }
}
