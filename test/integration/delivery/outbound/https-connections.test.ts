import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, test } from '../../../support/harness.ts'
import { httpReceiver, makeSender, onRequest, rawReceiver, request } from './receivers.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

describe('the connections of a sender', () => {
  test('are kept and used again', async (t) => {
    const ports = new Set<number | undefined>()
    const port = await httpReceiver(t, (incoming, response) => {
      ports.add(incoming.socket.remotePort)
      response.end('ok')
    })
    const sender = makeSender(t)
    const first = await sender.send(request(`http://127.0.0.1:${port}/`))
    const second = await sender.send(request(`http://127.0.0.1:${port}/`))
    assert.deepEqual([first.reusedConnection, second.reusedConnection], [false, true])
    assert.equal(second.timings.connectMs, undefined)
    assert.equal(second.remoteAddress, '127.0.0.1')
    assert.equal(ports.size, 1)
  })

  test('are not kept when the receiver closes them', async (t) => {
    const port = await httpReceiver(t, (_incoming, response) => {
      response.writeHead(200, { connection: 'close' }).end('ok')
    })
    const sender = makeSender(t)
    for (let count = 0; count < 3; count += 1) {
      const report = await sender.send(request(`http://127.0.0.1:${port}/`))
      assert.equal(report.outcome.type, 'delivered')
      assert.equal(report.reusedConnection, false)
    }
  })

  test('that a receiver reset while idle cost no attempt: the request goes once more on a new one', async (t) => {
    const bodies: string[] = []
    const port = await rawReceiver(t, (socket, connection) => {
      let requests = 0
      onRequest(socket, (text) => {
        requests += 1
        if (connection === 1 && requests === 2) return void socket.resetAndDestroy()
        bodies.push(text.slice(text.indexOf('\r\n\r\n') + 4))
        socket.write(OK)
      })
    })
    const sender = makeSender(t)
    await sender.send(request(`http://127.0.0.1:${port}/`, { body: Buffer.from('1') }))
    const report = await sender.send(request(`http://127.0.0.1:${port}/`, { body: Buffer.from('2') }))
    assert.deepEqual(report.outcome, { type: 'delivered', statusCode: 200 })
    assert.equal(report.reusedConnection, false)
    assert.deepEqual(bodies, ['1', '2'])
  })

  test('are tried again once, not for ever', async (t) => {
    let connections = 0
    const port = await rawReceiver(t, (socket, connection) => {
      connections = connection
      let requests = 0
      onRequest(socket, () => {
        requests += 1
        if (connection === 1 && requests === 1) socket.write(OK)
        else socket.resetAndDestroy()
      })
    })
    const sender = makeSender(t)
    await sender.send(request(`http://127.0.0.1:${port}/`))
    const report = await sender.send(request(`http://127.0.0.1:${port}/`))
    assert.deepEqual(report.outcome, { type: 'unreachable', code: 'CONNECTION_RESET' })
    assert.equal(connections, 2)
  })

  test('that broke in the middle of an answer are not tried again', async (t) => {
    let connections = 0
    const port = await rawReceiver(t, (socket, connection) => {
      connections = connection
      let requests = 0
      onRequest(socket, () => {
        requests += 1
        if (requests === 1) socket.write(OK)
        else socket.end('HTTP/1.1 2')
      })
    })
    const sender = makeSender(t)
    await sender.send(request(`http://127.0.0.1:${port}/`))
    const report = await sender.send(request(`http://127.0.0.1:${port}/`))
    assert.deepEqual(report.outcome, { type: 'unreachable', code: 'INVALID_RESPONSE' })
    assert.equal(connections, 1)
  })

  test('of one pool do not make another wait', async (t) => {
    const held: ServerResponse[] = []
    const port = await httpReceiver(t, (incoming, response) => {
      if (incoming.url === '/slow') held.push(response)
      else response.end()
    })
    const sender = makeSender(t, { limits: { perPool: 2, total: 100 } })
    const url = `http://127.0.0.1:${port}`
    const slow = [1, 2, 3].map(() => sender.send(request(`${url}/slow`, { pool: 'a' })))
    const other = await sender.send(request(`${url}/fast`, { pool: 'b' }))
    assert.equal(other.outcome.type, 'delivered')
    assert.equal(held.length <= 2, true)
    // The third request starts when one of the first two is answered.
    while (held.length < 2) await new Promise((resolve) => setImmediate(resolve))
    for (const response of held.splice(0)) response.end()
    while (held.length < 1) await new Promise((resolve) => setImmediate(resolve))
    for (const response of held.splice(0)) response.end()
    const reports = await Promise.all(slow)
    assert(reports.every((report) => report.outcome.type === 'delivered'))
    assert.equal(reports.filter((report) => report.reusedConnection).length, 1)
  })

  test('that a request waited for in vain are our shortage, not the receiver’s', async (t) => {
    const port = await httpReceiver(t, () => {})
    const sender = makeSender(t, { limits: { perPool: 1, total: 100 } })
    const url = `http://127.0.0.1:${port}/`
    const first = sender.send(request(url, { deadlineMs: 400 }))
    const second = sender.send(request(url, { deadlineMs: 100 }))
    assert.deepEqual((await second).outcome, { type: 'ours', code: 'OVERLOADED' })
    assert.deepEqual((await first).outcome, { type: 'timedOut', code: 'TIMEOUT' })
  })

  test('pass to the next in line when the one in use breaks', async (t) => {
    const port = await rawReceiver(t, (socket, connection) => {
      onRequest(socket, () => (connection === 1 ? socket.resetAndDestroy() : socket.write(OK)))
    })
    const sender = makeSender(t, { limits: { perPool: 1, total: 100 } })
    const url = `http://127.0.0.1:${port}/`
    const reports = await Promise.all([1, 2, 3].map(() => sender.send(request(url))))
    const outcomes = reports.map((report) => report.outcome.type)
    assert.deepEqual(outcomes, ['unreachable', 'delivered', 'delivered'])
    assert.equal(sender.openConnections(), 1)
  })

  test('are bounded in all: the longest idle one makes room', async (t) => {
    const closed: number[] = []
    const port = await rawReceiver(t, (socket, connection) => {
      onRequest(socket, () => socket.write(OK))
      socket.on('close', () => closed.push(connection))
    })
    const sender = makeSender(t, { limits: { perPool: 8, total: 2 } })
    for (const pool of ['a', 'b', 'c']) await sender.send(request(`http://127.0.0.1:${port}/`, { pool }))
    while (closed.length === 0) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(closed, [1])
    assert.equal(sender.openConnections(), 2)
  })

  test('are refused as our shortage when all are in use', async (t) => {
    const sockets: Socket[] = []
    const port = await rawReceiver(t, (socket) => void sockets.push(socket))
    const sender = makeSender(t, { limits: { perPool: 8, total: 1 } })
    const url = `http://127.0.0.1:${port}/`
    const busy = sender.send(request(url, { pool: 'a', deadlineMs: 200 }))
    const refused = await sender.send(request(url, { pool: 'b' }))
    assert.deepEqual(refused.outcome, { type: 'ours', code: 'OVERLOADED' })
    await busy
  })

  test('end with the sender, after what is under way', async (t) => {
    const held: ServerResponse[] = []
    const port = await httpReceiver(t, (_incoming, response) => void held.push(response))
    const sender = makeSender(t)
    const url = `http://127.0.0.1:${port}/`
    const sending = sender.send(request(url))
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const closing = sender.close()
    assert.deepEqual((await sender.send(request(url))).outcome, { type: 'ours', code: 'INTERRUPTED' })
    held[0]?.end()
    assert.equal((await sending).outcome.type, 'delivered')
    await closing
    while (sender.openConnections() > 0) await new Promise((resolve) => setImmediate(resolve))
  })

  test('survive a burst: every one of 500 events arrives once', async (t) => {
    const seen = new Map<string, number>()
    const port = await httpReceiver(t, async (incoming, response) => {
      let text = ''
      for await (const chunk of incoming) text += chunk
      seen.set(text, (seen.get(text) ?? 0) + 1)
      response.end()
    })
    const sender = makeSender(t, { limits: { perPool: 16, total: 100 } })
    const url = `http://127.0.0.1:${port}/`
    const bodies = Array.from({ length: 500 }, (_, index) => Buffer.from(`event ${index}`))
    const reports = await Promise.all(bodies.map((body) => sender.send(request(url, { body }))))
    assert(reports.every((report) => report.outcome.type === 'delivered'))
    assert.equal(seen.size, 500)
    assert(sender.openConnections() <= 16)
  })
})
