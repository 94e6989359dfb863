import assert from 'node:assert/strict'
import { describe, test } from '../../../support/harness.ts'
import { answers, head, raw } from './raw.ts'
import { serve } from './servers.ts'

describe('heads that could be read in two ways', () => {
  const cases: [string, readonly string[]][] = [
    ['a Transfer-Encoding other than chunked', ['Transfer-Encoding: gzip']],
    ['several codings', ['Transfer-Encoding: gzip, chunked']],
    ['two different Content-Lengths', ['Content-Length: 3', 'Content-Length: 5']],
    ['the same Content-Length twice', ['Content-Length: 3', 'Content-Length: 3']],
    ['two Authorizations', ['Authorization: Bearer a', 'Authorization: Bearer b']],
    ['two keys', ['X-Api-Key: a', 'X-Api-Key: b']],
  ]
  for (const [name, headers] of cases) {
    test(`${name}: 400, the connection closes, and no handler runs`, async () => {
      let calls = 0
      const { port } = await serve(() => {
        calls += 1
        return { status: 200 }
      })
      const client = await raw(port)
      client.write(head('POST / HTTP/1.1', headers))
      const got = answers(await client.closed())
      assert.deepEqual([got.map(({ status }) => status), calls], [[400], 0])
      const { code, details } = JSON.parse(got[0]?.body ?? '').error
      assert.equal(code, 'VALIDATION_ERROR')
      assert.equal(details[0].path, headers[0]?.split(':')[0]?.toLowerCase())
    })

    test(`${name}: what was smuggled in behind it is not served`, async () => {
      const paths: string[] = []
      const { port } = await serve((request) => {
        paths.push(request.path)
        return { status: 200 }
      })
      const client = await raw(port)
      client.write(`${head('POST / HTTP/1.1', headers)}${head('GET /smuggled HTTP/1.1')}`)
      await client.closed()
      assert.deepEqual(paths, [])
    })
  }

  for (const atOnce of [true, false])
    test(`a chunk whose size two readers read differently hides no request, ${atOnce ? 'at once' : 'in pieces'}`, async () => {
      const paths: string[] = []
      const { port } = await serve(async (request) => {
        paths.push(request.path)
        await request.body(1_000)
        return { status: 200 }
      })
      // By the standard, a chunk of 5 bytes with an extension and then one with the rest. To this parser, one
      // chunk of 0x5b bytes.
      const inner = `${'y'.repeat(80)}\r\n0\r\n\r\n${head('GET /smuggled HTTP/1.1')}`
      const pieces = [
        head('POST / HTTP/1.1', ['Transfer-Encoding: chunked']),
        '5;\r\nhello\r\n',
        `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
      ]
      const client = await raw(port)
      for (const piece of atOnce ? [pieces.join('')] : pieces) {
        client.write(piece)
        // Makes each piece a separate read.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      assert.ok(answers(await client.closed()).length <= 1)
      assert.deepEqual(paths, ['/'])
    })

  test('Content-Length together with Transfer-Encoding never reaches a handler', async () => {
    let calls = 0
    const { port } = await serve(() => {
      calls += 1
      return { status: 200 }
    })
    const client = await raw(port)
    client.write(head('POST / HTTP/1.1', ['Content-Length: 3', 'Transfer-Encoding: chunked']))
    client.write('0\r\n\r\n')
    assert.match(await client.closed(), /^HTTP\/1\.1 400/)
    assert.equal(calls, 0)
  })

  for (const [name, line, headers] of [
    ['one long header', 'GET / HTTP/1.1', [`X-Long: ${'a'.repeat(17_000)}`]],
    ['many headers', 'GET / HTTP/1.1', Array.from({ length: 60 }, () => `X: ${'a'.repeat(300)}`)],
    ['a long query', `GET /?q=${'a'.repeat(40_000)} HTTP/1.1`, []],
    ['a long path of an upgrade', `GET /${'a'.repeat(40_000)} HTTP/1.1`, ['Upgrade: websocket']],
  ] as const)
    test(`a head above 16 KiB is refused in JSON, without a handler: ${name}`, async () => {
      const { port } = await serve(() => assert.fail('a handler ran'))
      const client = await raw(port)
      client.write(head(line, [...headers, 'X-Request-Id: large-head']))
      const [answer] = answers(await client.closed())
      assert.equal(answer?.status, 431)
      const { code, requestId } = JSON.parse(answer.body).error
      assert.deepEqual([code, requestId], ['HEADERS_TOO_LARGE', 'large-head'])
    })

  test('a head below 16 KiB is served', async () => {
    const { url } = await serve(() => ({ status: 204 }))
    assert.equal((await fetch(url, { headers: { 'x-long': 'a'.repeat(15 * 1_024) } })).status, 204)
  })

  // The parser answers these itself, in HTML: the page about running Switchboard says what avoids them.
  for (const [name, bytes, status] of [
    ['HTTP/1.0', 'GET / HTTP/1.0\r\nHost: x\r\n\r\n', 505],
    ['more than a hundred headers', head('GET / HTTP/1.1', Array(120).fill('X: y')), 431],
  ] as const)
    test(`${name}: ${status} of the parser, and the connection closes`, async () => {
      const { port } = await serve(() => assert.fail('a handler ran'))
      const client = await raw(port)
      client.write(bytes)
      assert.equal(answers(await client.closed())[0]?.status, status)
    })

  test('headers larger than the parser takes are refused without a handler', async () => {
    let calls = 0
    const { port } = await serve(() => {
      calls += 1
      return { status: 200 }
    })
    const client = await raw(port)
    client.write(head('GET / HTTP/1.1', [`X-Long: ${'a'.repeat(80_000)}`]))
    assert.match(await client.closed(), /^HTTP\/1\.1 431/)
    assert.equal(calls, 0)
  })

  test('no bytes whatever end the server', async () => {
    const { port, url } = await serve(() => ({ status: 204 }))
    const odd = [
      'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
      'CONNECT other.test:443 HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET http://other.test/ HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET / HTTP/1.0\r\n\r\n',
      'GET  / HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET /%ff%00\x80 HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET /?%zz&=&a=%00 HTTP/1.1\r\nHost: x\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\nabc',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\nabc',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc',
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      `${'A'.repeat(70_000)}`,
      '\x16\x03\x01\x02\x00\x01\x00',
      '\r\n\r\n',
    ]
    for (const bytes of odd) {
      const client = await raw(port)
      client.write(Buffer.from(bytes, 'latin1'))
      // Some get no answer until the parser's own timeout. The server must serve others meanwhile.
      assert.equal((await fetch(url)).status, 204, JSON.stringify(bytes.slice(0, 60)))
      client.socket.destroy()
    }
    assert.equal((await fetch(url)).status, 204)
  })
})
