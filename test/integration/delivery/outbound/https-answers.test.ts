import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, test } from '../../../support/harness.ts'
import { httpReceiver, makeSender, onRequest, rawReceiver, request } from './receivers.ts'

describe('an HTTPS attempt', () => {
  test('posts the exact bytes and headers to the exact path, and reports the answer', async (t) => {
    const body = Buffer.from('{"text":"Grüße 👋",  "n":1.0}')
    let seen: { method?: string; url?: string; headers: IncomingHttpHeaders; body: Buffer } | undefined
    const port = await httpReceiver(t, async (incoming, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk)
      const { method = '', url = '', headers } = incoming
      seen = { method, url, headers, body: Buffer.concat(chunks) }
      response.writeHead(202, { 'x-trace': 'abc', 'content-type': 'text/plain' }).end('taken')
    })
    const path = "/a/../b//c?x='y'&z=%7e+{1}"
    const headers = { 'content-type': 'application/json', 'x-communication-attempt': '2' }
    const report = await makeSender(t).send(request(`http://127.0.0.1:${port}${path}`, { body, headers }))

    assert.deepEqual(report.outcome, { type: 'delivered', statusCode: 202 })
    assert.equal(Buffer.from(report.responseBody ?? []).toString(), 'taken')
    assert.equal(report.responseHeaders?.['x-trace'], 'abc')
    assert.equal(report.remoteAddress, '127.0.0.1')
    assert.equal(report.reusedConnection, false)
    const { connectMs = -1, firstByteMs = -1 } = report.timings
    assert(connectMs >= 0 && firstByteMs >= 0 && report.durationMs >= connectMs + firstByteMs)

    assert(seen)
    assert.deepEqual([seen.method, seen.url], ['POST', path])
    assert(seen.body.equals(body))
    assert.equal(seen.headers['x-communication-attempt'], '2')
    assert.equal(seen.headers['user-agent'], 'Switchboard-Webhooks/0.1.0')
    assert.equal(seen.headers['accept-encoding'], 'identity')
    assert.equal(seen.headers['content-length'], String(body.byteLength))
    assert.equal(seen.headers.host, `127.0.0.1:${port}`)
  })

  for (const status of [400, 401, 404, 410, 500, 502]) {
    test(`is refused by ${status} [delivery rules 2]`, async (t) => {
      const port = await httpReceiver(t, (_incoming, response) => void response.writeHead(status).end('no'))
      const report = await makeSender(t).send(request(`http://127.0.0.1:${port}/`))
      assert.deepEqual(report.outcome, { type: 'refused', statusCode: status })
      assert.equal(report.retryAfterMs, null)
    })
  }

  test('does not follow a redirect: it is a refusal', async (t) => {
    const paths: (string | undefined)[] = []
    const port = await httpReceiver(t, (incoming, response) => {
      paths.push(incoming.url)
      response.writeHead(301, { location: '/elsewhere' }).end()
    })
    const report = await makeSender(t).send(request(`http://127.0.0.1:${port}/here`))
    assert.deepEqual(report.outcome, { type: 'refused', statusCode: 301 })
    assert.deepEqual(paths, ['/here'])
  })

  test('reports what a 429 asks for', async (t) => {
    const port = await httpReceiver(t, (_incoming, response) => {
      response.writeHead(429, { 'retry-after': '120' }).end()
    })
    assert.equal((await makeSender(t).send(request(`http://127.0.0.1:${port}/`))).retryAfterMs, 120_000)
  })

  test('counts a date from the time that the receiver tells', async (t) => {
    const late = 'Fri, 20 Nov 2015 14:01:30 GMT'
    const dates: Record<string, string> = { '/own': 'Fri, 20 Nov 2015 14:00:00 GMT', '/broken': 'today' }
    const port = await httpReceiver(t, (incoming, response) => {
      response.writeHead(503, { 'retry-after': late, date: dates[incoming.url ?? ''] ?? '' }).end()
    })
    const askedAt = async (path: string) =>
      (await makeSender(t).send(request(`http://127.0.0.1:${port}${path}`))).retryAfterMs
    assert.equal(await askedAt('/own'), 90_000)
    assert.equal(await askedAt('/broken'), 0)
  })

  test('passes over early hints to the answer itself', async (t) => {
    const port = await httpReceiver(t, (_incoming, response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' })
      response.writeHead(204).end()
    })
    const report = await makeSender(t).send(request(`http://127.0.0.1:${port}/`))
    assert.deepEqual(report.outcome, { type: 'delivered', statusCode: 204 })
    assert.equal(report.responseBody?.byteLength, 0)
  })

  for (const [name, interim] of [
    ['100', ['HTTP/1.1 100 Continue\r\n\r\n']],
    ['102', ['HTTP/1.1 102 Processing\r\nserver: x\r\n\r\n']],
    ['103', ['HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n']],
    ['an unknown 1xx', ['HTTP/1.1 199 Perhaps\r\n\r\n']],
    [
      'several',
      ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ],
  ] as const)
    test(`passes over ${name}, unasked, on one connection for two requests`, async (t) => {
      let connections = 0
      const port = await rawReceiver(t, (socket) => {
        connections += 1
        onRequest(socket, () =>
          socket.write(`${interim.join('')}HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\ntaken`),
        )
      })
      const sender = makeSender(t)
      for (const reusedConnection of [false, true]) {
        const report = await sender.send(request(`http://127.0.0.1:${port}/`))
        assert.deepEqual(report.outcome, { type: 'delivered', statusCode: 200 })
        assert.equal(Buffer.from(report.responseBody ?? []).toString(), 'taken')
        assert.equal(report.reusedConnection, reusedConnection)
      }
      assert.equal(connections, 1)
    })

  test('looks localhost up without a name server', async (t) => {
    const port = await httpReceiver(t, (_incoming, response) => void response.end())
    const report = await makeSender(t).send(request(`http://localhost:${port}/`))
    assert.equal(report.outcome.type, 'delivered')
  })

  test('is blocked before anything is sent when the address is not allowed', async (t) => {
    let connections = 0
    const port = await httpReceiver(t, () => assert.fail('reached'))
    const sender = makeSender(t, { policy: 'public' })
    for (const url of [`https://127.0.0.1:${port}/`, `https://[::1]:${port}/`]) {
      const { outcome } = await sender.send(request(url))
      assert.deepEqual(outcome, { type: 'blocked', code: 'ADDRESS_FORBIDDEN' })
      connections += sender.openConnections()
    }
    for (const url of [
      `http://example.org:${port}/`,
      `https://localhost:${port}/`,
      `wss://example.org/`,
      'nonsense',
    ]) {
      assert.deepEqual((await sender.send(request(url))).outcome, { type: 'blocked', code: 'URL_FORBIDDEN' })
    }
    assert.equal(connections, 0)
  })

  test('broken off by us is our own fault, before a connection and after', async (t) => {
    const sender = makeSender(t)
    const already = await sender.send(request('http://127.0.0.1:9/', { signal: AbortSignal.abort() }))
    assert.deepEqual(already.outcome, { type: 'ours', code: 'INTERRUPTED' })
    const cut = new AbortController()
    const port = await httpReceiver(t, () => cut.abort())
    const waiting = await sender.send(request(`http://127.0.0.1:${port}/`, { signal: cut.signal }))
    assert.deepEqual(waiting.outcome, { type: 'ours', code: 'INTERRUPTED' })
  })
})
