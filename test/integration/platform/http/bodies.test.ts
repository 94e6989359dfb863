import assert from 'node:assert/strict'
import { errorResponse, toAppError } from '../../../../src/platform/http/error-response.ts'
import type { HttpHandler, HttpRequest } from '../../../../src/platform/http/exchange.ts'
import { describe, test } from '../../../support/harness.ts'
import { answers, head, type RawClient, raw } from './raw.ts'
import { gate, serve } from './servers.ts'

const kibibyte = 1024

/** Answers with the length of the body, or with why there was none. */
const measure =
  (limitBytes: number): HttpHandler =>
  async (request) => {
    try {
      const body = await request.body(limitBytes)
      return { status: 200, body: String(body.byteLength) }
    } catch (error) {
      return errorResponse(toAppError(error), request)
    }
  }

describe('the limit of a body', () => {
  test('a body of exactly the limit is taken, one byte more is 413', async () => {
    const { url } = await serve(measure(300_000))
    const send = (size: number) => fetch(url, { method: 'POST', body: 'x'.repeat(size) })
    assert.equal(await (await send(300_000)).text(), '300000')
    assert.equal((await send(300_001)).status, 413)
  })

  test('a Content-Length past the limit is answered before the body came, and the connection closes', async () => {
    const { port } = await serve(measure(1_000), { lingerMs: 50 })
    const client = await raw(port)
    client.write(head('POST / HTTP/1.1', ['Content-Length: 1000000000']))
    const got = answers(await client.closed())
    assert.deepEqual(
      got.map(({ status }) => status),
      [413],
    )
  })

  test('clients that have their refusal take no place from others, and beyond 256 are closed at once', async () => {
    const { server, url, port } = await serve(measure(1_000), { maxInFlight: 1 })
    const refused = async () => {
      const client = await raw(port)
      client.write(head('POST / HTTP/1.1', ['Content-Length: 1000000000']))
      await client.sees(' 413 ')
      return client
    }
    const clients: RawClient[] = []
    for (let count = 0; count < 256; count += 1) clients.push(await refused())
    assert.equal(server.inFlight(), 0)
    assert.equal((await fetch(url, { method: 'POST', body: 'x' })).status, 200)
    await (await refused()).closed()
    for (const { socket } of clients) socket.destroy()
  })

  test('a chunked body is cut off where it passes the limit, and answered once', async () => {
    const { port } = await serve(measure(1_000), { lingerMs: 50 })
    const client = await raw(port)
    client.write(head('POST / HTTP/1.1', ['Transfer-Encoding: chunked']))
    const chunk = `320\r\n${'x'.repeat(800)}\r\n`
    client.write(chunk)
    client.write(chunk)
    client.write(chunk)
    const got = answers(await client.closed())
    assert.deepEqual(
      got.map(({ status }) => status),
      [413],
    )
  })

  test('a client that sends all of a large body still gets its 413', async () => {
    const { url } = await serve(measure(256 * kibibyte))
    for (const size of [512 * kibibyte, 8 * 1024 * kibibyte]) {
      const response = await fetch(url, { method: 'POST', body: Buffer.alloc(size) })
      assert.equal(response.status, 413)
      await response.text()
    }
  })

  test('a large body within the limit arrives whole', async () => {
    const { url } = await serve(measure(8 * 1024 * kibibyte))
    const response = await fetch(url, { method: 'POST', body: Buffer.alloc(8 * 1024 * kibibyte) })
    assert.equal(await response.text(), String(8 * 1024 * kibibyte))
  })
})

/** A body of this size in chunks, with its end. */
function chunks(bytes: number): Buffer {
  const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)
  return Buffer.concat([...Array.from({ length: bytes / 65_536 }, () => chunk), Buffer.from('0\r\n\r\n')])
}

