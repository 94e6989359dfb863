import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
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
      assert.equal(JSON.parse(got[0]?.body ?? '').error.code, 'VALIDATION_ERROR')
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

  test('headers larger than the parser takes are refused without a handler', async () => {
    let calls = 0
    const { port } = await serve(() => {
      calls += 1
      return { status: 200 }
    })
    const client = await raw(port)
    client.write(head('GET / HTTP/1.1', [`X-Long: ${'a'.repeat(20_000)}`]))
    assert.match(await client.closed(), /^HTTP\/1\.1 431/)
    assert.equal(calls, 0)
  })
})
