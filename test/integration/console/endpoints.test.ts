import assert from 'node:assert/strict'
import { decodeId, encodeId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const production = await openWorld({ production: true })
const admin = await world.as('ADMIN')
const ws = `/workspaces/${world.ws}`
let made = 0

const create = (body: object = {}) => {
  made += 1
  const fresh = {
    name: `Receiver ${made}`,
    url: 'https://hooks.example.com/in',
    events: ['message.received'],
  }
  return admin('POST', `${ws}/endpoints`, { ...fresh, ...body })
}

interface Stored {
  secret: Buffer
  previousSecret: Buffer | null
  previousSecretUntil: Date | null
  configVersion: number
  turnedOnVersion: number
  enabled: boolean
  consecutiveFailures: number
  deletedAt: Date | null
}

async function stored(id: string): Promise<Stored> {
  const [row] = await world.sql<Stored[]>`
    select secret, previous_secret, previous_secret_until, config_version, turned_on_version, enabled,
      consecutive_failures, deleted_at
    from endpoints
    where id = ${decodeId('endpoint', id) ?? ''}`
  return row ?? assert.fail(`no row of ${id}`)
}

const lastAudit = async (): Promise<Json> => (await admin('GET', `${ws}/audit?limit=1`)).body.data[0]
const makeRoom = () =>
  world.sql`update endpoints set deleted_at = now() where workspace_id = ${world.workspaceId}`

describe('webhook endpoints', () => {
  test('a new endpoint shows its secret once and stores it sealed', async () => {
    const reply = await create({ events: ['message.received', 'message.status', 'message.received'] })
    assert.equal(reply.status, 201)
    const { secret, ...record } = reply.body
    assert.match(secret, /^whsec_[\w+/]{43}=$/)
    assert.deepEqual(Object.keys(record).sort(), [
      'addressChangedAt',
      'consecutiveFailures',
      'createdAt',
      'disabledAt',
      'disabledBy',
      'disabledReason',
      'enabled',
      'events',
      'heldCount',
      'id',
      'name',
      'url',
    ])
    assert.deepEqual(record.events, ['message.status', 'message.received'])
    assert.deepEqual((await admin('GET', `${ws}/endpoints`)).body.data[0], record)
    assert.deepEqual((await admin('GET', `${ws}/endpoints/${record.id}`)).body, record)
    const row = await stored(record.id)
    assert.equal(row.secret.includes(secret), false)
    assert.equal(world.services.secrets.open(row.secret), secret)
    const entry = await lastAudit()
    assert.equal(entry.action, 'endpoint.created')
    assert.equal(JSON.stringify(entry).includes('whsec_'), false)
  })

  test('an address that is not encrypted and public is refused with the reason', async () => {
    for (const url of [
      'http://hooks.example.com/',
      'ws://hooks.example.com/',
      'https://localhost/',
      'https://10.0.0.8/',
      'x',
    ]) {
      const reply = await create({ url })
      assert.equal(reply.status, 422, url)
      assert.equal(reply.body.error.code, 'ADDRESS_NOT_ALLOWED')
      assert.equal(reply.body.error.details[0].path, 'url')
    }
  })

  test('a name is asked of the resolver, an address literal is not', async () => {
    world.hosts = (host) => ({ type: 'refused', reason: `${host} does not exist` })
    const reply = await create({ url: 'https://nowhere.example.com/' })
    assert.equal(reply.body.error.code, 'ADDRESS_NOT_ALLOWED')
    assert.match(reply.body.error.message, /nowhere\.example\.com does not exist/)
    assert.equal((await create({ url: 'wss://93.184.216.34/socket' })).status, 201)
    world.hosts = () => ({ type: 'ok' })
  })

  test('a silent resolver refuses in production and warns elsewhere', async () => {
    world.hosts = () => ({ type: 'unresolvable' })
    const accepted = await create()
    world.hosts = () => ({ type: 'ok' })
    assert.equal(accepted.status, 201)
    assert.match(accepted.body.warning, /resolver does not answer/)
    production.hosts = () => ({ type: 'unresolvable' })
    const strict = await production.as('ADMIN')
    const refused = await strict('POST', `/workspaces/${production.ws}/endpoints`, {
      name: 'Strict',
      url: 'https://hooks.example.com/',
      events: ['call.status'],
    })
    assert.equal(refused.body.error.code, 'ADDRESS_NOT_ALLOWED')
  })

  test('an edit raises the version and hints the owner', async () => {
    const { id } = (await create()).body
    const edited = await admin('PATCH', `${ws}/endpoints/${id}`, {
      url: 'wss://HOOKS.example.com/socket',
      events: ['call.status'],
    })
    assert.equal(edited.status, 200)
    assert.equal(edited.body.url, 'wss://hooks.example.com/socket')
    assert.equal('secret' in edited.body, false)
    assert.equal((await stored(id)).configVersion, 2)
    assert.equal(world.hints.changed.at(-1), decodeId('endpoint', id))
    const entry = await lastAudit()
    assert.deepEqual([entry.before.events, entry.after.events], [['message.received'], ['call.status']])
    assert.equal((await admin('PATCH', `${ws}/endpoints/${id}`, { url: 'https://127.0.0.1/' })).status, 422)
    assert.equal((await admin('PATCH', `${ws}/endpoints/${id}`, { secret: 'x' })).status, 400)
    assert.equal((await admin('PATCH', `${ws}/endpoints/${id}`, { events: [] })).status, 400)
  })

  test('a rotation shows the new secret once and ends the old one at once', async () => {
    const { id, secret } = (await create()).body
    const rotated = await admin('POST', `${ws}/endpoints/${id}/rotate`)
    assert.equal(rotated.status, 200)
    assert.notEqual(rotated.body.secret, secret)
    const row = await stored(id)
    assert.equal(world.services.secrets.open(row.secret), rotated.body.secret)
    assert.deepEqual([row.previousSecret, row.previousSecretUntil, row.configVersion], [null, null, 2])
    assert.equal(JSON.stringify(await lastAudit()).includes('whsec_'), false)
  })

  test('with an overlap the old secret stays valid beside it for that long', async () => {
    const { id, secret } = (await create()).body
    await admin('POST', `${ws}/endpoints/${id}/rotate`, { overlapHours: 24 })
    const row = await stored(id)
    assert.equal(world.services.secrets.open(row.previousSecret ?? Buffer.alloc(0)), secret)
    assert.equal(row.previousSecretUntil?.getTime(), world.clock.now() + 24 * 3_600_000)
    const tooLong = await admin('POST', `${ws}/endpoints/${id}/rotate`, { overlapHours: 25 })
    assert.equal(tooLong.status, 400)
  })

  test('turning on starts the counter anew; repeating either changes nothing more', async () => {
    const { id } = (await create()).body
    await world.sql`
      update endpoints
      set enabled = false, consecutive_failures = 20, disabled_at = now(), disabled_reason = 'FAILURES'
      where id = ${decodeId('endpoint', id) ?? ''}`
    const failed = (await admin('GET', `${ws}/endpoints/${id}`)).body
    assert.deepEqual([failed.disabledReason, failed.disabledBy], ['FAILURES', null])
    const on = await admin('POST', `${ws}/endpoints/${id}/enable`)
    assert.deepEqual([on.body.enabled, on.body.consecutiveFailures, on.body.disabledAt], [true, 0, null])
    assert.deepEqual([on.body.disabledReason, on.body.disabledBy], [null, null])
    const { configVersion: version, turnedOnVersion } = await stored(id)
    assert.equal(turnedOnVersion, version)
    await admin('POST', `${ws}/endpoints/${id}/enable`)
    assert.equal((await stored(id)).configVersion, version)
    const off = await admin('POST', `${ws}/endpoints/${id}/disable`)
    assert.equal(off.body.enabled, false)
    assert.ok(off.body.disabledAt)
    const by = { id: encodeId('operator', admin.operatorId), name: off.body.disabledBy.name }
    assert.deepEqual([off.body.disabledReason, off.body.disabledBy], ['OPERATOR', by])
    assert.match(by.name, /^admin\d+@example\.com$/)
    assert.equal((await admin('POST', `${ws}/endpoints/${id}/disable`)).body.disabledAt, off.body.disabledAt)
    assert.equal((await stored(id)).configVersion, version + 1)
  })

  test('a deleted endpoint is gone for everybody', async () => {
    const { id } = (await create()).body
    assert.equal((await admin('DELETE', `${ws}/endpoints/${id}`)).status, 204)
    assert.equal((await admin('GET', `${ws}/endpoints/${id}`)).status, 404)
    assert.equal((await admin('POST', `${ws}/endpoints/${id}/enable`)).status, 404)
    assert.equal((await admin('DELETE', `${ws}/endpoints/${id}`)).status, 404)
    const row = await stored(id)
    assert.ok(row.deletedAt)
    assert.equal(row.enabled, false)
    assert.equal((await lastAudit()).action, 'endpoint.deleted')
  })

  test('a workspace has at most twenty, however many are made at once', async () => {
    await makeRoom()
    const replies = await Promise.all(Array.from({ length: 24 }, () => create()))
    assert.equal(replies.filter(({ status }) => status === 201).length, 20)
    const refused = replies.find(({ status }) => status !== 201)
    assert.equal(refused?.body.error.code, 'INVALID_STATE')
    await makeRoom()
    assert.equal((await create()).status, 201)
  })

  test('an endpoint of another workspace does not exist', async () => {
    const other = await world.addWorkspace('Other')
    const stranger = await world.as('OWNER', { workspaceId: other })
    const elsewhere = `/workspaces/${(await stranger('GET', '/me')).body.workspaces[0].id}/endpoints`
    const { id } = (await create()).body
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/enable'],
      ['POST', '/disable'],
      ['POST', '/test'],
      ['POST', '/discard'],
    ] as const)
      assert.equal((await stranger(method, `${elsewhere}/${id}${path}`)).status, 404, path)
    assert.equal((await stranger('PATCH', `${elsewhere}/${id}`, { name: 'Mine' })).status, 404)
    assert.equal((await stored(id)).configVersion, 1)
  })
})
