// Every change that the console makes is in the audit log, with values before and after, without secrets.
import assert from 'node:assert/strict'
import { decodeId, encodeId } from '../../../src/shared/ids.ts'
import { test } from '../../support/harness.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const { sql } = world
const { workspaceId, numberId } = await addTenant(sql)
const owner = await world.as('OWNER', { workspaceId, platformOwner: true })
const ws = `/workspaces/${encodeId('workspace', workspaceId)}`

const audited = async (): Promise<Json[]> => (await owner('GET', `${ws}/audit?limit=200`)).body.data

/** Sends one request; returns the audit entries that it adds. */
async function adds(method: string, path: string, body?: unknown): Promise<Json[]> {
  const before = (await audited()).length
  const reply = await owner(method, ws + path, body)
  assert.ok(reply.status < 300, `${method} ${path}: ${JSON.stringify(reply.body)}`)
  changed.add(
    `${method} /workspaces/:ws${path.replace(/_[0-9a-z]{26}/g, '_').replace(/\/\w+_(?=\/|$)/g, '/:id')}`,
  )
  const rows = await audited()
  secrets.push(...['key', 'secret', 'token'].flatMap((name) => reply.body?.[name] ?? []))
  replies.push(reply.body)
  return rows.slice(0, rows.length - before)
}

const changed = new Set<string>()
const secrets: string[] = []
const replies: Json[] = []
const lastId = (): string => replies.at(-1)?.id

async function expectOne(
  entry: { action: string; before: unknown; after: unknown },
  ...request: Parameters<typeof adds>
): Promise<void> {
  const rows = await adds(...request)
  assert.equal(rows.length, 1, request.join(' '))
  const [{ action, before, after, operator, ip }] = rows as [Json]
  assert.deepEqual({ action, before, after }, entry)
  assert.deepEqual([operator.id, ip], [encodeId('operator', owner.operatorId), '127.0.0.1'])
}

test('each change leaves one entry with before and after', async () => {
  const key = {
    ...{ name: 'k', scopes: ['CHAT_SEND'], requestsPerSecond: 100, allowedIps: [] },
    ...{ expiresAt: null, revokedAt: null },
  }
  const [created] = await adds('POST', '/keys', { name: 'k', scopes: ['CHAT_SEND'] })
  const { prefix } = created.after
  assert.deepEqual([created.action, created.before, created.after], ['key.created', null, { ...key, prefix }])
  const keyId = lastId()
  const edited = { ...key, prefix, name: 'other' }
  await expectOne(
    { action: 'key.edited', before: { ...key, prefix }, after: edited },
    ...(['PATCH', `/keys/${keyId}`, { name: 'other' }] as const),
  )
  const [revoked] = await adds('DELETE', `/keys/${keyId}`)
  assert.deepEqual([revoked.action, revoked.before], ['key.revoked', edited])
  assert.notEqual(revoked.after.revokedAt, null)

  const hook = { name: 'hook', url: 'https://hooks.acme.com/', events: ['message.received'], enabled: true }
  const { enabled: _, ...given } = hook
  await expectOne({ action: 'endpoint.created', before: null, after: hook }, 'POST', '/endpoints', given)
  const path = `/endpoints/${lastId()}`
  const moved = { ...hook, name: 'hook 2' }
  await expectOne(
    { action: 'endpoint.edited', before: hook, after: moved },
    ...(['PATCH', path, { name: 'hook 2' }] as const),
  )
  await expectOne(
    { action: 'endpoint.secret_rotated', before: moved, after: moved },
    'POST',
    `${path}/rotate`,
    {},
  )
  const off = { ...moved, enabled: false }
  await expectOne({ action: 'endpoint.disabled', before: moved, after: off }, 'POST', `${path}/disable`)
  await expectOne({ action: 'endpoint.enabled', before: off, after: moved }, 'POST', `${path}/enable`)
  await expectOne({ action: 'endpoint.deleted', before: moved, after: null }, 'DELETE', path)

  const routed = { endpointId: null, forwardCalls: false, isDefault: true }
  await expectOne(
    { action: 'number.routed', before: routed, after: { ...routed, isDefault: false } },
    ...(['PATCH', `/numbers/${encodeId('number', numberId)}`, { isDefault: false }] as const),
  )

  const colleague = await world.as('AGENT', { workspaceId })
  const member = encodeId('operator', colleague.operatorId)
  await expectOne(
    { action: 'member.granted', before: { role: 'AGENT' }, after: { role: 'VIEWER' } },
    ...(['PATCH', `/members/${member}`, { role: 'VIEWER' }] as const),
  )
  await expectOne(
    { action: 'member.removed', before: { role: 'VIEWER' }, after: { role: null } },
    ...(['DELETE', `/members/${member}`] as const),
  )

  const email = 'new@example.com'
  const [invited] = await adds('POST', '/invitations', { email, role: 'ADMIN' })
  const { expiresAt } = replies.at(-1)
  const open = { email, role: 'ADMIN', expiresAt }
  assert.deepEqual([invited.action, invited.before, invited.after], ['invitation.created', null, open])
  await expectOne(
    { action: 'invitation.revoked', before: open, after: null },
    ...(['DELETE', `/invitations/${lastId()}`] as const),
  )

  await expectOne(
    { action: 'workspace.edited', before: { name: 'Lumen' }, after: { name: 'Harbour' } },
    ...(['PATCH', '', { name: 'Harbour' }] as const),
  )
  const [active, suspended] = [{ status: 'ACTIVE' }, { status: 'SUSPENDED' }]
  await expectOne({ action: 'workspace.suspended', before: active, after: suspended }, 'POST', '/suspend')
  await expectOne({ action: 'workspace.resumed', before: suspended, after: active }, 'POST', '/resume')
})

