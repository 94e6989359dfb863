import assert from 'node:assert/strict'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { fixedAnswer } from '../../../../src/platform/http/fixed-answer.ts'
import { describe, test } from '../../../support/harness.ts'
import { request } from './requests.ts'

const page = fixedAnswer({ contentType: 'text/plain', body: () => 'Olá', headers: { 'x-mark': 'yes' } })

const ask = async (headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
  const { status, headers: answered = {}, body } = await page(request({ method, url: '/page', headers }))
  return { status, headers: answered, text: body === undefined ? undefined : String(body) }
}

describe('a fixed answer', () => {
  test('has its bytes, its type, a tag and what it was given', async () => {
    const { status, headers, text } = await ask()
    assert.deepEqual([status, text], [200, 'Olá'])
    assert.deepEqual([headers['content-type'], headers['x-mark']], ['text/plain', 'yes'])
    assert.match(headers['etag'] ?? '', /^W\/"[\w-]{27}"$/)
    assert.match(headers['cache-control'] ?? '', /max-age/)
    assert.equal(headers['x-request-id'], 'req-1')
  })

  test('is not sent again to whoever has it', async () => {
    const { headers } = await ask()
    const etag = headers['etag'] ?? ''
    for (const condition of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const again = await ask({ 'if-none-match': condition })
      assert.deepEqual([again.status, again.text, again.headers['etag']], [304, undefined, etag], condition)
    }
    assert.equal((await ask({ 'if-none-match': '"other"' })).status, 200)
  })

  test('comes in the smallest form that the caller takes, and says what it depends on', async () => {
    const forms = await Promise.all(
      ['gzip, deflate, br', 'gzip', 'br;q=0, identity', ''].map(async (accepted) => {
        const headers = { 'accept-encoding': accepted }
        const { headers: named = {}, body } = await page(request({ url: '/page', headers }))
        assert.equal(named['vary'], 'accept-encoding')
        return [named['content-encoding'], Buffer.from(body as Uint8Array)] as const
      }),
    )
    assert.deepEqual(
      forms.map(([encoding]) => encoding),
      ['br', 'gzip', undefined, undefined],
    )
    const [[, brotli], [, gzip], [, plain]] = forms as [[string, Buffer], [string, Buffer], [string, Buffer]]
    assert.deepEqual([brotliDecompressSync(brotli), gunzipSync(gzip), plain].map(String), [
      'Olá',
      'Olá',
      'Olá',
    ])
  })

  test('takes GET and HEAD alone', async () => {
    assert.equal((await ask({}, 'HEAD')).status, 200)
    const { status, headers } = await ask({}, 'POST')
    assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD'])
  })
})
