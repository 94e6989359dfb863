import assert from 'node:assert/strict'
import { makeKey } from '../../../src/accounts/key-format.ts'
import { table } from '../../../src/api/table.ts'
import { type Scope, scopes } from '../../../src/contract/scopes.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { workspace } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { gateway } from './gateway.ts'

const sql = testPool(await testDatabase())
const { call, keyFor } = gateway(sql)

/** All scopes that open a route which names one: the scope table of the API contract, as literals. */
const opens: Partial<Record<Scope, readonly Scope[]>> = {
  CHAT_SEND: ['CHAT_SEND'],
  MESSAGES_READ: ['MESSAGES_READ'],
  MEDIA_READ: ['MEDIA_READ'],
  CONVERSATIONS_READ: ['CONVERSATIONS_READ'],
  CONVERSATIONS_WRITE: ['CONVERSATIONS_WRITE'],
  CATALOG_READ: ['CATALOG_READ', 'CHAT_SEND', 'CAMPAIGNS_WRITE'],
  CALLS_READ: ['CALLS_READ', 'CALLS_WRITE'],
  CALLS_WRITE: ['CALLS_WRITE'],
  CAMPAIGNS_READ: ['CAMPAIGNS_READ', 'CAMPAIGNS_WRITE'],
  CAMPAIGNS_WRITE: ['CAMPAIGNS_WRITE'],
  CONTACTS_EXPORT: ['CONTACTS_EXPORT'],
  CONTACTS_ERASE: ['CONTACTS_ERASE'],
}

const exampleOf = (path: string): string =>
  path
    .replace(':phone', '15550001111')
    .replace(':id', encodeId(path.startsWith('/calls') ? 'call' : 'message', newId('call')))

describe('scopes', () => {
  for (const { method, path, scope } of table) {
    test(`${method} ${path} opens for the scopes that hold ${scope} and for no other`, async () => {
      const ws = await workspace(sql)
      for (const held of scopes) {
        const { status, json } = await call(await keyFor(ws, [held]), { method, path: exampleOf(path) })
        const isOpen = opens[scope]?.includes(held) ?? false
        assert.equal(json.error?.code === 'FORBIDDEN', !isOpen, `${held}: ${status}`)
        if (!isOpen) assert.match(json.error.message, new RegExp(`\\b${scope}\\b`))
      }
    })
  }
})

