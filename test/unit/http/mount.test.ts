import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HttpHandler } from '../../../src/http/exchange.ts'
import { mount } from '../../../src/http/mount.ts'
import { dispatch } from './requests.ts'

const says =
  (name: string): HttpHandler =>
  () => ({ status: 200, body: JSON.stringify({ name }) })

describe('edges on one server', () => {
  const handler = mount({
    '/console': says('console'),
    '/console/api': says('console api'),
    '/healthz': says('health'),
  })

  test('the longest path that fits answers, for itself and everything below', async () => {
    const expected = {
      '/console': 'console',
      '/console/app.js': 'console',
      '/console/api/me': 'console api',
      '/console/apiary': 'console',
      '/healthz': 'health',
    }
    for (const [url, name] of Object.entries(expected))
      assert.deepEqual((await dispatch(handler, { url })).json, { name }, url)
  })

  test('any other path is NOT_FOUND with the request id', async () => {
    for (const url of ['/', '/healthzz', '/consoles']) {
      const { status, json, headers } = await dispatch(handler, { url, requestId: 'r' })
      assert.deepEqual([status, json.error.code, headers['x-request-id']], [404, 'NOT_FOUND', 'r'])
    }
  })
})
