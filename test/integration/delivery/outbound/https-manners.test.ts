import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { createResolver } from '../../../../src/delivery/outbound/resolve.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { describe, type TestContext, test } from '../../../support/harness.ts'
import { startNameServer } from './name-server.ts'
import { httpReceiver, makeSender, onRequest, rawReceiver, request } from './receivers.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

describe('a redirect', () => {
  for (const status of [300, 301, 302, 303, 304, 305, 307, 308]) {
    test(`by ${status} to an internal address is a refusal, and nobody goes there`, async (t) => {
      let reached = 0
      const inside = await rawReceiver(t, () => {
        reached += 1
      })
      const names = await startNameServer(t, () => ({ addresses: ['127.0.0.1'] }))
      const resolver = createResolver({ policy: 'any', clock: systemClock, servers: [names.address] })
      const targets = [
        `http://127.0.0.1:${inside}/`,
        `http://inside.example.org:${inside}/`,
        `//127.0.0.1:${inside}/x`,
      ]
      const requests: string[] = []
      const port = await httpReceiver(t, (incoming, response) => {
        requests.push(String(incoming.url))
        const location = targets[requests.length - 1] ?? '/'
        response.writeHead(status, { location, refresh: `0; url=${location}` }).end('moved')
      })
      const sender = makeSender(t, { resolver })
      for (const location of targets) {
        const report = await sender.send(request(`http://127.0.0.1:${port}/here`))
        assert.deepEqual(report.outcome, { type: 'refused', statusCode: status })
        assert.equal(report.responseHeaders?.['location'], location)
      }
      assert.deepEqual(requests, ['/here', '/here', '/here'])
      assert.equal(reached, 0)
      assert.equal(names.asked('inside.example.org'), 0)
    })
  }
})

/** Sends one event after the other. The receiver gets the numbers of the connection and of the request. */
async function converse(
  t: TestContext,
  answer: (socket: Socket, at: { connection: number; request: number }) => void,
  count: number,
) {
  const port = await rawReceiver(t, (socket, connection) => {
    let requests = 0
    onRequest(socket, () => {
      requests += 1
      answer(socket, { connection, request: requests })
    })
  })
  const sender = makeSender(t)
  const reports = []
  for (let index = 0; index < count; index += 1) {
    reports.push(await sender.send(request(`http://127.0.0.1:${port}/`)))
  }
  return { reports, sender }
}

const texts = (reports: readonly { responseBody: Uint8Array | null }[]) =>
  reports.map(({ responseBody }) => responseBody && Buffer.from(responseBody).toString())