test('replays say what they began with, and how many they were', async () => {
  const endpointId = await addEndpoint(sql, workspaceId, { events: ['message.status'] })
  const [written] = await emitEvent(sql, workspaceId)
  await sql`update deliveries set state = 'FAILED' where endpoint_id = ${endpointId}`
  const [endpoint, delivery] = [
    encodeId('endpoint', endpointId),
    encodeId('delivery', written?.deliveryId ?? ''),
  ]
  await expectOne(
    { action: 'delivery.replayed', before: { state: 'FAILED' }, after: { state: 'PENDING' } },
    ...(['POST', `/deliveries/${delivery}/replay`] as const),
  )
  const failed = { states: ['FAILED'], since: null, count: 0 }
  await expectOne(
    { action: 'endpoint.deliveries_replayed', before: null, after: failed },
    ...(['POST', `/endpoints/${endpoint}/replay`, { states: ['FAILED'] }] as const),
  )
  await expectOne(
    { action: 'endpoint.deliveries_discarded', before: null, after: { ...failed, states: ['HELD'] } },
    ...(['POST', `/endpoints/${endpoint}/discard`] as const),
  )
})

test('each change of a campaign leaves one entry, with where it stood before', async () => {
  const plan = {
    ...{ name: 'Spring', status: 'DRAFT', template: { name: 'hello', language: 'en_US' } },
    ...{ numberId: encodeId('number', numberId), startAt: null, messagesPerSecond: null, recipients: 0 },
  }
  const { name, template, numberId: from } = plan
  const [created] = await adds('POST', '/campaigns', { name, template, numberId: from })
  assert.deepEqual([created.action, created.before, created.after], ['campaign.created', null, plan])
  const path = `/campaigns/${lastId()}`
  const steps: [string, string, string, unknown, object][] = [
    ['edited', 'PATCH', '', { messagesPerSecond: 5 }, { messagesPerSecond: 5 }],
    [
      'recipients_added',
      'POST',
      '/recipients',
      { recipients: ['+15551230001', '+15551230002'].map((to) => ({ to })) },
      { recipients: 2 },
    ],
    ['recipients_removed', 'DELETE', '/recipients', { to: ['+15551230002'] }, { recipients: 1 }],
    ['started', 'POST', '/start', undefined, { status: 'RUNNING' }],
    ['paused', 'POST', '/pause', undefined, { status: 'PAUSED' }],
    ['cancelled', 'POST', '/cancel', undefined, { status: 'CANCELLED' }],
  ]
  let before: object = plan
  for (const [verb, method, below, body, change] of steps) {
    const after = { ...before, ...change }
    await expectOne({ action: `campaign.${verb}`, before, after }, method, path + below, body)
    before = after
  }
  assert.equal((await adds('POST', `${path}/cancel`)).length, 0)
  await expectOne({ action: 'campaign.deleted', before, after: null }, 'DELETE', path)
})

