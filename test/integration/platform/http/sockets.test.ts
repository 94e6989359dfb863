import assert from 'node:assert/strict'
import WebSocket from 'ws'
import type { ServerSocket, SocketEdge } from '../../../../src/platform/http/sockets.ts'
import { listen } from '../../../../src/platform/http/uws.ts'
import { after, describe, test } from '../../../support/harness.ts'

let publish: (topic: string, text: string) => void = () => undefined
let open = 0

/** Answers what it receives. Its upgrade takes a moment, as with the database query of a real edge. */
const edge: SocketEdge = {
  path: '/live',
  maxFrameBytes: 1_000,
  maxBufferedBytes: 1_000_000,
  publishWith: (given) => {
    publish = given
  },
  async upgrade(request) {
    await new Promise((resolve) => setImmediate(resolve))
    if (request.query.get('as') === 'nobody') return { status: 403, body: 'no' }
    if (request.query.get('as') === 'fault') throw new Error('the edge failed')
    const protocol = request.header('x-name') ?? ''
    let socket: ServerSocket | undefined
    return {
      opened(given) {
        socket = given
        open += 1
        if (request.query.get('as') === 'guest') given.close(4001, 'go')
        given.subscribe('all')
      },
      received: (text) => (text === 'bye' ? socket?.close(4000, 'bye') : socket?.send(`${protocol} ${text}`)),
      drained: () => undefined,
      closed: () => {
        open -= 1
        // Calls after the close do nothing.
        socket?.send('late')
        socket?.subscribe('late')
        socket?.close(4002, 'late')
      },
    }
  },
}

const server = await listen({
  ...{ host: '127.0.0.1', port: 0, maxInFlight: 500, sockets: edge },
  handler: () => ({ status: 404, body: 'nothing' }),
})
after(() => server.close())
const url = `ws://127.0.0.1:${server.port}/live`

async function dial(query = '', name = ''): Promise<WebSocket> {
  const socket = new WebSocket(url + query, { headers: { 'x-name': name } })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return socket
}

const next = (socket: WebSocket): Promise<string> =>
  new Promise((resolve) => socket.once('message', (bytes) => resolve(String(bytes))))
const closed = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => socket.once('close', (code) => resolve(code)))

const refusal = (query: string, headers: Record<string, string> = {}): Promise<number> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url + query, { headers })
    socket.on('error', () => undefined)
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
  })

describe('sockets of browsers', () => {
  test('many at once are each themselves, and stay open while others come and go', async () => {
    for (let round = 0; round < 5; round += 1) {
      const sockets = await Promise.all(Array.from({ length: 100 }, (_, n) => dial('', `n${n}`)))
      const answers = sockets.map(next)
      for (const socket of sockets) socket.send('hello')
      assert.deepEqual(
        await Promise.all(answers),
        sockets.map((_, n) => `n${n} hello`),
      )
      const half = sockets.filter((_, n) => n % 2 === 0)
      const gone = half.map(closed)
      for (const socket of half) socket.send('bye')
      assert.ok((await Promise.all(gone)).every((code) => code === 4000))
      const rest = sockets.filter((_, n) => n % 2 === 1)
      const told = rest.map(next)
      publish('all', `round ${round}`)
      assert.ok((await Promise.all(told)).every((text) => text === `round ${round}`))
      const ended = rest.map(closed)
      for (const socket of rest) socket.terminate()
      await Promise.all(ended)
    }
  })

  test('one that is closed as it opens is told the code', async () => {
    const codes = await Promise.all(
      Array.from({ length: 50 }, () => closed(new WebSocket(`${url}?as=guest`))),
    )
    assert.deepEqual(new Set(codes), new Set([4001]))
  })

  test('an upgrade is refused with an answer, by a fault with a 500, with a body with a 400', async () => {
    assert.equal(await refusal('?as=nobody'), 403)
    assert.equal(await refusal('?as=fault'), 500)
    assert.equal(await refusal('', { 'content-length': '5' }), 400)
  })

  test('what is no upgrade is a request like any other', async () => {
    const reply = await fetch(url.replace('ws', 'http'))
    assert.deepEqual([reply.status, await reply.text()], [404, 'nothing'])
  })

  test('too long a frame closes its socket', async () => {
    const socket = await dial()
    socket.on('error', () => undefined)
    const code = closed(socket)
    socket.send('x'.repeat(1_001))
    assert.notEqual(await code, 1000)
  })

  test('a client that goes while it is judged leaves nothing behind', async () => {
    for (let n = 0; n < 20; n += 1) {
      const socket = new WebSocket(url)
      socket.on('error', () => undefined)
      socket.terminate()
    }
    const last = await dial()
    const gone = closed(last)
    last.close()
    await gone
    while (server.inFlight() > 0 || open > 0) await new Promise((resolve) => setImmediate(resolve))
  })

  test('closing the server tells them that it goes away', async () => {
    const own = await listen({
      ...{ host: '127.0.0.1', port: 0, maxInFlight: 5, sockets: { ...edge, publishWith: () => undefined } },
      handler: () => ({ status: 404 }),
    })
    const socket = new WebSocket(`ws://127.0.0.1:${own.port}/live`)
    await new Promise((resolve) => socket.once('open', resolve))
    const code = closed(socket)
    await own.close()
    assert.equal(await code, 1001)
  })
})