describe('a client that reads only after it has sent all', () => {
  const size = 4 * 1024 * kibibyte
  for (const [name, header, body] of [
    ['in chunks', 'Transfer-Encoding: chunked', chunks(size)],
    ['with a length', `Content-Length: ${size}`, Buffer.alloc(size)],
  ] as const)
    test(`gets its 413, and no broken pipe: ${name}`, async () => {
      const { port, server } = await serve(measure(256 * kibibyte))
      const send = async () => {
        const client = await raw(port)
        client.socket.pause()
        client.write(head('POST / HTTP/1.1', [header]))
        await new Promise<void>((resolve, reject) =>
          client.socket.write(body, (error) => (error ? reject(error) : resolve())),
        )
        client.socket.resume()
        const [answer, ...others] = answers(await client.closed())
        assert.deepEqual([answer?.status, others.length], [413, 0])
        assert.equal(JSON.parse(answer?.body ?? '').error.code, 'PAYLOAD_TOO_LARGE')
      }
      await Promise.all(Array.from({ length: 20 }, send))
      assert.equal(server.inFlight(), 0)
    })

  test('gets it complete at once, before its own end', async () => {
    const { port } = await serve(measure(1_000))
    const client = await raw(port)
    client.write(head('POST / HTTP/1.1', ['Transfer-Encoding: chunked']))
    client.write(`800\r\n${'x'.repeat(2_048)}\r\n`)
    const text = await client.sees('/docs/errors/PAYLOAD_TOO_LARGE"}}\r\n')
    const length = Number(/\r\ncontent-length: (\d+)\r\n/.exec(text)?.[1])
    assert.equal(answers(text)[0]?.body.length, length)
    assert.match(text, /\r\nconnection: close\r\n/)
    client.write('0\r\n\r\n')
    assert.equal(await client.closed(), text)
  })

  test('and goes on and on is cut off: past a number of bytes, and past the time for a body', async () => {
    const { port } = await serve(measure(1_000))
    const much = await raw(port)
    much.write(head('POST / HTTP/1.1', [`Content-Length: ${1024 ** 3}`]))
    const piece = Buffer.alloc(1024 * kibibyte)
    let sent = 0
    const pour = () => {
      while (!much.socket.destroyed && sent < 1024 && much.socket.write(piece)) sent += 1
    }
    much.socket.on('drain', pour)
    pour()
    await much.closed()
    assert.ok(sent < 128, `${sent} MiB were taken`)

    const { port: slow } = await serve(measure(1_000), { bodyDeadlineMs: 300, lingerMs: 100 })
    const long = await raw(slow)
    long.write(head('POST / HTTP/1.1', [`Content-Length: ${1024 ** 3}`]))
    const drip = setInterval(() => long.write('x'), 5)
    await long.closed()
    clearInterval(drip)
  })
})

describe('a body that nobody asked for yet', () => {
  test('waits in the network, not in this process', async () => {
    const { opened, open } = gate()
    const { url } = await serve(async (request) => {
      await opened
      const body = await request.body(8 * 1024 * kibibyte)
      return { status: 200, body: String(body.byteLength) }
    })
    const running = fetch(url, { method: 'POST', body: Buffer.alloc(8 * 1024 * kibibyte) })
    await new Promise((resolve) => setImmediate(resolve))
    open()
    assert.equal(await (await running).text(), String(8 * 1024 * kibibyte))
  })

  test('is dropped with the answer where it is small, and the connection serves on', async () => {
    const { port } = await serve(async (request) => {
      await new Promise((resolve) => setImmediate(resolve))
      return { status: 401, body: request.path }
    })
    const client = await raw(port)
    client.write(`${head('POST /one HTTP/1.1', ['Content-Length: 10'])}12345`)
    await client.sees('/one')
    client.write(`67890${head('GET /two HTTP/1.1')}`)
    await client.sees('/two')
    client.socket.destroy()
  })

  for (const [name, header, body] of [
    ['with a length', 'Content-Length: 2', '{}'],
    ['in chunks', 'Transfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\n'],
  ] as const)
    test(`is no obstacle to the last answer where it came with the head, ${name}`, async () => {
      const { port } = await serve(() => ({ status: 401, body: 'no' }))
      const client = await raw(port)
      client.write(head('POST / HTTP/1.1', [header, 'Connection: close']) + body)
      assert.deepEqual(answers(await client.closed()), [{ status: 401, body: 'no' }])
    })

  test('closes the connection where it is large', async () => {
    const { port } = await serve(() => ({ status: 401 }), { lingerMs: 50 })
    const client = await raw(port)
    client.write(`${head('POST / HTTP/1.1', ['Content-Length: 1000000'])}12345`)
    assert.match(await client.closed(), /^HTTP\/1\.1 401/)
  })
})

