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

test('an upload in slices leaves one entry, from before the first slice to after the last', async () => {
  const id = await addCampaign('Slices')
  const path = `${ws}/campaigns/${id}/recipients`
  const slice = async (uploadId: string, to: string, client = owner) => {
    const headers = {
      ...{ cookie: client.cookie, origin: world.origin, 'content-type': 'text/csv' },
      ...{ accept: 'application/x-ndjson', 'x-upload-id': uploadId },
    }
    const body = `to\n${to}\n`
    const reply = await fetch(`${world.origin}/console/api${path}`, { method: 'POST', headers, body })
    assert.match(await reply.text(), /"summary"/)
  }
  const entries = async () =>
    (await owner('GET', `${ws}/audit?action=campaign.recipients_added`)).body.data
      .filter(({ after }: Json) => after.name === 'Slices')
      .map(({ before, after }: Json) => [before.recipients, after.recipients])
  const [first, second] = ['0123456789abcdef-first', '0123456789abcdef-second']
  for (const to of ['+15551230001', '+15551230002', '+15551230003']) await slice(first, to)
  assert.deepEqual(await entries(), [[0, 3]])
  // A slice that adds no recipient changes no entry.
  await slice(first, '+15551230003')
  assert.deepEqual(await entries(), [[0, 3]])
  await slice(second, '+15551230004')
  assert.deepEqual(await entries(), [
    [3, 4],
    [0, 3],
  ])
  const other = await world.as('ADMIN', { workspaceId })
  await slice(second, '+15551230005', other)
  await slice('short', '+15551230006')
  assert.deepEqual(await entries(), [
    [5, 6],
    [4, 5],
    [3, 4],
    [0, 3],
  ])
})

test('the name of an upload makes nothing else one entry', async () => {
  const id = await addCampaign('Paces')
  const path = `${ws}/campaigns/${id}`
  const before = (await audited()).length
  for (const messagesPerSecond of [1, 2]) {
    const headers = { cookie: owner.cookie, 'x-upload-id': '0123456789abcdef-paces' }
    await world.request('PATCH', path, { body: { messagesPerSecond }, headers })
  }
  assert.equal((await audited()).length, before + 2)
})