describe('keys', () => {
  test('no key is UNAUTHORIZED and asks for a Bearer', async () => {
    for (const headers of [{}, { 'x-api-key': '' }]) {
      const { status, json, headers: got } = await call(undefined, { path: '/numbers', headers })
      assert.deepEqual([status, json.error.code, got['www-authenticate']], [401, 'UNAUTHORIZED', 'Bearer'])
    }
  })

  test('X-Api-Key is taken where there is no Authorization [authentication 1]', async () => {
    const key = await keyFor(await workspace(sql), ['CATALOG_READ'])
    const { status } = await call(undefined, { path: '/numbers', headers: { 'x-api-key': key } })
    assert.equal(status, 200)
  })

  test('Authorization wins over X-Api-Key, also where it is wrong', async () => {
    const key = await keyFor(await workspace(sql), ['CATALOG_READ'])
    const both = (authorization: string, other: string) =>
      call(undefined, { path: '/numbers', headers: { authorization, 'x-api-key': other } })
    assert.equal((await both(`Bearer ${key}`, 'nonsense')).status, 200)
    assert.equal((await both('Bearer nonsense', key)).json.error.code, 'INVALID_API_KEY')
  })

  test('the scheme is read in any case, and nothing but Bearer', async () => {
    const key = await keyFor(await workspace(sql), ['CATALOG_READ'])
    const code = async (authorization: string) => {
      const { status, json } = await call(undefined, { path: '/numbers', headers: { authorization } })
      return status === 200 ? 'ok' : json.error.code
    }
    for (const good of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`])
      assert.equal(await code(good), 'ok')
    for (const bad of [
      key,
      `Basic ${key}`,
      'Bearer',
      'Bearer ',
      '',
      `Bearer ${key} ${key}`,
      `Bearer ${key},`,
    ])
      assert.equal(await code(bad), 'INVALID_API_KEY', bad)
  })

  test('unknown, wrong, revoked, expired and live keys are INVALID_API_KEY with WWW-Authenticate', async () => {
    const ws = await workspace(sql)
    const good = await keyFor(ws, ['CATALOG_READ'])
    const bad = [
      makeKey('test').key,
      good.slice(0, -43) + makeKey('test').key.slice(-43),
      await keyFor(ws, ['CATALOG_READ'], { revokedAt: new Date() }),
      await keyFor(ws, ['CATALOG_READ'], { expiresAt: new Date(Date.now() - 1_000) }),
      good.replace('ck_test', 'ck_live'),
    ]
    for (const key of bad) {
      const { status, json, headers } = await call(key, { path: '/numbers' })
      assert.deepEqual(
        [status, json.error.code, headers['www-authenticate']],
        [401, 'INVALID_API_KEY', 'Bearer'],
        key,
      )
    }
    assert.equal((await call(good, { path: '/numbers' })).status, 200)
  })

  test('a suspended workspace is told so before its scopes are looked at', async () => {
    const ws = await workspace(sql)
    const key = await keyFor(ws, [])
    assert.equal((await call(key, { path: '/numbers' })).json.error.code, 'FORBIDDEN')
    await sql`update workspaces set status = 'SUSPENDED' where id = ${ws}`
    const { status, json } = await call(key, { path: '/numbers' })
    assert.deepEqual([status, json.error.code], [403, 'TENANT_SUSPENDED'])
  })
})

describe('a key with a list of addresses', () => {
  test('is refused from elsewhere, before anything of its workspace is told, from the next request on', async () => {
    const ws = await workspace(sql)
    const key = await keyFor(ws, [])
    const allow = (ips: string[]) => sql`update api_keys set allowed_ips = ${ips} where workspace_id = ${ws}`
    const refusal = async () => {
      const { status, json } = await call(key, { path: '/numbers' })
      return [status, json.error.code]
    }
    await sql`update workspaces set status = 'SUSPENDED' where id = ${ws}`
    await allow(['203.0.113.0/24', '2001:db8::/32'])
    assert.deepEqual(await refusal(), [403, 'IP_NOT_ALLOWED'])
    await allow(['203.0.113.0/24', '127.0.0.0/8'])
    assert.deepEqual(await refusal(), [403, 'TENANT_SUSPENDED'])
    await allow([])
    assert.deepEqual(await refusal(), [403, 'TENANT_SUSPENDED'])
  })

  test('uses nothing of its rate elsewhere', async () => {
    const ws = await workspace(sql)
    const buckets: string[] = []
    const take = async (bucket: string) => {
      buckets.push(bucket)
      return { allowed: true, remaining: 1, retryAfterMs: 0 }
    }
    const limited = gateway(sql, {}, { take })
    const key = await limited.keyFor(ws, ['CATALOG_READ'])
    for (const ips of [['203.0.113.0/24'], ['127.0.0.0/8']]) {
      await sql`update api_keys set allowed_ips = ${ips} where workspace_id = ${ws}`
      await limited.call(key, { path: '/numbers' })
    }
    const [elsewhere, own] = buckets
    assert.equal(elsewhere, `${own}:127.0.0.1`)
  })
})

describe('headers of every answer', () => {
  test('are the request id and the two of the rate limit, with or without a key', async () => {
    const key = await keyFor(await workspace(sql), ['CATALOG_READ'])
    const answers = [
      await call(key, { path: '/numbers' }),
      await call(key, { path: '/calls' }),
      await call(key, { path: '/nowhere' }),
      await call(undefined, { path: '/numbers' }),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 403, 404, 401],
    )
    for (const { headers } of answers) {
      assert.equal(headers['x-request-id'], 'req-1')
      assert.match(headers['ratelimit-policy'] ?? '', /^"key";q=200;w=2$/)
      assert.match(headers['ratelimit'] ?? '', /^"key";r=\d+;t=\d+$/)
      assert.equal(headers['cache-control'], 'no-store')
    }
  })

  test('a key of its own rate is told its own; 0 is unlimited and never asks the limiter', async () => {
    const ws = await workspace(sql)
    const five = await call(await keyFor(ws, ['CATALOG_READ'], { requestsPerSecond: 5 }), {
      path: '/numbers',
    })
    assert.equal(five.headers['ratelimit-policy'], '"key";q=10;w=2')
    const limited = gateway(
      sql,
      {},
      { take: async () => ({ allowed: false, remaining: 0, retryAfterMs: 500 }) },
    )
    const free = await limited.call(await keyFor(ws, ['CATALOG_READ'], { requestsPerSecond: 0 }), {
      path: '/numbers',
    })
    assert.equal(free.status, 200)
    const refused = await limited.call(await keyFor(ws, ['CATALOG_READ']), { path: '/numbers' })
    assert.deepEqual([refused.status, refused.json.error.code], [429, 'RATE_LIMITED'])
    assert.equal(refused.headers['retry-after'], '1')
  })
})