describe('bounds', () => {
  test('a client that sends its body too slowly is cut off', async () => {
    const failed = gate<unknown>()
    const { port } = await serve(
      async (request) => {
        await request.body(1_000).catch(failed.open)
        return { status: 200 }
      },
      { bodyDeadlineMs: 100 },
    )
    const client = await raw(port)
    client.write(`${head('POST / HTTP/1.1', ['Content-Length: 100'])}12345`)
    assert.equal(await client.closed(), '')
    assert.match(String(await failed.opened), /went away/)
  })

  test('past the bytes that all requests may hold, the next body is OVERLOADED', async () => {
    const { opened, open } = gate()
    const bothRead = gate()
    let read = 0
    const { url } = await serve(
      async (request) => {
        const answer = await measure(10_000)(request)
        read += 1
        if (read === 2) bothRead.open()
        await opened
        return answer
      },
      { maxBodyBytesHeld: 15_000 },
    )
    const post = () => fetch(url, { method: 'POST', body: 'x'.repeat(10_000) })
    const both = [post(), post()]
    // Both hold what they read until then.
    await bothRead.opened
    open()
    const statuses = await Promise.all(both.map(async (response) => (await response).status))
    assert.deepEqual(statuses.sort(), [200, 503])
    assert.equal((await post()).status, 200)
  })

  test('past the requests in flight the answer is OVERLOADED at once, but a probe is served', async () => {
    const { opened, open } = gate()
    const started = gate()
    const { url, server } = await serve(
      async (request) => {
        if (request.path !== '/healthz') {
          started.open()
          await opened
        }
        return { status: 200 }
      },
      { maxInFlight: 1, unlimitedPaths: new Set(['/healthz']) },
    )
    const running = fetch(url)
    await started.opened
    const refused = await fetch(url)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
    assert.equal(((await refused.json()) as { error: { code: string } }).error.code, 'OVERLOADED')
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    open()
    assert.equal((await running).status, 200)
    assert.equal(server.inFlight(), 0)
    assert.equal((await fetch(url)).status, 200)
  })

  test('a client that leaves aborts the signal and counts no longer', async () => {
    const started = gate<HttpRequest>()
    const aborted = gate()
    const { port, server } = await serve(async (request) => {
      request.signal.addEventListener('abort', () => aborted.open())
      started.open(request)
      await aborted.opened
      return { status: 200 }
    })
    const client = await raw(port)
    client.write(head('GET / HTTP/1.1'))
    await started.opened
    client.socket.destroy()
    await aborted.opened
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(server.inFlight(), 0)
  })

  test('a client that leaves in the middle of its body rejects the reading of it', async () => {
    const failed = gate<unknown>()
    const started = gate()
    const { port } = await serve(async (request) => {
      started.open()
      await request.body(1_000).catch(failed.open)
      return { status: 200 }
    })
    const client = await raw(port)
    client.write(`${head('POST / HTTP/1.1', ['Content-Length: 100'])}12345`)
    await started.opened
    client.socket.destroy()
    assert.match(String(await failed.opened), /went away/)
  })
})