test('the audit is filtered by action, operator and time, and its pages stay exact', async () => {
  const stranger = await world.as('ADMIN', { workspaceId })
  for (const name of ['one', 'two', 'three'])
    await stranger('POST', `${ws}/keys`, { name, scopes: ['CHAT_SEND'] })
  const list = async (query: string): Promise<Json> => {
    const { status, body } = await owner('GET', `${ws}/audit?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const by = encodeId('operator', stranger.operatorId)
  const all = await list('limit=200')
  const fits = (test: (row: Json) => boolean) => all.data.filter(test).map(({ id }: Json) => id)
  const ids = ({ data }: Json) => data.map(({ id }: Json) => id)

  assert.deepEqual(
    ids(await list('limit=200&action=key')),
    fits(({ action }) => action.startsWith('key.')),
  )
  assert.deepEqual(
    ids(await list('limit=200&action=endpoint.edited')),
    fits(({ action }) => action === 'endpoint.edited'),
  )
  assert.deepEqual(ids(await list('limit=200&action=endpoint.edi')), [])
  const first = await list(`limit=2&action=key.created&operatorId=${by}`)
  const second = await list(
    `limit=2&action=key.created&operatorId=${by}&cursor=${encodeURIComponent(first.nextCursor)}`,
  )
  assert.deepEqual(
    [...first.data, ...second.data].map(({ after }: Json) => after.name),
    ['three', 'two', 'one'],
  )
  assert.equal(second.nextCursor, null)

  const [newest] = all.data
  // Entries cannot be changed: only a superuser who switches the trigger off makes them older.
  await sql.begin(async (superuser) => {
    await superuser`set local session_replication_role = replica`
    await superuser`update audit set at = at - interval '1 day' where workspace_id = ${workspaceId}
      and id <> ${decodeId('audit', newest.id) ?? ''}`
  })
  assert.deepEqual(ids(await list(`since=${newest.at}`)), [newest.id])
  assert.equal(ids(await list(`limit=200&until=${newest.at}`)).includes(newest.id), false)
  const refused = await owner('GET', `${ws}/audit?action=Key'`)
  assert.equal(refused.status, 400)
})

test('no secret that was shown is in it', async () => {
  assert.equal(secrets.length, 4)
  const text = JSON.stringify(await sql`select * from audit`)
  for (const secret of secrets) assert.equal(text.includes(secret), false)
})

test('no changing route is left out', () => {
  // Tested on a running gateway, or makes no change.
  const elsewhere = [
    'POST /workspaces/:ws/calls/:id/action',
    'POST /workspaces/:ws/campaigns/:id/unknown/assume-sent',
    'POST /workspaces/:ws/campaigns/:id/unknown/resend',
    // Their own tests read their entries: privacy.test.ts, deliveries.test.ts, members.test.ts.
    'POST /workspaces/:ws/conversations/:id/erasure',
    'POST /workspaces/:ws/conversations/:id/export',
    'POST /workspaces/:ws/deliveries/:id/retry',
    'POST /workspaces/:ws/deliveries/replay',
    'POST /workspaces/:ws/members/:id/disable',
    'POST /workspaces/:ws/members/:id/enable',
    'POST /workspaces/:ws/conversations/:id/files',
    'POST /workspaces/:ws/conversations/:id/read',
    'POST /workspaces/:ws/conversations/:id/reply',
    'POST /workspaces/:ws/templates/samples',
    'POST /workspaces/:ws/endpoints/:id/test',
    'POST /workspaces/:ws/media',
    'POST /workspaces/:ws/messages',
    'POST /workspaces/:ws/messages/:id/read',
    'POST /workspaces/:ws/messages/preview',
    'POST /workspaces/:ws/templates',
    'POST /workspaces/:ws/templates/preview',
  ]
  const routes = world.routes
    .filter(({ method, access }) => method !== 'GET' && ['workspace', 'platform'].includes(access.type))
    .map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual([...changed, ...elsewhere].sort(), routes.sort())
})
