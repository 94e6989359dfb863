// The audit entries of an upload of recipients, which may take several requests.
import assert from 'node:assert/strict'
import { encodeId } from '../../../src/shared/ids.ts'
import { test } from '../../support/harness.ts'
import { addTenant } from '../../support/rows.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const { workspaceId, numberId } = await addTenant(world.sql)
const owner = await world.as('OWNER', { workspaceId })
const ws = `/workspaces/${encodeId('workspace', workspaceId)}`

const audited = async (): Promise<Json[]> => (await owner('GET', `${ws}/audit?limit=200`)).body.data

async function addCampaign(name: string): Promise<string> {
  const template = { name: 'hello', language: 'en_US' }
  const plan = { name, template, numberId: encodeId('number', numberId) }
  const reply = await owner('POST', `${ws}/campaigns`, plan)
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body.id
}

test('an upload leaves one entry with what it added, also where it breaks off', async () => {
  const id = await addCampaign('Upload')
  const path = `${ws}/campaigns/${id}/recipients`
  const upload = async (accept: string, text: string) => {
    const before = (await audited()).length
    const headers = { cookie: owner.cookie, origin: world.origin, 'content-type': 'text/csv', accept }
    const reply = await fetch(`${world.origin}/console/api${path}`, { method: 'POST', headers, body: text })
    await reply.text()
    const rows = await audited()
    return rows.slice(0, rows.length - before).map(({ action, after }) => [action, after.recipients])
  }
  const added = (count: number) => [['campaign.recipients_added', count]]
  assert.deepEqual(await upload('application/json', 'to\n+15551230001\n'), added(1))
  assert.deepEqual(await upload('application/x-ndjson', 'to\n+15551230002\n'), added(2))
  assert.deepEqual(await upload('application/json', 'to\n+15551230003\n"'), added(3))
  assert.deepEqual(await upload('application/x-ndjson', 'to\n+15551230004\n"'), added(4))
  assert.deepEqual(await upload('application/x-ndjson', 'to\n+15551230004\n'), [])
})

test('each slice of an upload leaves its own entry with the name of the upload, and changes no other', async () => {
  const id = await addCampaign('Slices')
  const path = `${ws}/campaigns/${id}/recipients`
  const slice = async (uploadId: string, to: string) => {
    const headers = {
      ...{ cookie: owner.cookie, origin: world.origin, 'content-type': 'text/csv' },
      ...{ accept: 'application/x-ndjson', 'x-upload-id': uploadId },
    }
    const body = `to\n${to}\n`
    const reply = await fetch(`${world.origin}/console/api${path}`, { method: 'POST', headers, body })
    assert.match(await reply.text(), /"summary"/)
  }
  const entries = async () =>
    (await owner('GET', `${ws}/audit?action=campaign.recipients_added`)).body.data
      .filter(({ after }: Json) => after.name === 'Slices')
      .map(({ before, after }: Json) => [before.recipients, after.recipients, after.upload])
  const upload = '0123456789abcdef-first'
  for (const to of ['+15551230001', '+15551230002']) await slice(upload, to)
  const two = [
    [1, 2, upload],
    [0, 1, upload],
  ]
  assert.deepEqual(await entries(), two)
  // A slice that adds no recipient leaves no entry.
  await slice(upload, '+15551230002')
  assert.deepEqual(await entries(), two)
  await slice('short', '+15551230003')
  assert.deepEqual(await entries(), [[2, 3, undefined], ...two])
})

test('the table takes no change of an entry, and leaves alone what the release before would merge', async () => {
  const { sql } = world
  const [{ id } = { id: '' }] = await sql<{ id: string }[]>`
    select id from audit where workspace_id = ${workspaceId} and action = 'campaign.created' limit 1`
  await assert.rejects(sql`update audit set action = 'nothing' where id = ${id}`, /never changed/)
  await assert.rejects(sql`delete from audit where id = ${id}`, /never changed/)
  await sql`insert into audit (id, action, subject_kind, after, part_of)
    values (new_uuid(), 'campaign.recipients_added', 'campaign', '{"recipients": 1}', 'an upload of before')`
  const merged = await sql`
    update audit set after = '{"recipients": 9}' where part_of = 'an upload of before' returning after`
  assert.equal(merged.count, 0)
})

test('the name of an upload is in no other entry', async () => {
  const id = await addCampaign('Paces')
  const path = `${ws}/campaigns/${id}`
  const before = (await audited()).length
  for (const messagesPerSecond of [1, 2]) {
    const headers = { cookie: owner.cookie, 'x-upload-id': '0123456789abcdef-paces' }
    await world.request('PATCH', path, { body: { messagesPerSecond }, headers })
  }
  const added = (await audited()).slice(0, -before)
  assert.deepEqual(
    added.map(({ action, after }) => [action, after.upload]),
    [
      ['campaign.edited', undefined],
      ['campaign.edited', undefined],
    ],
  )
})
