import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignOperations } from '../../../src/campaigns/campaign.machine.ts'
import { createCampaignStore } from '../../../src/campaigns/store/campaigns.store.ts'
import { createRecipientStore } from '../../../src/campaigns/store/recipients.store.ts'
import type { Pool, Sql } from '../../../src/platform/postgres/sql.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant } from '../../support/rows.ts'

const sql = testPool(await testDatabase(), 6)
const campaigns = createCampaignStore(sql)
const recipients = createRecipientStore(sql)
const open = campaignOperations.addRecipients

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: newId('recipient'),
    waId: `1555${String(index).padStart(7, '0')}`,
    variables: {},
  }))

/** A draft, and the version of it against which recipients are judged. */
async function judged() {
  const { workspaceId, numberId } = await addTenant(sql)
  const id = newId('campaign')
  await campaigns.insert(
    { workspaceId, id, key: null },
    {
      name: 'Spring',
      template: { name: 'hello', language: 'en_US' },
      numberId,
      variables: { a: 'x' },
      startAt: null,
      messagesPerSecond: null,
    },
  )
  const target = await recipients.target(workspaceId, id)
  assert.ok(target?.template)
  return { workspaceId, id, campaign: target.campaign }
}

/** Waits until a statement waits for a lock, which only the database can tell. */
async function someoneWaits(pool: Pool): Promise<void> {
  for (;;) {
    const waiting = await pool`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (waiting.length > 0) return
    await sleep(5)
  }
}

const changes: readonly [name: string, change: (tx: Sql, id: string) => PromiseLike<unknown>][] = [
  ['another template', (tx, id) => tx`update campaigns set template_name = 'other' where id = ${id}`],
  ['another language', (tx, id) => tx`update campaigns set template_language = 'de' where id = ${id}`],
  ['other defaults', (tx, id) => tx`update campaigns set variables = '{"a": "y"}' where id = ${id}`],
  ['ended', (tx, id) => tx`update campaigns set status = 'CANCELLED' where id = ${id}`],
  ['gone', (tx, id) => tx`update campaigns set deleted_at = now() where id = ${id}`],
]

describe('adding to a campaign', () => {
  for (const [name, change] of changes) {
    test(`adds nobody where it has changed since it was judged: ${name}`, async () => {
      const { workspaceId, id, campaign } = await judged()
      await change(sql, id)
      assert.equal(await recipients.add(workspaceId, campaign, open, rows(3)), undefined)
    })

    test(`waits for whoever is changing it, and adds nobody then: ${name}`, async () => {
      const { workspaceId, id, campaign } = await judged()
      const adding = await sql.begin(async (tx) => {
        await change(tx, id)
        const added = recipients.add(workspaceId, campaign, open, rows(3))
        await someoneWaits(sql)
        return { added }
      })
      assert.equal(await adding.added, undefined)
      assert.deepEqual([...(await sql`select from recipients where campaign_id = ${id}`)], [])
    })
  }

  test('does not mind a change of what it was not judged by', async () => {
    const { workspaceId, id, campaign } = await judged()
    await sql`update campaigns set name = 'Other', status = 'RUNNING' where id = ${id}`
    const none = { duplicates: [], skipped: [] }
    assert.deepEqual(await recipients.add(workspaceId, campaign, open, rows(3)), none)
    const [first, second, third] = rows(4).map(({ waId }) => waId)
    const again = await recipients.add(workspaceId, campaign, open, rows(4))
    assert.deepEqual(again?.duplicates.toSorted(), [first, second, third])
    assert.deepEqual(await recipients.add(workspaceId, campaign, open, []), none)
  })

  test('adds nobody of a call that fails', async () => {
    const { workspaceId, id, campaign } = await judged()
    const [good, bad] = rows(2)
    assert.ok(good && bad)
    const twice = [good, { ...bad, id: good.id }]
    await assert.rejects(recipients.add(workspaceId, campaign, open, twice), { code: '23505' })
    assert.deepEqual([...(await sql`select from recipients where campaign_id = ${id}`)], [])
    const record = await campaigns.find(workspaceId, id)
    assert.equal(record?.counts.total, 0)
  })

  test('and removing from it is nothing for another workspace', async () => {
    const { id, campaign } = await judged()
    const { workspaceId } = await addTenant(sql)
    assert.equal(await recipients.target(workspaceId, id), undefined)
    assert.equal(await recipients.add(workspaceId, campaign, open, rows(1)), undefined)
    assert.equal(await recipients.remove(workspaceId, id, open, { all: true }), undefined)
  })
})
