import assert from 'node:assert/strict'
import { createAuthenticator, type KeyRow } from '../../../src/accounts/authenticate-key.ts'
import { makeKey } from '../../../src/accounts/key-format.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

function setup(change: Partial<KeyRow> = {}) {
  const clock = new SimulatedClock()
  const { key, prefix, secretHash } = makeKey('test')
  const row: { current: KeyRow | undefined } = {
    current: {
      keyId: newId('key'),
      workspaceId: newId('workspace'),
      workspaceStatus: 'ACTIVE',
      name: 'backend',
      prefix,
      secretHash,
      scopes: ['CHAT_SEND'],
      requestsPerSecond: 100,
      allowedIps: [],
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      ...change,
    },
  }
  const queries: (readonly string[])[] = []
  const touched: (readonly string[])[] = []
  const failures: unknown[] = []
  const authenticate = createAuthenticator({
    keys: {
      findByPrefixes: async (prefixes) => {
        queries.push(prefixes)
        return row.current ? [row.current] : []
      },
      touch: async (ids) => {
        touched.push(ids)
        if (failures.length > 0) throw failures[0]
      },
    },
    environment: 'test',
    clock,
    onTouchFailed: (error) => failures.push(error),
  })
  return { authenticate, clock, key, row, queries, touched, failures }
}

describe('authentication by key', () => {
  test('a good key says who calls and how much it may', async () => {
    const { authenticate, key, row } = setup()
    assert.deepEqual(await authenticate(key), {
      type: 'authenticated',
      caller: {
        workspaceId: row.current?.workspaceId,
        keyId: row.current?.keyId,
        keyName: 'backend',
        scopes: ['CHAT_SEND'],
      },
      suspended: false,
      requestsPerSecond: 100,
      allowedIps: [],
    })
  })

  test('an unknown, wrong, revoked or expired key is refused, all alike', async () => {
    const now = new SimulatedClock().now()
    const revoked = setup({ revokedAt: new Date(now - 1) })
    const expired = setup({ expiresAt: new Date(now) })
    const unknown = setup()
    unknown.row.current = undefined
    const wrong = setup()
    const [, , prefix] = wrong.key.split('_')
    const otherSecret = makeKey('test').key.split('_')[3]
    const verdicts = [
      await revoked.authenticate(revoked.key),
      await expired.authenticate(expired.key),
      await unknown.authenticate(unknown.key),
      await wrong.authenticate(`ck_test_${prefix}_${otherSecret}`),
    ]
    for (const verdict of verdicts) assert.deepEqual(verdict, { type: 'refused' })
  })

  test('a key is good until the instant it expires', async () => {
    const now = new SimulatedClock().now()
    const { authenticate, key, clock } = setup({ expiresAt: new Date(now + 1_000) })
    assert.equal((await authenticate(key)).type, 'authenticated')
    await clock.advance(1_000)
    assert.equal((await authenticate(key)).type, 'refused')
  })

  test('a malformed key and a key of the other environment cost no query', async () => {
    const { authenticate, key, queries } = setup()
    assert.equal((await authenticate('nonsense')).type, 'refused')
    assert.equal((await authenticate(key.replace('ck_test', 'ck_live'))).type, 'refused')
    assert.deepEqual(queries, [])
  })

  test('every request asks anew, so a change applies from the next one [authentication 4]', async () => {
    const { authenticate, key, row } = setup()
    assert.equal((await authenticate(key)).type, 'authenticated')
    row.current = { ...(row.current as KeyRow), scopes: [], workspaceStatus: 'SUSPENDED' }
    const verdict = await authenticate(key)
    assert.ok(verdict.type === 'authenticated' && verdict.suspended && verdict.caller.scopes.length === 0)
  })

  test('requests that arrive together share one query', async () => {
    const { authenticate, key, queries } = setup()
    await Promise.all([authenticate(key), authenticate(key), authenticate(key)])
    assert.equal(queries.length, 1)
    assert.equal(queries[0]?.length, 1)
  })
})

describe('last used', () => {
  test('is written once for many requests, off their path', async () => {
    const { authenticate, key, clock, touched, row } = setup()
    await authenticate(key)
    await authenticate(key)
    assert.deepEqual(touched, [])
    await clock.advance(1_000)
    assert.deepEqual(touched, [[row.current?.keyId]])
  })

  test('is not written again within a minute', async () => {
    const { authenticate, key, clock, touched } = setup({ lastUsedAt: new Date(new SimulatedClock().now()) })
    await clock.advance(59_000)
    await authenticate(key)
    await clock.advance(1_000)
    assert.deepEqual(touched, [])
    await authenticate(key)
    await clock.advance(1_000)
    assert.equal(touched.length, 1)
  })

  test('is not written for a refused key', async () => {
    const { authenticate, key, clock, touched } = setup({ revokedAt: new Date(0) })
    await authenticate(key)
    await clock.advance(5_000)
    assert.deepEqual(touched, [])
  })

  test('that cannot be written refuses nobody', async () => {
    const { authenticate, key, clock, failures } = setup()
    failures.push(new Error('database gone'))
    await authenticate(key)
    await clock.advance(1_000)
    assert.equal(failures.length, 2)
    assert.equal((await authenticate(key)).type, 'authenticated')
  })
})
