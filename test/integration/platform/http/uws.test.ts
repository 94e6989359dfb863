import assert from 'node:assert/strict'
import type { HttpHandler, HttpRequest } from '../../../../src/platform/http/exchange.ts'
import { listen } from '../../../../src/platform/http/uws.ts'
import { describe, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'
import { answers, head, raw } from './raw.ts'
import { gate, serve } from './servers.ts'

const echo: HttpHandler = async (request) => {
  const body = await request.body(1_000)
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      method: request.method,
      path: request.path,
      query: [...request.query],
      color: request.header('x-color'),
      body: Buffer.from(body).toString(),
    }),
  }
}

describe('requests', () => {
  test('method, path, query, headers and body reach the handler', async () => {
    const { url } = await serve(echo)
    const response = await fetch(`${url}/a/b?x=1&y=%2B2&x=3`, {
      method: 'PATCH',
      headers: { 'X-Color': 'red' },
      body: 'hello',
    })
    assert.deepEqual(await response.json(), {
      method: 'PATCH',
      path: '/a/b',
      query: [
        ['x', '1'],
        ['y', '+2'],
        ['x', '3'],
      ],
      color: 'red',
      body: 'hello',
    })
  })

  test('what the handler sees stays true after an await', async () => {
    let seen: unknown
    const { url } = await serve(async (request) => {
      await new Promise((resolve) => setImmediate(resolve))
      seen = [request.path, request.header('x-color'), request.query.get('a'), request.remoteAddress]
      return { status: 204 }
    })
    assert.equal((await fetch(`${url}/late?a=b`, { headers: { 'x-color': 'blue' } })).status, 204)
    assert.deepEqual(seen, ['/late', 'blue', 'b', '127.0.0.1'])
  })

  test('a sane X-Request-Id is kept, any other replaced', async () => {
    const ids: string[] = []
    const { url } = await serve((request) => {
      ids.push(request.requestId)
      return { status: 204 }
    })
    for (const id of ['abc-1.2_3', 'two words', 'x'.repeat(129)])
      await fetch(url, { headers: { 'x-request-id': id } })
    assert.equal(ids[0], 'abc-1.2_3')
    for (const id of ids.slice(1)) assert.match(id, /^[0-9a-f-]{36}$/)
  })

  test('behind proxies the address is the one that the outermost trusted proxy saw', async () => {
    const address = async (trustedProxies: number, forwarded?: string) => {
      const { url } = await serve((request) => ({ status: 200, body: request.remoteAddress }), {
        trustedProxies,
      })
      return (await fetch(url, forwarded ? { headers: { 'x-forwarded-for': forwarded } } : {})).text()
    }
    assert.equal(await address(0, '9.9.9.9'), '127.0.0.1')
    assert.equal(await address(1, '6.6.6.6, 9.9.9.9'), '9.9.9.9')
    assert.equal(await address(2, '6.6.6.6, 9.9.9.9'), '6.6.6.6')
    assert.equal(await address(1), '127.0.0.1')
    assert.equal(await address(1, '9.9.9.9:51234'), '9.9.9.9')
    assert.equal(await address(1, '[2001:db8::1]:443'), '2001:db8::1')
    assert.equal(await address(1, '2001:db8::1'), '2001:db8::1')
    assert.equal(await address(1, '6.6.6.6, unknown'), '127.0.0.1')
  })

  test('requests that arrive in one piece are answered one after the other', async () => {
    const { port } = await serve(echo)
    const client = await raw(port)
    client.write(`${head('POST /one HTTP/1.1', ['Content-Length: 3'])}abc${head('GET /two HTTP/1.1')}`)
    await client.sees('/two')
    assert.deepEqual(
      answers(client.text()).map(({ status, body }) => [
        status,
        JSON.parse(body).path,
        JSON.parse(body).body,
      ]),
      [
        [200, '/one', 'abc'],
        [200, '/two', ''],
      ],
    )
    client.socket.destroy()
  })

  test('a request sent before the one in front of it was answered ends the connection, unserved', async () => {
    // The server orders only answers that are given at once. Mixed-up answers would be worse than none.
    const paths: string[] = []
    const { opened, open } = gate()
    const { port } = await serve(async (request) => {
      paths.push(request.path)
      await opened
      return { status: 200 }
    })
    const client = await raw(port)
    client.write(`${head('GET /one HTTP/1.1')}${head('GET /two HTTP/1.1')}`)
    assert.equal(await client.closed(), '')
    open()
    assert.deepEqual(paths, ['/one'])
  })

  test('a chunked body is put together', async () => {
    const { port } = await serve(echo)
    const client = await raw(port)
    client.write(head('POST / HTTP/1.1', ['Transfer-Encoding: chunked']))
    client.write('3\r\nabc\r\n')
    client.write('2\r\nde\r\n0\r\n\r\n')
    assert.match(await client.sees('"body"'), /"body":"abcde"/)
    client.socket.destroy()
  })

  test('answers announce how long an idle connection is kept, and do not name the server', async () => {
    const { port } = await serve(echo)
    const client = await raw(port)
    client.write(head('GET / HTTP/1.1'))
    const text = await client.sees('"body"')
    assert.match(text, /keep-alive: timeout=8/i)
    assert.doesNotMatch(text, /uwebsockets/i)
    client.socket.destroy()
  })
})

