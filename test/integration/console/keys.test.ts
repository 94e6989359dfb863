import assert from 'node:assert/strict'
import { hashSecret, parseKey } from '../../../src/accounts/key-format.ts'
import { decodeId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { openWorld } from './console-world.ts'

const world = await openWorld()
const admin = await world.as('ADMIN')
const keys = `/workspaces/${world.ws}/keys`
const create = (body: object = {}) => admin('POST', keys, { name: 'Backend', scopes: ['CHAT_SEND'], ...body })

describe('API keys', () => {
  test('a new key is shown once, and stored as the hash of its secret', async () => {
    const made = await create({ scopes: ['MESSAGES_READ', 'CHAT_SEND', 'CHAT_SEND'], requestsPerSecond: 7 })
    assert.equal(made.status, 201)
    const { key, ...record } = made.body
    const parsed = parseKey(key) ?? assert.fail('not a key')
    assert.equal(parsed.environment, 'test')
    const [row] = await world.sql<{ secretHash: Buffer; requestsPerSecond: number }[]>`
      select secret_hash, requests_per_second from api_keys where prefix = ${parsed.prefix}`
    assert.deepEqual(row?.secretHash, hashSecret(parsed.secret))
    assert.equal(row?.requestsPerSecond, 7)
    assert.equal(record.prefix, parsed.prefix)
    assert.deepEqual(record.scopes, ['CHAT_SEND', 'MESSAGES_READ'])
    const listed = await admin('GET', keys)
    assert.deepEqual(listed.body.data[0], record)
    assert.equal(JSON.stringify(listed.body).includes(parsed.secret), false)
    const audit = await admin('GET', `/workspaces/${world.ws}/audit`)
    assert.equal(audit.body.data[0].action, 'key.created')
    assert.equal(JSON.stringify(audit.body).includes(parsed.secret), false)
  })

  test('scopes and name change, the key stays, and the audit shows before and after', async () => {
    const { id, prefix } = (await create()).body
    const edited = await admin('PATCH', `${keys}/${id}`, { name: 'Reader', scopes: ['CALLS_READ'] })
    assert.equal(edited.status, 200)
    assert.deepEqual(
      [edited.body.name, edited.body.scopes, edited.body.prefix],
      ['Reader', ['CALLS_READ'], prefix],
    )
    const [entry] = (await admin('GET', `/workspaces/${world.ws}/audit`)).body.data
    assert.equal(entry.action, 'key.edited')
    assert.deepEqual([entry.before.scopes, entry.after.scopes], [['CHAT_SEND'], ['CALLS_READ']])
    assert.equal(entry.subjectId, id)
  })

  test('the addresses that may use it are checked, kept without repeats, and in the audit', async () => {
    const ranges = ['203.0.113.0/24', '2001:db8::/32']
    const { status, body } = await create({ allowedIps: [...ranges, ` ${ranges[0]} `] })
    assert.deepEqual([status, body.allowedIps], [201, ranges])
    const path = `${keys}/${body.id}`
    assert.deepEqual((await admin('PATCH', path, { name: 'Renamed' })).body.allowedIps, ranges)
    const wrong = await admin('PATCH', path, { allowedIps: ['203.0.113.0/24', '203.0.113.1/24'] })
    assert.deepEqual([wrong.status, wrong.body.error.details[0].path], [400, 'allowedIps.1'])
    assert.equal((await admin('PATCH', path, { allowedIps: Array(51).fill('::1') })).status, 400)
    assert.deepEqual((await admin('PATCH', path, { allowedIps: [] })).body.allowedIps, [])
    const [entry] = (await admin('GET', `/workspaces/${world.ws}/audit`)).body.data
    assert.deepEqual([entry.before.allowedIps, entry.after.allowedIps], [ranges, []])
  })

  test('a revoked key stays listed, cannot be edited, and keeps its first time', async () => {
    const { id } = (await create()).body
    const revoked = await admin('DELETE', `${keys}/${id}`)
    assert.equal(revoked.status, 200)
    assert.ok(revoked.body.revokedAt)
    assert.equal((await admin('DELETE', `${keys}/${id}`)).body.revokedAt, revoked.body.revokedAt)
    const edit = await admin('PATCH', `${keys}/${id}`, { name: 'Again' })
    assert.equal(edit.body.error.code, 'INVALID_STATE')
    const rows = await world.sql`
      select from audit where subject_id = ${decodeId('key', id) ?? ''} and action = 'key.revoked'`
    assert.equal(rows.count, 1)
  })

  test('what is not a key is refused by name', async () => {
    const refused: [body: object, path: string][] = [
      [{ name: ' ' }, 'name'],
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['ROOT'] }, 'scopes.0'],
      [{ expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiresAt'],
      [{ requestsPerSecond: -1 }, 'requestsPerSecond'],
      [{ workspaceId: 'x' }, 'workspaceId'],
    ]
    for (const [body, path] of refused) {
      const reply = await create(body)
      assert.equal(reply.status, 400, path)
      assert.equal(reply.body.error.details[0].path, path)
    }
    const { id } = (await create()).body
    assert.equal((await admin('PATCH', `${keys}/${id}`, {})).status, 400)
  })

  test('an expiry is kept', async () => {
    const expiresAt = '2999-01-01T00:00:00.000Z'
    assert.equal((await create({ expiresAt })).body.expiresAt, expiresAt)
    assert.equal((await create({ expiresAt: null })).body.expiresAt, null)
  })

  test('pages follow one another without gap or repeat, newest first', async () => {
    for (let more = 0; more < 5; more += 1) await create({ name: `k${more}` })
    const all = (await admin('GET', `${keys}?limit=200`)).body.data.map(({ id }: { id: string }) => id)
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = (await admin('GET', `${keys}?limit=2${cursor && `&cursor=${cursor}`}`)).body
      seen.push(...page.data.map(({ id }: { id: string }) => id))
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    assert.deepEqual(seen, all)
    assert.equal((await admin('GET', `${keys}?cursor=abc`)).status, 400)
  })

  test('a key of another workspace does not exist', async () => {
    const other = await world.addWorkspace('Other')
    const stranger = await world.as('OWNER', { workspaceId: other })
    const { id } = (await create()).body
    const elsewhere = `/workspaces/${(await stranger('GET', '/me')).body.workspaces[0].id}/keys/${id}`
    assert.equal((await stranger('PATCH', elsewhere, { name: 'Mine' })).status, 404)
    assert.equal((await stranger('DELETE', elsewhere)).status, 404)
  })
})