describe('a receiver that', () => {
  test('gives several answers at once is believed the first, and the rest goes to no other event', async (t) => {
    const extra = OK.replace('ok', 'no').replace('200', '500')
    const { reports } = await converse(t, (socket) => void socket.write(OK + extra + extra), 3)
    assert.deepEqual(texts(reports), ['ok', 'ok', 'ok'])
    assert(
      reports.every(({ outcome, reusedConnection }) => outcome.type === 'delivered' && !reusedConnection),
    )
  })

  test('talks on an idle connection loses it', async (t) => {
    let talk = () => {}
    const closed = new Promise<void>((resolve) => {
      talk = resolve
    })
    const { reports, sender } = await converse(
      t,
      (socket, { connection }) => {
        socket.on('close', talk)
        // The pause separates this line from the answer, which was accepted before.
        socket.write(OK, () => setTimeout(() => connection === 1 && socket.write('HTTP/1.1 200 OK\r\n'), 50))
      },
      1,
    )
    await closed
    assert.equal(reports[0]?.outcome.type, 'delivered')
    while (sender.openConnections() > 0) await new Promise((resolve) => setImmediate(resolve))
  })

  test('answers before it has read the request is believed, and asked nothing more on that connection', async (t) => {
    let connections = 0
    const port = await rawReceiver(t, (socket) => {
      connections += 1
      socket.once('data', () => {
        socket.pause()
        socket.write(OK)
      })
    })
    const sender = makeSender(t)
    const body = Buffer.alloc(32 * 1024 * 1024, 'x')
    for (let count = 1; count <= 2; count += 1) {
      const report = await sender.send(request(`http://127.0.0.1:${port}/`, { body }))
      assert.deepEqual(report.outcome, { type: 'delivered', statusCode: 200 })
      assert.equal(report.reusedConnection, false)
      assert.equal(connections, count)
    }
  })

  test('closes its side instead of answering has broken the connection', async (t) => {
    const { reports } = await converse(t, (socket) => void socket.end(), 1)
    assert.deepEqual(reports[0]?.outcome, { type: 'unreachable', code: 'CONNECTION_RESET' })
  })

  test('closes its side behind its answer has delivered, each time on a connection of its own', async (t) => {
    const { reports } = await converse(t, (socket) => void socket.end(OK), 3)
    assert.deepEqual(texts(reports), ['ok', 'ok', 'ok'])
  })

  test('answers as HTTP/1.0 until it closes has delivered', async (t) => {
    const { reports } = await converse(t, (socket) => void socket.end('HTTP/1.0 200 OK\r\n\r\nold'), 2)
    assert.deepEqual(texts(reports), ['old', 'old'])
  })

  test('resets in the middle of its head has not answered', async (t) => {
    const { reports } = await converse(
      t,
      (socket) => {
        // Waits, because the reset would overtake what is still in the receiver's buffers.
        socket.write('HTTP/1.1 200 OK\r\ncontent-', () => setTimeout(() => socket.resetAndDestroy(), 50))
      },
      1,
    )
    assert.deepEqual(reports[0]?.outcome, { type: 'unreachable', code: 'CONNECTION_RESET' })
  })

  test('announces how long it keeps connections is not asked on one that is about to close', async (t) => {
    const { reports, sender } = await converse(
      t,
      (socket) => void socket.write(OK.replace('\r\n\r\n', '\r\nkeep-alive: timeout=1\r\n\r\n')),
      2,
    )
    assert.deepEqual(
      reports.map(({ reusedConnection }) => reusedConnection),
      [false, false],
    )
    while (sender.openConnections() > 0) await new Promise((resolve) => setImmediate(resolve))
  })

  test('has strange bytes in its headers is understood, or has not answered; none of them is a NUL', async (t) => {
    const lines = [
      '__proto__: p',
      'constructor: c',
      'x-latin: \xe9\x80\xff',
      'x-utf: \xe2\x82\xac',
      'x: \ta\t',
    ]
    const head = Buffer.from(
      `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\ncontent-length: 0\r\n\r\n`,
      'latin1',
    )
    const { reports } = await converse(t, (socket) => void socket.write(head), 1)
    assert.equal(reports[0]?.outcome.type, 'delivered')
    const kept = reports[0]?.responseHeaders ?? {}
    assert(Object.hasOwn(kept, '__proto__') && Object.hasOwn(kept, 'constructor'))
    assert.equal(kept['x-latin']?.length, 3)
    for (const bad of ['x: a\0b', 'x\0: a', 'x: a\x01b', 'x y: z', ': z', 'x: a\x7fb']) {
      const wrong = `HTTP/1.1 200 OK\r\n${bad}\r\ncontent-length: 0\r\n\r\n`
      const [report] = (await converse(t, (socket) => void socket.write(wrong, 'latin1'), 1)).reports
      const values = Object.entries(report?.responseHeaders ?? {}).flat()
      assert(
        values.every((value) => !value.includes('\0')),
        JSON.stringify(values),
      )
      if (bad.includes('\0'))
        assert.deepEqual(report?.outcome, { type: 'unreachable', code: 'INVALID_RESPONSE' })
    }
  })

  test('has one header too large to keep has the others kept', async (t) => {
    const lines = `x-policy: ${'p'.repeat(5_000)}\r\nx-request-id: 77\r\ncontent-length: 0`
    const { reports } = await converse(
      t,
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`),
      1,
    )
    assert.deepEqual(reports[0]?.responseHeaders, { 'x-request-id': '77', 'content-length': '0' })
  })
})
