import assert from 'node:assert/strict'
import type { StoredCampaign } from '../../../src/campaigns/ports.ts'
import { createCampaignLifeStore } from '../../../src/campaigns/store/campaign-life.store.ts'
import { pauseRefused } from '../../../src/campaigns/store/campaign-refusals.store.ts'
import { createCampaignSendStore } from '../../../src/campaigns/store/campaign-sends.store.ts'
import { createCampaignStore } from '../../../src/campaigns/store/campaigns.store.ts'
import { campaignsHalted } from '../../../src/campaigns/store/campaigns-halted.ts'
import { createRecipientStore } from '../../../src/campaigns/store/recipients.store.ts'
import { recipientStatuses } from '../../../src/contract/records/campaign.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import type { CampaignId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testAccounts } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import type { Tenant } from '../../support/rows.ts'
import { eventually } from '../platform/cluster/gateway.ts'
import {
  addTemplate,
  assertCounts,
  draft,
  node,
  offer,
  phone,
  putInto,
  rowsOf,
  tenantWithKey,
  uuidOf,
} from './world.ts'

const database = await testDatabase()
const sql = testPool(database, 4)
// Two nodes, each with its own connections.
const nodes = await Promise.all([node(testPool(database, 6)), node(testPool(database, 6))])

async function world(fields: object = {}) {
  const tenant = await tenantWithKey(sql)
  const [one, other] = nodes.map((as) => as(tenant.key))
  assert.ok(one && other)
  const id = await draft(one, fields)
  return { tenant, senders: [one, other] as const, send: one, id, path: `/campaigns/${id}/recipients` }
}

type Moved = Tenant & Pick<StoredCampaign, 'id'> & { readonly epoch: number }

const life = createCampaignLifeStore({ sql, bulk: sql }, { defaultToken: undefined })
const campaigns = createCampaignStore(sql)
const sends = createCampaignSendStore(sql, testAccounts)

const changes: Readonly<Record<string, (moved: Moved) => Promise<unknown>>> = {
  'a change of status': ({ workspaceId, id }) => life.move(workspaceId, id, () => null),
  'a pause of its own': (campaign) => sends.pause(campaign, { reason: 'TEMPLATE_PAUSED', scope: 'campaign' }),
  'a pause of the workspace': (campaign) => sends.pause(campaign, { reason: 'BILLING', scope: 'workspace' }),
  async 'a pause after refusals'({ id, workspaceId, epoch }) {
    await sql`
      insert into campaign_refusals (campaign_id, workspace_id, epoch, code, in_a_row, tripped)
      values (${id}, ${workspaceId}, ${epoch}, '100', 20, '{}')`
    await pauseRefused(sql, [id])
  },
  'a pause by a state of the account': async ({ workspaceId }) => sql`
    with stated as (
      select ${workspaceId}::uuid as workspace_id, 'DISABLE' as status, 'Disabled.' as message,
        null::timestamptz as until, array['CAMPAIGNS'] as stops
    ),
    ${campaignsHalted(sql, 'stated')}
    select`,
  'a change of what it sends': ({ workspaceId, id }) => campaigns.change(workspaceId, id, async () => ({})),
  'its deletion': ({ workspaceId, id }) => campaigns.delete(workspaceId, id, ['RUNNING']),
  'its completion': (campaign) => sends.complete(campaign),
}

describe('two nodes', () => {
  test('that add the same numbers in opposite order at once add each of them once', async () => {
    const { senders, send, id, path } = await world()
    const rows = rowsOf(0, 2_000)
    const calls = Array.from({ length: 8 }, (_, index) => {
      const shifted = rows.slice(index * 100, index * 100 + 1_000)
      const recipients = index % 2 === 0 ? shifted : shifted.reverse()
      return (senders[index % 2] ?? send)('POST', path, { recipients })
    })
    const answers = await Promise.all(calls)
    for (const { status, json } of answers) {
      assert.equal(status, 200, JSON.stringify(json))
      assert.equal(json.added + json.duplicates, 1_000)
    }
    const added = answers.reduce((sum, { json }) => sum + json.added, 0)
    assert.equal(added, 1_700)
    assert.equal((await assertCounts(sql, send, id)).total, 1_700)
  })

  test('add nobody by a template that the campaign no longer has', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { tenant, senders, send, id, path } = await world({ template: offer })
      await addTemplate(sql, tenant, 'short', 'Use {{code}}')
      const recipients = rowsOf(0, 200).map((row) => ({
        ...row,
        variables: { first_name: 'Ines', code: 'A1' },
      }))
      const [added, changed] = await Promise.all([
        senders[0]('POST', path, { recipients }),
        senders[1]('PATCH', `/campaigns/${id}`, { template: { ...offer, name: 'short' } }),
      ])
      assert.deepEqual([added.status, changed.status], [200, 200])
      const { total } = await assertCounts(sql, send, id)
      // All rows are judged either before the change or after it.
      assert.equal(total, added.json.added)
      assert.ok(total === 200 || added.json.invalid.length === 200, JSON.stringify(added.json).slice(0, 200))
    }
  })

  test('leave nobody behind in a campaign that one of them deletes', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { senders, id, path } = await world()
      const [added, deleted] = await Promise.all([
        senders[0]('POST', path, { recipients: rowsOf(0, 100) }),
        senders[1]('DELETE', `/campaigns/${id}`),
      ])
      assert.equal(deleted.status, 204)
      const [row] = await sql<[{ count: number }]>`
        select count(*)::int as count from recipients where campaign_id = ${uuidOf(id)}`
      assert.equal(row.count, added.status === 200 ? 100 : 0)
      assert.ok(added.status === 200 || added.status === 404)
    }
  })

  for (const [name, moves] of Object.entries(changes))
    test(`that go on adding let in between ${name}`, async () => {
      const { tenant, send, id, path } = await world()
      const recipients = createRecipientStore(sql)
      const target = await recipients.target(tenant.workspaceId, uuidOf(id) as CampaignId)
      assert.ok(target)
      await putInto(sql, id, 'RUNNING')
      const { moving, adding } = await sql.begin(async (held) => {
        await createRecipientStore(held).add(tenant.workspaceId, target.campaign, ['RUNNING'], [])
        const moving = moves({ ...tenant, id: target.campaign.id, epoch: 0 })
        await waiting(1)
        const adding = send('POST', path, { recipients: rowsOf(0, 10) })
        // It could share the lock that is held: so it waits for its turn behind the change.
        await waiting(2)
        return { moving, adding }
      })
      await Promise.all([moving, adding])
    })
})

