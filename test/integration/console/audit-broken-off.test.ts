// What happens to the audit where a change, or its request, breaks off.
import assert from 'node:assert/strict'
import { LinesAnswer } from '../../../src/platform/http/route.ts'
import { decodeId, encodeId, newId } from '../../../src/shared/ids.ts'
import { after, test } from '../../support/harness.ts'
import { addTenant } from '../../support/rows.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const { sql } = world
const { workspaceId, numberId } = await addTenant(sql)
const owner = await world.as('OWNER', { workspaceId })
const ws = `/workspaces/${encodeId('workspace', workspaceId)}`
const plan = {
  ...{ name: 'Spring', template: { name: 'hello', language: 'en_US' } },
  numberId: encodeId('number', numberId),
}

await sql`
  create function refuse_entry() returns trigger language plpgsql as $$
  begin
    raise exception 'no entry';
  end $$`
const refuse = () =>
  sql`create trigger refuse_entry before insert on audit for each row execute function refuse_entry()`
const accept = () => sql`drop trigger if exists refuse_entry on audit`
after(async () => void (await accept()))

const entries = async (): Promise<Json[]> =>
  (await owner('GET', `${ws}/audit?action=campaign&limit=200`)).body.data

/** The process dies before the entry is written, and the request is repeated. */
async function brokenOff<T>(request: () => Promise<T>): Promise<readonly [broken: T, repeated: T]> {
  await refuse()
  const broken = await request()
  await accept()
  return [broken, await request()]
}

test('a campaign that is made twice because the first request broke off has its entry', async () => {
  const headers = { cookie: owner.cookie, 'idempotency-key': 'spring-1' }
  const make = () => world.request('POST', `${ws}/campaigns`, { body: plan, headers })
  const replies = await brokenOff(make)
  assert.deepEqual(
    replies.map(({ status }) => status),
    [500, 201],
  )
  const made = async () =>
    (await entries()).filter(({ subjectId }) => subjectId === replies[1].body.id).map(({ action }) => action)
  assert.deepEqual(await made(), ['campaign.created'])
  assert.equal((await make()).headers.get('idempotent-replayed'), 'true')
  assert.deepEqual(await made(), ['campaign.created'])
})

test('a campaign changes only together with its entry', async () => {
  const { id } = (await owner('POST', `${ws}/campaigns`, plan)).body
  const path = `${ws}/campaigns/${id}`
  const recipients = [{ to: '+15551230001' }]
  assert.equal((await owner('POST', `${path}/recipients`, { recipients })).status, 200)
  const read = async () => (await owner('GET', path)).body
  const steps: [action: string, method: string, below: string, body?: object][] = [
    ['edited', 'PATCH', '', { messagesPerSecond: 5 }],
    ['started', 'POST', '/start'],
    ['paused', 'POST', '/pause'],
    ['started', 'POST', '/start'],
    ['cancelled', 'POST', '/cancel'],
    ['deleted', 'DELETE', ''],
  ]
  for (const [action, method, below, body] of steps) {
    const [before, known] = [await read(), (await entries()).length]
    await refuse()
    assert.equal((await owner(method, path + below, body)).status, 500, action)
    await accept()
    assert.deepEqual(await read(), before, action)
    const { status } = await owner(method, path + below, body)
    assert.ok(status < 300, `${action}: ${status}`)
    const added = (await entries()).slice(0, -known)
    assert.deepEqual(
      added.map((entry) => [entry.action, entry.before.status]),
      [[`campaign.${action}`, before.status]],
    )
  }
})

test('what is said once is said once, also by requests that come at once', async () => {
  const { audit } = world.services
  const subjectId = newId('message')
  const by = { workspaceId, operatorId: owner.operatorId, ip: '127.0.0.1' }
  const keyId = newId('key')
  await sql`
    insert into api_keys (id, workspace_id, name, prefix, secret_hash, scopes)
    values (${keyId}, ${workspaceId}, 'k', ${keyId}, ${Buffer.from(keyId)}, '{}')`
  const notes: readonly [action: string, note: (action: string) => Promise<void>][] = [
    ['message.sent', (action) => audit.noteOnce(by, { action, subjectKind: 'message', subjectId })],
    ['media.downloaded', (action) => audit.noteHourly(by, { action, subjectKind: 'message', subjectId })],
    [
      'campaign.exported',
      (action) => {
        const { workspaceId: ofKey, ip } = by
        return audit.noteOfKey(
          { workspaceId: ofKey, keyId, ip },
          { action, subjectKind: 'message', subjectId },
        )
      },
    ],
  ]
  for (const [action, note] of notes) {
    await Promise.all(Array.from({ length: 8 }, () => note(action)))
    const rows = await sql`select from audit where subject_id = ${subjectId} and action = ${action}`
    assert.equal(rows.count, 1, action)
  }
})

