import assert from 'node:assert/strict'
import type { HttpHandler } from '../../../../src/platform/http/exchange.ts'
import { describe, test } from '../../../support/harness.ts'
import { head, raw } from './raw.ts'
import { serve } from './servers.ts'

describe('headers of every answer', () => {
  const failing: HttpHandler = ({ path }) => {
    if (path === '/throws') throw new Error('of our code')
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }
  }
  const headersOf = async (url: string) => {
    const { headers } = await fetch(url)
    return [headers.get('x-content-type-options'), headers.get('strict-transport-security')]
  }

  test('browsers guess no type, and stay with https where the public URL is https', async () => {
    const plain = await serve(failing, { publicUrl: 'http://gateway.example.com' })
    const secure = await serve(failing, { publicUrl: 'https://gateway.example.com' })
    for (const path of ['/', '/throws']) {
      assert.deepEqual(await headersOf(plain.url + path), ['nosniff', null])
      assert.deepEqual(await headersOf(secure.url + path), ['nosniff', 'max-age=31536000'])
    }
  })

  for (const [kind, headers] of [
    ['by the client', ['Connection: close']],
    ['by a body that does not come', ['Content-Length: 1000000']],
  ] as const)
    test(`to HEAD the length stands also where the connection is closed ${kind}`, async () => {
      const { port } = await serve(() => ({ status: 200, body: 'of eight' }), { lingerMs: 1 })
      const client = await raw(port)
      client.write(head('HEAD / HTTP/1.1', headers))
      const text = await client.closed()
      assert.match(text, /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n.*\r\n\r\n$/s)
      assert.deepEqual(text.match(/content-length: \d+/gi), ['Content-Length: 8'])
      assert.equal(text.match(/connection: close/gi)?.length, 1)
    })
})