/** Waits until this many statements wait for the lock of a campaign's changes. */
async function waiting(count: number): Promise<void> {
  await eventually(async () => {
    const [row] = await sql<[{ count: number }]>`
      select count(*)::int as count
      from pg_locks
      where not granted and locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
    return row.count === count
  })
}

describe('the counts', () => {
  test('are those of the rows at every instant while recipients come, go and move on', async () => {
    const { senders, send, id, path } = await world()
    let isOver = false
    const watching = watch(sql, uuidOf(id), () => isOver)
    const pools = [testPool(database, 3), testPool(database, 3)]
    const work = Array.from({ length: 6 }, async (_, writer) => {
      const own = senders[writer % 2] ?? send
      const pool = pools[writer % 2] ?? sql
      for (let round = 0; round < 12; round += 1) {
        const first = ((writer + round) % 4) * 150
        const recipients = rowsOf(first, 200)
        const answers = [
          await own('POST', path, { recipients }),
          await own('DELETE', path, { to: recipients.slice(0, 60).map(({ to }) => to) }),
        ]
        for (const { status, json } of answers) assert.equal(status, 200, JSON.stringify(json))
        await move(pool, uuidOf(id), round)
      }
    })
    await Promise.all(work).finally(() => {
      isOver = true
    })
    assert.ok((await watching) > 5)
    const { total, pending, replied } = await assertCounts(sql, send, id)
    assert.ok(total > pending && replied > 0, `${total} ${pending} ${replied}`)
    await send('DELETE', path, { all: true })
    assert.equal((await assertCounts(sql, send, id)).pending, 0)
  })

  test('follow one recipient through every status and back out of the campaign', async () => {
    const { send, id, path } = await world()
    await send('POST', path, { recipients: [{ to: phone(1) }] })
    for (const status of recipientStatuses) {
      await sql`update recipients set status = ${status} where campaign_id = ${uuidOf(id)}`
      const { total, ...counts } = await assertCounts(sql, send, id)
      assert.deepEqual([total, counts[status.toLowerCase() as keyof typeof counts]], [1, 1])
    }
    await sql`update recipients set replied_at = now(), attempts = 1 where campaign_id = ${uuidOf(id)}`
    assert.equal((await assertCounts(sql, send, id)).replied, 1)
    await sql`delete from recipients where campaign_id = ${uuidOf(id)}`
    assert.equal((await assertCounts(sql, send, id)).total, 0)
  })

  test('keep a row for each status and connection at most, however many recipients move', async () => {
    const { send, id, path } = await world()
    await send('POST', path, { recipients: rowsOf(0, 500) })
    for (let round = 0; round < 20; round += 1) await move(sql, uuidOf(id), round)
    const [row] = await sql<[{ count: number }]>`
      select count(*)::int as count from campaign_counts where campaign_id = ${uuidOf(id)}`
    assert.ok(row.count <= 16 * (recipientStatuses.length + 1), String(row.count))
  })
})

/** Moves some PENDING recipients on, as a worker's batch does; some of them reply. */
async function move(pool: Pool, id: string, round: number): Promise<void> {
  const status = recipientStatuses[1 + (round % (recipientStatuses.length - 1))] ?? 'SENT'
  await pool`
    update recipients
    set status = ${status}, replied_at = case when ${status} = 'READ' then now() end
    where id in (
      select id from recipients
      where campaign_id = ${id} and status = 'PENDING'
      order by id limit 5
      for update skip locked)`
}

/** Compares counts and rows in one snapshot, again and again; returns how many times. */
async function watch(pool: Pool, id: string, isOver: () => boolean): Promise<number> {
  for (let looks = 0; ; looks += 1) {
    const differences = await pool`
      select *
      from (
        select name, sum(amount)::int as count from campaign_counts where campaign_id = ${id} group by name
      ) kept
      full join (
        select lower(status) as name, count(*)::int as count from recipients where campaign_id = ${id} group by 1
        union all
        select 'replied', count(replied_at)::int from recipients where campaign_id = ${id}
      ) rows using (name)
      where coalesce(kept.count, 0) <> coalesce(rows.count, 0)`
    assert.deepEqual([...differences], [])
    if (isOver()) return looks
  }
}
