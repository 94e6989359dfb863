import assert from 'node:assert/strict'
import { decodeId, encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { openWorld, PASSWORD } from './console-world.ts'

const world = await openWorld()
const owner = await world.as('OWNER')
const ws = `/workspaces/${world.ws}`
const url = 'https://bot.example.com/'

const made = async (path: string, body: object): Promise<string> => {
  await confirm()
  const reply = await owner('POST', `${ws}${path}`, body)
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.id
}

const age = () =>
  world.sql`update sessions set proved_at = now() - interval '11 minutes' where operator_id = ${owner.operatorId}`
const confirm = async () =>
  assert.equal((await owner('POST', '/me/confirm', { password: PASSWORD })).status, 200)

/** The change is refused without a recent password, changes nothing, and is taken with it. */
async function needsProof(
  method: string,
  path: string,
  body: object | undefined,
  rows: () => Promise<unknown>,
) {
  await age()
  const before = await rows()
  const refused = await owner(method, `${ws}${path}`, body)
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'CONFIRMATION_REQUIRED'])
  assert.deepEqual(await rows(), before)
  await confirm()
  const taken = await owner(method, `${ws}${path}`, body)
  assert.ok(taken.status < 300, JSON.stringify(taken.body))
  assert.notDeepEqual(await rows(), before)
}

async function needsNone(method: string, path: string, body: object) {
  await age()
  const reply = await owner(method, `${ws}${path}`, body)
  assert.ok(reply.status < 300, JSON.stringify(reply.body))
}

const endpoint = (name = 'Receiver') =>
  made('/endpoints', { name, url, events: ['message.received', 'call.ringing', 'call.status'] })

async function addDelivery(endpointId: string): Promise<string> {
  const [id, eventId, key] = [newId('delivery'), newId('event'), newId('call')]
  await world.sql`
    insert into events (id, workspace_id, kind, key, body)
    values (${eventId}, ${world.workspaceId}, 'call.status', ${key}, '{}')`
  await world.sql`
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, attempt_count, finished_at)
    values (${id}, ${world.workspaceId}, ${eventId}, ${decodeId('endpoint', endpointId) ?? ''}, 'call.status', ${key},
      'FAILED', 6, now())`
  return encodeId('delivery', id)
}

const deliveries = async () => [
  ...(await world.sql`select id, state, replay from deliveries where workspace_id = ${world.workspaceId} order by id`),
]

describe('the password is asked for again', () => {
  test('before an endpoint gets another address, not before its name and events change', async () => {
    const id = await endpoint()
    const rows = async () => [...(await world.sql`select url from endpoints order by id`)]
    await needsProof('PATCH', `/endpoints/${id}`, { url: 'https://elsewhere.example.com/' }, rows)
    await needsNone('PATCH', `/endpoints/${id}`, { name: 'Renamed', events: ['call.status'] })
  })

  test('before a key may do more, faster or from elsewhere, not before its name changes', async () => {
    const id = await made('/keys', { name: 'k', scopes: ['CATALOG_READ'] })
    const rows = async () => [
      ...(await world.sql`select scopes, requests_per_second, allowed_ips from api_keys order by id`),
    ]
    await needsProof('PATCH', `/keys/${id}`, { scopes: ['CHAT_SEND'] }, rows)
    await needsProof('PATCH', `/keys/${id}`, { requestsPerSecond: 0 }, rows)
    await needsProof('PATCH', `/keys/${id}`, { allowedIps: ['203.0.113.0/24'] }, rows)
    await needsNone('PATCH', `/keys/${id}`, { name: 'renamed' })
  })

  test('before somebody becomes an owner, not before any other role', async () => {
    const member = await world.as('VIEWER')
    const path = `/members/${encodeId('operator', member.operatorId)}`
    const rows = async () => [
      ...(await world.sql`select role from memberships where operator_id = ${member.operatorId}`),
    ]
    await needsProof('PATCH', path, { role: 'OWNER' }, rows)
    await needsNone('PATCH', path, { role: 'AGENT' })
  })

  test('before messages and calls of a number go elsewhere, not before it becomes the default', async () => {
    const id = newId('number')
    await world.sql`
      insert into numbers (id, workspace_id, phone_number_id, number)
      values (${id}, ${world.workspaceId}, '1001', '15550001001')`
    const path = `/numbers/${encodeId('number', id)}`
    const endpointId = await endpoint('Router')
    const rows = async () => [...(await world.sql`select endpoint_id, forward_calls from numbers`)]
    await needsProof('PATCH', path, { endpointId }, rows)
    await needsProof('PATCH', path, { forwardCalls: true }, rows)
    await needsNone('PATCH', path, { isDefault: true })
  })

  test('before an endpoint that moved is sent again what is older than its address', async () => {
    const id = await endpoint('Mover')
    const [old, older] = [await addDelivery(id), await addDelivery(id)]
    await needsNone('POST', `/deliveries/${older}/replay`, {})
    await confirm()
    const moved = await owner('PATCH', `${ws}/endpoints/${id}`, { url: 'https://moved.example.com/' })
    assert.ok(Date.parse(moved.body.addressChangedAt) > 0)
    const fail = () =>
      world.sql`update deliveries set state = 'FAILED', next_attempt_at = null, finished_at = now()`
    await fail()
    await needsProof('POST', '/deliveries/replay', { ids: [old, older] }, deliveries)
    await fail()
    await needsProof('POST', `/deliveries/${old}/replay`, undefined, deliveries)
    await needsProof('POST', `/endpoints/${id}/replay`, { states: ['FAILED'] }, deliveries)
  })

  test('but not before a replay of what came after the move, a count, or a change that is none', async () => {
    const id = await endpoint('Settled')
    await confirm()
    const same = await owner('PATCH', `${ws}/endpoints/${id}`, { url })
    assert.equal(same.body.addressChangedAt, null)
    await owner('PATCH', `${ws}/endpoints/${id}`, { url: 'https://settled.example.com/' })
    await world.sql`
      update endpoints set url_changed_at = now() - interval '1 minute' where id = ${decodeId('endpoint', id) ?? ''}`
    const delivery = await addDelivery(id)
    await needsNone('POST', `/deliveries/${delivery}/replay`, {})
    await addDelivery(id)
    await needsNone('POST', `/endpoints/${id}/replay`, { states: ['FAILED'], dryRun: true })
    await needsNone('POST', `/endpoints/${id}/replay`, {
      states: ['FAILED'],
      since: new Date(Date.now() - 30_000).toISOString(),
    })
  })
})
