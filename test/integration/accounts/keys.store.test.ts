import assert from 'node:assert/strict'
import { createAuthenticator } from '../../../src/accounts/authenticate-key.ts'
import { makeKey } from '../../../src/accounts/key-format.ts'
import { createKeyStore } from '../../../src/accounts/store/keys.store.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { apiKey, workspace } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'

const sql = testPool(await testDatabase())
const keys = createKeyStore(sql)
const node = () =>
  createAuthenticator({
    keys,
    environment: 'test',
    // What is written a second later would meet a closed pool.
    clock: { ...systemClock, after: () => ({ cancel: () => undefined }) },
    onTouchFailed: (error) => assert.fail(String(error)),
  })

describe('keys in the database', () => {
  test('a key is found by its prefix, with the standing of its workspace', async () => {
    const ws = await workspace(sql)
    const key = await apiKey(sql, ws, ['CHAT_SEND', 'CALLS_READ'], { requestsPerSecond: 7 })
    const [row, ...more] = await keys.findByPrefixes([key.prefix, 'unknown'])
    assert.equal(more.length, 0)
    assert.deepEqual([row?.keyId, row?.workspaceId, row?.workspaceStatus], [key.id, ws, 'ACTIVE'])
    assert.deepEqual([row?.scopes, row?.requestsPerSecond], [['CHAT_SEND', 'CALLS_READ'], 7])
  })

  test('many keys at once each get their own verdict', async () => {
    const authenticate = node()
    const made = await Promise.all(
      Array.from({ length: 20 }, async () => apiKey(sql, await workspace(sql), ['CHAT_SEND'])),
    )
    const verdicts = await Promise.all([...made, makeKey('test')].map(({ key }) => authenticate(key)))
    const ids = verdicts.map((verdict) =>
      verdict.type === 'authenticated' ? verdict.caller.keyId : verdict.type,
    )
    assert.deepEqual(ids, [...made.map(({ id }) => id), 'refused'])
  })

  test('a change of scopes, a suspension and a revocation apply from the next request on every node [authentication 4]', async () => {
    const nodes = [node(), node()]
    const ws = await workspace(sql)
    const key = await apiKey(sql, ws, ['CHAT_SEND'])
    const see = () =>
      Promise.all(
        nodes.map(async (authenticate) => {
          const verdict = await authenticate(key.key)
          return verdict.type === 'authenticated' ? [verdict.caller.scopes, verdict.suspended] : verdict.type
        }),
      )
    const both = (view: unknown) => [view, view]
    assert.deepEqual(await see(), both([['CHAT_SEND'], false]))
    await sql`update api_keys set scopes = '{CALLS_READ}' where id = ${key.id}`
    assert.deepEqual(await see(), both([['CALLS_READ'], false]))
    await sql`update workspaces set status = 'SUSPENDED' where id = ${ws}`
    assert.deepEqual(await see(), both([['CALLS_READ'], true]))
    await sql`update api_keys set revoked_at = now() where id = ${key.id}`
    assert.deepEqual(await see(), both('refused'))
  })

  test('last used is written, and by two nodes at once only once', async () => {
    const key = await apiKey(sql, await workspace(sql), [])
    const lastUsed = async () => (await keys.findByPrefixes([key.prefix]))[0]?.lastUsedAt
    assert.equal(await lastUsed(), null)
    await keys.touch([key.id])
    const first = await lastUsed()
    assert.ok(first instanceof Date)
    await keys.touch([key.id])
    assert.deepEqual(await lastUsed(), first)
    await sql`update api_keys set last_used_at = now() - interval '2 minutes' where id = ${key.id}`
    await keys.touch([key.id])
    assert.ok(((await lastUsed()) as Date).getTime() >= first.getTime())
  })
})
