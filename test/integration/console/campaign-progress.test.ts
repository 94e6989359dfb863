import assert from 'node:assert/strict'
import { createCampaignSampleStore } from '../../../src/campaigns/store/campaign-samples.store.ts'
import { type CampaignId, encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { eventually } from '../platform/cluster/gateway.ts'
import { openWorld } from './console-world.ts'

const world = await openWorld()
const { sql } = world
const viewer = await world.as('VIEWER')
const samples = createCampaignSampleStore(sql)

async function addCampaign(status: string, minutesAgo: number): Promise<CampaignId> {
  const id = newId('campaign')
  await sql`
    insert into campaigns (id, workspace_id, name, status, template_name, template_language, started_at, completed_at)
    values (${id}, ${world.workspaceId}, 'Spring', ${status}, 'hello', 'en_US',
      now() - ${minutesAgo} * interval '1 minute', ${status === 'COMPLETED' ? new Date() : null})`
  return id
}

const addRecipients = (campaignId: CampaignId, status: string, count: number) => sql`
  insert into recipients (id, workspace_id, campaign_id, wa_id, status)
  select new_uuid(), ${world.workspaceId}, ${campaignId}, ${status} || n, ${status}
  from generate_series(1, ${count}::integer) n`

/** Moves all samples this much into the past. */
const age = (campaignId: CampaignId, seconds: number) => sql`
  update campaign_samples set at = at - ${seconds} * interval '1 second' where campaign_id = ${campaignId}`

/** Times are rounded down to five seconds: waits until all that is done at once falls into the same five. */
const farFromTheNextFive = () =>
  eventually(async () => {
    const [row] = await sql<{ into: number }[]>`select (extract(epoch from now()) % 5)::float8 as into`
    return (row?.into ?? 5) < 3
  })

const progress = async (id: CampaignId) => {
  const reply = await viewer('GET', `/workspaces/${world.ws}/campaigns/${encodeId('campaign', id)}/progress`)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.data.map(({ at: _, ...counts }: { at: string }) => counts)
}

describe('the progress of a campaign', () => {
  test('is kept while it runs: each number holds those that went further', async () => {
    const id = await addCampaign('RUNNING', 1)
    await addRecipients(id, 'SENT', 3)
    await samples.take()
    await age(id, 5)
    await addRecipients(id, 'READ', 2)
    await addRecipients(id, 'DELIVERED', 1)
    await addRecipients(id, 'FAILED', 4)
    await addRecipients(id, 'PENDING', 7)
    await samples.take()
    assert.deepEqual(await progress(id), [
      { sent: 3, delivered: 0, read: 0, failed: 0 },
      { sent: 6, delivered: 3, read: 2, failed: 4 },
    ])
  })

  test('is sampled once, whoever does it, and more rarely the longer it runs', async () => {
    const id = await addCampaign('RUNNING', 60)
    await farFromTheNextFive()
    await Promise.all([samples.take(), samples.take(), samples.take()])
    assert.equal((await progress(id)).length, 1)
    await samples.take()
    assert.equal((await progress(id)).length, 1)
    // A campaign that has run for an hour is sampled every half minute.
    await age(id, 20)
    await samples.take()
    assert.equal((await progress(id)).length, 1)
    await age(id, 15)
    await samples.take()
    assert.equal((await progress(id)).length, 2)
  })

  test('is followed after the end as long as statuses come in, and not of what never began', async () => {
    const id = await addCampaign('COMPLETED', 2)
    const draft = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, template_name, template_language)
      values (${draft}, ${world.workspaceId}, 'Draft', 'hello', 'en_US')`
    await addRecipients(id, 'SENT', 1)
    await samples.take()
    await age(id, 10)
    await samples.take()
    assert.equal((await progress(id)).length, 1)
    await sql`update recipients set status = 'READ' where campaign_id = ${id}`
    await samples.take()
    assert.deepEqual((await progress(id)).at(-1), { sent: 1, delivered: 1, read: 1, failed: 0 })
    assert.deepEqual(await progress(draft), [])
    await age(id, 10)
    await sql`update campaigns set completed_at = now() - interval '2 hours' where id = ${id}`
    await sql`update recipients set status = 'SENT' where campaign_id = ${id}`
    await samples.take()
    assert.equal((await progress(id)).length, 2)
  })

  test('is of no use to another workspace', async () => {
    const id = await addCampaign('RUNNING', 1)
    await samples.take()
    const workspaceId = await world.addWorkspace('Other')
    const stranger = await world.as('OWNER', { workspaceId })
    const path = `/workspaces/${encodeId('workspace', workspaceId)}/campaigns/${encodeId('campaign', id)}`
    assert.equal((await stranger('GET', `${path}/progress`)).status, 404)
    assert.deepEqual(await samples.list(workspaceId, id), [])
  })
})