describe('answers', () => {
  test('a header value that holds line breaks begins no header of its own', async () => {
    const { url } = await serve(() => ({
      status: 200,
      headers: { 'x-name': 'a\r\nset-cookie: b=c\r\n\r\n<html>', 'x-other': 'd' },
      body: 'body',
    }))
    const response = await fetch(url)
    assert.equal(response.headers.get('set-cookie'), null)
    assert.deepEqual([response.headers.get('x-other'), await response.text()], ['d', 'body'])
  })

  test('204 has neither content nor a length', async () => {
    const { port } = await serve(() => ({ status: 204, headers: { 'x-a': 'b' } }))
    const client = await raw(port)
    client.write(head('GET / HTTP/1.1'))
    await client.sees('\r\n\r\n')
    assert.doesNotMatch(client.text(), /content-length|transfer-encoding/i)
    assert.match(client.text(), /^HTTP\/1\.1 204 No Content\r\nx-a: b\r\n/)
    client.write(head('GET / HTTP/1.1'))
    await client.sees('\r\n\r\nHTTP/1.1 204')
    client.socket.destroy()
  })

  test('an address is known until the answer has gone', async () => {
    let late: HttpRequest | undefined
    const { url } = await serve((request) => {
      late = request
      return { status: 200 }
    })
    await fetch(url)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(late?.remoteAddress, '')
  })
})

describe('listening', () => {
  test('a port that another server has is refused with a message that names it', async () => {
    const { port } = await serve(echo)
    await assert.rejects(
      listen({ host: '127.0.0.1', port, handler: echo, maxInFlight: 1 }),
      new RegExp(`127\\.0\\.0\\.1:${port}`),
    )
  })

  test('what a handler throws is answered, and told to whoever watches', async () => {
    const faults: unknown[] = []
    const { url } = await serve(
      () => {
        throw new Error('broken')
      },
      { onFault: (error) => faults.push(error) },
    )
    const response = await fetch(url)
    assert.equal(response.status, 500)
    assert.equal(((await response.json()) as { error: { code: string } }).error.code, 'INTERNAL')
    assert.match(String(faults[0]), /broken/)
  })

  test('a refusal that a handler throws is answered, and no fault', async () => {
    const faults: unknown[] = []
    const { url } = await serve(
      async (request) => {
        await request.body(4)
        return { status: 200 }
      },
      { onFault: (error) => faults.push(error) },
    )
    const response = await fetch(url, { method: 'POST', body: '12345', headers: { 'x-request-id': 'mine' } })
    assert.deepEqual([response.status, response.headers.get('x-request-id')], [413, 'mine'])
    assert.deepEqual(faults, [])
  })

  test('what no handler answered has the headers of its path: a fault, an overload, a throw', async () => {
    const { opened, open } = gate()
    const started = gate()
    const { url, port } = await serve(
      async ({ path }) => {
        if (path === '/api/throws') throw new Error('broken')
        started.open()
        await opened
        return { status: 200 }
      },
      { maxInFlight: 1, refusalHeaders: (path) => (path.startsWith('/api/') ? { ratelimit: 'mine' } : {}) },
    )
    const told = async (path: string) => {
      const { status, headers } = await fetch(url + path)
      return [status, headers.get('ratelimit'), headers.has('x-request-id')]
    }
    assert.deepEqual(await told('/api/throws'), [500, 'mine', true])
    const running = fetch(`${url}/api/slow`)
    await started.opened
    assert.deepEqual(await told('/api/x'), [503, 'mine', true])
    assert.deepEqual(await told('/other'), [503, null, true])
    open()
    assert.equal((await running).headers.get('ratelimit'), null)
    const client = await raw(port)
    client.write(head('GET /api/x HTTP/1.1', ['X-Api-Key: a', 'X-Api-Key: b']))
    assert.match(await client.closed(), /^HTTP\/1\.1 400 .*\r\nratelimit: mine\r\n/s)
  })

  test('HEAD gets the length of what GET would get, and no content', async () => {
    const { port } = await serve((request: HttpRequest) => ({ status: 200, body: `for ${request.method}` }))
    const client = await raw(port)
    client.write(head('HEAD / HTTP/1.1'))
    assert.match(await client.sees('\r\n\r\n'), /content-length: 8\r\n/i)
    client.write(head('GET / HTTP/1.1'))
    await client.sees('for GET')
    assert.doesNotMatch(client.text(), /for HEAD/)
    client.socket.destroy()
  })

  test('closing lets a running request finish and then refuses connections', async () => {
    const { opened, open } = gate()
    const started = gate()
    const { server, url, port } = await serve(async () => {
      started.open()
      await opened
      return { status: 200, body: 'done' }
    })
    const running = fetch(url)
    await started.opened
    const closing = server.close()
    assert.equal(server.inFlight(), 1)
    open()
    const response = await running
    assert.deepEqual([response.status, await response.text()], [200, 'done'])
    assert.equal(response.headers.get('connection'), 'close')
    await closing
    await assert.rejects(fetch(`http://127.0.0.1:${port}`))
  })

  test('closing cuts off what does not finish in time, at its one deadline', async () => {
    const clock = new SimulatedClock()
    const started = gate<HttpRequest>()
    const { server, port } = await serve(
      (request) => {
        started.open(request)
        return new Promise(() => undefined)
      },
      { closeDeadlineMs: 10_000, clock },
    )
    const client = await raw(port)
    client.write(head('GET / HTTP/1.1'))
    const request = await started.opened
    const closing = server.close()
    await clock.advance(10_000)
    await closing
    await client.closed()
    assert.ok(request.signal.aborted)
  })
})
