import assert from 'node:assert/strict'
import type { HttpHandler } from '../../../../src/platform/http/exchange.ts'
import { describe, test } from '../../../support/harness.ts'
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
})
