import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { readBuilt, writeBuilt } from '../../../src/console/assets/built.ts'
import { createConsolePages } from '../../../src/console/assets/serve.ts'
import type { HttpServer } from '../../../src/platform/http/listen-options.ts'
import { listen } from '../../../src/platform/http/uws.ts'
import { ownFolder } from '../../support/embedded.ts'
import { after, before, describe, test } from '../../support/harness.ts'

describe('the files of the console', () => {
  let server: HttpServer
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { headers, method })
  const namesIn = (html: string): string[] =>
    [...html.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '')

  before(async () => {
    server = await listen({ host: '127.0.0.1', port: 0, handler: createConsolePages(), maxInFlight: 100 })
  })
  after(() => server.close())

  test('every address below /console is the page, under a strict policy, and is asked for again each time', async () => {
    const pages = await Promise.all(
      ['/console', '/console/', '/console/wsp_1/keys', '/console/wsp_1/deliveries/dlv_1?state=FAILED'].map(
        (path) => get(path),
      ),
    )
    const bodies = await Promise.all(pages.map((page) => page.text()))
    assert.equal(new Set(bodies).size, 1)
    for (const { status, headers } of pages) {
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(headers.get('cache-control'), 'no-cache')
      assert.match(
        headers.get('content-security-policy') ?? '',
        /^default-src 'self'; .*frame-ancestors 'none'/,
      )
      assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe/)
    }
    const etag = pages[0]?.headers.get('etag') ?? ''
    assert.equal((await get('/console', { 'if-none-match': etag })).status, 304)
  })

  test('a file is kept for ever under its name, whose hash changes with it', async () => {
    const names = namesIn(await (await get('/console')).text())
    assert.ok(names.length >= 4)
    for (const name of names) {
      assert.match(name, /-[A-Z0-9]{8}\.(js|css|svg)$/)
      const { status, headers } = await get(name)
      assert.equal(status, 200, name)
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    }
    const missing = await get('/console/assets/main-ABCDEFGH.js')
    assert.deepEqual([missing.status, missing.headers.get('content-type')], [404, 'application/json'])
  })

  test('the best form that the browser takes is sent', async () => {
    const { request } = await import('node:http')
    const raw = (encodings: string) =>
      new Promise<{ encoding: string | undefined; bytes: Buffer }>((resolve, reject) => {
        const options = { port: server.port, path: '/console', headers: { 'accept-encoding': encodings } }
        request(options, async (answer) => {
          const bytes = Buffer.concat(await answer.toArray())
          resolve({ encoding: answer.headers['content-encoding'], bytes })
        })
          .on('error', reject)
          .end()
      })
    const plain = await raw('identity')
    assert.equal(plain.encoding, undefined)
    const brotli = await raw('gzip, br')
    assert.equal(brotli.encoding, 'br')
    assert.deepEqual(brotliDecompressSync(brotli.bytes), plain.bytes)
    const gzip = await raw('br;q=0, gzip;q=0.8')
    assert.equal(gzip.encoding, 'gzip')
    assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes)
  })

  test('only reading is served', async () => {
    const answer = await get('/console', {}, 'POST')
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD'])
  })

  test('what a build wrote is what is read at a start', async () => {
    const dir = mkdtempSync(join(ownFolder(), 'built-'))
    try {
      assert.equal(readBuilt(dir), undefined)
      await writeBuilt(dir)
      const files = readBuilt(dir) ?? []
      const index = files.find(({ name }) => name === 'index.html')
      const names = namesIn(Buffer.from(index?.bytes ?? []).toString())
      assert.ok(names.length >= 4)
      for (const name of names)
        assert.ok(
          files.some((file) => name.endsWith(`/${file.name}`)),
          name,
        )
      for (const { bytes, brotli, gzip } of files) {
        assert.deepEqual(brotliDecompressSync(brotli), Buffer.from(bytes))
        assert.deepEqual(gunzipSync(gzip), Buffer.from(bytes))
      }
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