test('two who start a campaign at once leave the one entry of who started it', async () => {
  const { id } = (await owner('POST', `${ws}/campaigns`, plan)).body
  const path = `${ws}/campaigns/${id}`
  await owner('POST', `${path}/recipients`, { recipients: [{ to: '+15551230001' }] })
  const other = await world.as('ADMIN', { workspaceId })
  await Promise.all([owner('POST', `${path}/start`), other('POST', `${path}/start`)])
  const started = (await entries()).filter(
    ({ subjectId, action }) => subjectId === id && action === 'campaign.started',
  )
  assert.equal(started.length, 1)
})

/** Calls the route of uploads for the owner. `pieces` are read after the campaign was read for the entry. */
async function upload(id: string, pieces: AsyncIterable<Uint8Array>, query: object = {}): Promise<unknown> {
  const route = world.routes.find(
    ({ method, path }) => method === 'POST' && path === '/workspaces/:ws/campaigns/:id/recipients',
  )
  const headers = new Map([['accept', 'application/x-ndjson']])
  return route?.upload?.handle({
    context: {
      services: world.services,
      author: { workspaceId, operatorId: owner.operatorId, ip: '127.0.0.1' },
    },
    params: { id: decodeId('campaign', id) },
    query,
    upload: { type: 'text/csv', pieces },
    request: {
      header: (name: string) => headers.get(name),
      query: new URLSearchParams(),
      signal: new AbortController().signal,
    },
  } as never)
}

const entriesOf = async (id: string) =>
  (await entries())
    .filter(({ subjectId }) => subjectId === id)
    .map(({ action, after }) => [action, after.recipients])

test('an upload whose client is gone before the answer begins leaves its entry', async () => {
  const { id } = (await owner('POST', `${ws}/campaigns`, plan)).body
  async function* pieces() {
    yield Buffer.from('to\n+15551230001\n')
  }
  const answer = await upload(id, pieces())
  assert.ok(answer instanceof LinesAnswer)
  const lines = answer.batches[Symbol.asyncIterator]()
  for (const _ of ['by the socket', 'by what reads it']) await lines.return?.()
  assert.deepEqual(await entriesOf(id), [
    ['campaign.recipients_added', 1],
    ['campaign.created', 0],
  ])
})

test('recipients that others add and remove meanwhile neither make an entry nor hide one', async () => {
  const { id } = (await owner('POST', `${ws}/campaigns`, plan)).body
  const { recipients } = world.campaigns
  const campaign = decodeId('campaign', id) ?? assert.fail(id)
  async function* row(to: string) {
    yield [{ to, variables: {} }]
  }
  const byKey = async (to: string) => {
    for await (const _ of recipients.add({ workspaceId, id: campaign, batches: row(to), isDryRun: false }));
  }
  async function* after(other: () => Promise<unknown>, to: string) {
    await other()
    yield Buffer.from(`to\n${to}\n`)
  }
  const read = async (answer: unknown) => {
    assert.ok(answer instanceof LinesAnswer)
    for await (const _ of answer.batches);
  }
  const isDry = after(() => byKey('+15551230001'), '+15551230002')
  await read(await upload(id, isDry, { dryRun: true }))
  assert.deepEqual(await entriesOf(id), [['campaign.created', 0]])
  const isEven = after(() => recipients.remove(workspaceId, campaign, { all: true }), '+15551230003')
  await read(await upload(id, isEven))
  assert.deepEqual(await entriesOf(id), [
    ['campaign.recipients_added', 1],
    ['campaign.created', 0],
  ])
})
