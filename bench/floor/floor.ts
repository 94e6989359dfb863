// The floor is the minimal implementation that the gateway is compared with, in its own process. It reads,
// verifies and parses a webhook, commits its rows in one statement, sends one frame and answers the provider.
// It has no retries, routing, ownership or deduplication.

import * as uws from 'uWebSockets.js'
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { connectPool } from '../../src/platform/postgres/sql.ts'
import { serve } from '../harness/part.ts'
import { apply, type Payload } from './floor-rows.ts'
import { readWorld } from './floor-world.ts'

export interface FloorProtocol {
  /** The answer is the port. */
  start: { question: { databaseUrl: string; receiverUrl: string; appSecret: string }; answer: number }
}

async function start({
  databaseUrl,
  receiverUrl,
  appSecret,
}: FloorProtocol['start']['question']): Promise<number> {
  const sql = connectPool({ url: databaseUrl, max: 8, name: 'bench-floor' })
  const world = await readWorld(sql)
  const socket = new WebSocket(receiverUrl, { perMessageDeflate: false })
  await once(socket, 'open')
  const key = createSecretKey(Buffer.from(appSecret))
  const isSigned = (body: Buffer, given: string): boolean => {
    const expected = `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
    return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
  }
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
      const value = (JSON.parse(body.toString()) as Payload).entry[0]?.changes[0]?.value ?? {}
      apply(sql, world, value).then(
        (frame) => {
          if (frame) socket.send(frame, { binary: false })
          answer('200 OK')
        },
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

serve<FloorProtocol>({ start })
