// What a browser gets from the public port outside the API: the start page, what all pages share, and the documentation.
import assert from 'node:assert/strict'
import { brotliDecompressSync } from 'node:zlib'
import { documentationPages } from '../../../src/api/docs/pages.ts'
import { type Edges, publicHandler } from '../../../src/gateway/public-handler.ts'
import { describe, test } from '../../support/harness.ts'
import { request } from '../platform/http/requests.ts'

const other = () => ({ status: 204 })
const handsetsUrl = 'http://handsets.test/'
const route = publicHandler({
  api: other,
  console: other,
  providerWebhooks: other,
  health: { alive: other, ready: other } as unknown as Edges['health'],
  pages: documentationPages({ handsetsUrl }),
})

async function get(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const answer = await route(request({ url, headers, method }))
  return {
    ...answer,
    headers: answer.headers ?? {},
    text: Buffer.from((answer.body ?? '') as Uint8Array).toString(),
  }
}

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the start page', () => {
  test('leads browsers to console, documentation and handsets', async () => {
    const { status, headers, text } = await get('/', asBrowser)
    assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8'])
    for (const address of ['/console', '/docs', handsetsUrl])
      assert.ok(text.includes(`<li><a href="${address}">`))
    assert.match(headers['content-security-policy'] ?? '', /font-src 'self'/)
    assert.equal(headers['vary'], 'accept, accept-encoding')
  })

  test('tells programs the same as JSON', async () => {
    const { headers, text } = await get('/', { accept: '*/*' })
    assert.equal(headers['content-type'], 'application/json')
    assert.deepEqual(JSON.parse(text), {
      name: 'Switchboard',
      api: '/api/v1',
      console: '/console',
      docs: '/docs',
      openapi: '/openapi.json',
    })
    assert.equal(headers['vary'], 'accept, accept-encoding')
  })
})

describe('what all pages share', () => {
  test('documentation and start page name the icon and the font, which are kept for ever', async () => {
    const pages = await Promise.all(['/', '/docs', '/docs/send'].map((path) => get(path, asBrowser)))
    const named = pages.map(({ text }) =>
      [...text.matchAll(/<link [^>]*href="([^"]+)"/g)].map(([, href]) => href),
    )
    for (const names of named) assert.deepEqual(names, named[0])
    assert.deepEqual(named[0]?.length, 3)
    const types = { ico: 'image/x-icon', svg: 'image/svg+xml', woff2: 'font/woff2' }
    for (const name of named[0] ?? []) {
      const { status, headers } = await get(name ?? '')
      assert.deepEqual(
        [status, headers['content-type']],
        [200, types[name?.split('.').at(-1) as keyof typeof types]],
      )
      if (name !== '/favicon.ico') assert.match(headers['cache-control'] ?? '', /max-age=31536000, immutable/)
      assert.equal((await get(name ?? '', { 'if-none-match': headers['etag'] ?? '' })).status, 304)
    }
    assert.equal((await get('/assets/inter-00000000.woff2')).status, 404)
    assert.equal((await get('/favicon.ico', {}, 'POST')).status, 405)
  })

  test('every page has the one header, and a title of its own', async () => {
    const pages = await Promise.all(
      ['/docs', '/docs/send', '/docs/errors/RATE_LIMITED'].map((path) => get(path)),
    )
    const headers = pages.map(({ text }) => /<header class="product-bar">[\s\S]*?<\/header>/.exec(text)?.[0])
    for (const header of headers) assert.ok(header !== undefined && header === headers[0])
    assert.deepEqual(
      pages.map(({ text }) => /<title>(.*?)<\/title>/.exec(text)?.[1]),
      ['API reference · Switchboard', 'Send messages · Switchboard', 'RATE_LIMITED · Switchboard'],
    )
  })

  test('texts are compressed, the font is not', async () => {
    const encodings = { 'accept-encoding': 'gzip, br' }
    for (const path of [
      '/docs',
      '/docs.md',
      '/docs/send',
      '/docs/search.json',
      '/openapi.json',
      '/llms.txt',
      '/',
    ]) {
      const plain = await get(path)
      const { headers, body } = await get(path, encodings)
      assert.equal(headers['content-encoding'], 'br', path)
      assert.match(headers['vary'] ?? '', /accept-encoding/)
      assert.deepEqual(brotliDecompressSync(body as Uint8Array).toString(), plain.text)
    }
    const [, font = ''] = /href="([^"]+woff2)"/.exec((await get('/docs')).text) ?? []
    assert.equal((await get(font, encodings)).headers['content-encoding'], undefined)
  })
})
