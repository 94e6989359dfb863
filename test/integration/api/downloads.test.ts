import assert from 'node:assert/strict'
import { createKeyDownloads } from '../../../src/accounts/key-downloads.ts'
import { createAuditStore } from '../../../src/accounts/store/audit.store.ts'
import { limits } from '../../../src/contract/limits.ts'
import { scopes } from '../../../src/contract/scopes.ts'
import { connectPool } from '../../../src/platform/postgres/sql.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { apiKey, workspace } from '../../support/fixtures.ts'
import { afterFile, describe, test } from '../../support/harness.ts'
import { testDatabase } from '../../support/postgres.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { request } from '../../unit/platform/http/requests.ts'
import { gateway } from './gateway.ts'

const database = await testDatabase()
const sql = connectPool({ url: database.url, max: 4, name: 'test' })
afterFile(() => sql.end())
const workspaceId = await workspace(sql)
const key = await apiKey(sql, workspaceId, scopes, { name: 'reader' })
const audit = createAuditStore(sql)
const entries = async (action: string) =>
  (await audit.list(workspaceId, { action }, { limit: 50 })).data.map((entry) => ({
    ...{ key: entry.key, operator: entry.operator, subject: entry.subjectId, after: entry.after },
    device: entry.userAgent,
  }))
const shownKey = { id: encodeId('key', key.id), name: 'reader', prefix: key.prefix }

describe('what an API key downloads is in the audit', () => {
  test('a file, once however often it is read, with the key as its author', async () => {
    const file = { mimeType: 'image/png', sizeBytes: 3, fileName: null, sha256: 'ab'.repeat(32) }
    const open = async () => {
      async function* bytes() {
        yield Buffer.from('abc')
      }
      return bytes()
    }
    const api = gateway(sql, { media: async () => ({ ...file, open }) as never })
    const id = encodeId('message', newId('message'))
    for (let round = 0; round < 3; round += 1) {
      const path = `/messages/chat/${id}/media`
      assert.equal((await api.call(key.key, { path, headers: { 'user-agent': 'robot/1' } })).status, 200)
    }
    const after = { mimeType: 'image/png', sizeBytes: 3 }
    assert.deepEqual(await entries('media.downloaded'), [
      { key: shownKey, operator: null, subject: id, after, device: 'robot/1' },
    ])
  })

  test('again after an hour, for another key at once, and once on two gateways', async () => {
    const clock = new SimulatedClock()
    const other = await apiKey(sql, workspaceId, scopes, { name: 'other' })
    const [here, there] = [createKeyDownloads(audit, clock), createKeyDownloads(audit, clock)]
    const note = { action: 'test.downloaded', subjectKind: 'message', subjectId: newId('message') } as const
    const reads = (keyId: typeof key.id, on = here) => on({ workspaceId, keyId, ip: '::1' }, note)
    const names = async () => (await entries('test.downloaded')).map((entry) => entry.key?.name)
    await reads(key.id)
    await reads(key.id, there)
    await reads(key.id)
    await reads(other.id)
    assert.deepEqual(await names(), ['other', 'reader'])
  })
})

test('reports of recipients have places too', async () => {
  const { handler } = gateway(sql)
  const id = newId('campaign')
  await sql`
    insert into campaigns (id, workspace_id, name, template_name, template_language)
    values (${id}, ${workspaceId}, 'report', 'hello', 'en_US')`
  const report = () =>
    handler(
      request({
        url: `/api/v1/campaigns/${encodeId('campaign', id)}/recipients`,
        headers: { authorization: `Bearer ${key.key}`, accept: 'text/csv' },
      }),
    )
  const unread = await Promise.all(
    Array.from({ length: limits.downloadsAtOnce.perWorkspace }, () => report()),
  )
  assert.ok(unread.every(({ status }) => status === 200))
  assert.equal((await report()).status, 429)
  const [first] = unread
  assert.ok(typeof first?.body === 'object' && Symbol.asyncIterator in first.body)
  for await (const _ of first.body);
  assert.equal((await report()).status, 200)
})

test('a workspace has so many downloads at once as it has places, whether they are read or not', async () => {
  const file = { mimeType: 'image/png', sizeBytes: 3, fileName: null, sha256: 'ab'.repeat(32) }
  const open = async () => ({
    body: (async function* () {
      yield Buffer.from('abc')
    })(),
  })
  const api = gateway(sql, { media: async () => ({ ...file, open }) as never })
  const other = await apiKey(sql, await workspace(sql), scopes)
  const get = (secret = key.key, headers: Record<string, string> = {}) =>
    api.handler(
      request({
        url: `/api/v1/messages/chat/${encodeId('message', newId('message'))}/media`,
        headers: { authorization: `Bearer ${secret}`, ...headers },
      }),
    )
  const unread = await Promise.all(Array.from({ length: limits.downloadsAtOnce.perWorkspace }, () => get()))
  assert.ok(unread.every(({ status }) => status === 200))
  const refused = await get()
  assert.deepEqual([refused.status, refused.headers?.['retry-after']], [429, '2'])
  assert.equal((await get(other.key)).status, 200)
  const [first] = unread
  assert.ok(typeof first?.body === 'object' && Symbol.asyncIterator in first.body)
  for await (const piece of first.body) assert.equal(String(piece), 'abc')
  // What the client has already takes a place for as long as it is looked up.
  for (let round = 0; round < 3; round += 1)
    assert.equal((await get(key.key, { 'if-none-match': `"${file.sha256}"` })).status, 304)
  assert.equal((await get()).status, 200)
  assert.equal((await get()).status, 429)
})
