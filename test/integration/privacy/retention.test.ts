import assert from 'node:assert/strict'
import { type CampaignId, idFloor, newId, type RecipientId } from '../../../src/shared/ids.ts'
import { message } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testMessageStore } from '../../support/message-store.ts'
import { blobs, indexedMetadata, type Known, known, mentions, sql, worker } from './world.ts'

const dayMs = 86_400_000

/** As if `days` had gone by: ids tell the age. */
const after = (days: number) => worker(Date.now() + days * dayMs)

const keepFor = (who: Known, days: number | null) =>
  sql`update workspaces set content_days = ${days} where id = ${who.workspaceId}`

async function untilDone(round: () => Promise<boolean>): Promise<void> {
  for (let rounds = 0; await round(); rounds += 1) assert.ok(rounds < 1_000, 'it never ends')
}

describe('contents that a workspace keeps for some days', () => {
  test('go with their days and not before, and of that workspace alone', async () => {
    const [who, other] = [await known(), await known()]
    for (let index = 0; index < 600; index += 1) await message(sql, who, { text: who.secret, status: 'SENT' })
    await keepFor(who, 10)
    await untilDone(after(9).removeContents)
    assert.ok((await mentions(who.secret)).includes('messages'))
    assert.equal(await indexedMetadata(who), 1)
    await untilDone(after(11).removeContents)
    assert.deepEqual([await indexedMetadata(who), await indexedMetadata(other)], [0, 1])
    // Calls, timelines and lists of campaigns are no contents.
    assert.deepEqual((await mentions(who.secret)).sort(), [
      'call_timeline',
      'calls',
      'recipients',
      'request_keys',
    ])
    const [row] = await sql`
      select count(*)::int as count from messages where workspace_id = ${who.workspaceId} and text = ''`
    assert.equal(row?.['count'], 602)
    await untilDone(after(11).deleteFiles)
    assert.equal(await blobs.open(who.blobKey), undefined)
    assert.ok(await blobs.open(other.blobKey))
    assert.ok((await mentions(other.secret)).includes('messages'))
  })

  test('stay while a message is still to be sent', async () => {
    const who = await known()
    const waiting = await message(sql, who, { text: who.secret, sendState: 'PENDING' })
    await message(sql, who, { text: who.secret, status: 'SENT' })
    // Between two attempts it was reported as failed: it is not sent again.
    await message(sql, who, { text: who.secret, status: 'FAILED', sendState: 'PENDING' })
    await keepFor(who, 1)
    await untilDone(after(2).removeContents)
    const textsOf = async () =>
      (await sql`select text from messages where workspace_id = ${who.workspaceId} and text <> ''`).count
    assert.equal(await textsOf(), 3)
    await sql`update messages set send_state = 'ACCEPTED' where id = ${waiting}`
    await untilDone(after(2).removeContents)
    assert.equal(await textsOf(), 0)
  })

  test('go however many other workspaces have nothing to remove', async (t) => {
    const who = await known()
    await keepFor(who, 1)
    // As of somebody whose contents went in time until the others came.
    await sql`update workspaces set content_removed_to = ${idFloor(1)}::uuid where id = ${who.workspaceId}`
    const dormant = Array.from({ length: 110 }, () => ({
      id: newId('workspace'),
      name: 'Dormant',
      contentDays: 1,
    }))
    await sql`insert into workspaces ${sql(dormant)}`
    t.after(() => sql`update workspaces set content_days = null where name = 'Dormant'`)
    await untilDone(after(2).removeContents)
    assert.ok(!(await mentions(who.secret)).includes('messages'))
  })

  test('of other workspaces go although those of one cannot be removed', async (t) => {
    const both = [await known(), await known()]
    for (const who of both) await keepFor(who, 1)
    const [held, other] = both as [Known, Known]
    await sql.unsafe(`
      create function refuse_${held.workspaceId.replaceAll('-', '')}() returns trigger language plpgsql
        as 'begin raise exception ''refused''; end';
      create trigger refuse before update on messages for each row
        when (old.workspace_id = '${held.workspaceId}') execute function refuse_${held.workspaceId.replaceAll('-', '')}()`)
    t.after(() => sql`drop trigger refuse on messages`)
    const { removeContents } = after(2)
    await assert.rejects(untilDone(removeContents), /refused/)
    await untilDone(removeContents)
    assert.ok((await mentions(held.secret)).includes('messages'))
    assert.ok(!(await mentions(other.secret)).includes('messages'))
  })

  test('stay for ever where no days are set', async () => {
    const who = await known()
    await untilDone(after(3_000).removeContents)
    assert.ok((await mentions(who.secret)).includes('messages'))
  })
})

describe('a deleted campaign', () => {
  const campaign = async (who: Known, deletedAt: string): Promise<CampaignId> => {
    const id = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, template_name, template_language, status, deleted_at)
      values (${id}, ${who.workspaceId}, ${who.secret}, 'hello', 'en_US', 'COMPLETED', ${deletedAt}::timestamptz)`
    const rows = Array.from({ length: 700 }, (_, index) => ({
      ...{ id: newId('recipient'), workspaceId: who.workspaceId, campaignId: id },
      waId: `1557${String(index).padStart(7, '0')}`,
    }))
    await sql`insert into recipients ${sql(rows)}`
    return id
  }

  const recipientsOf = async (id: CampaignId) =>
    (await sql`select from recipients where campaign_id = ${id}`).count

  test('loses its recipients and its name after an hour, once nothing of it is on its way', async () => {
    const who = await known()
    const long = new Date(Date.now() - 2 * 3_600_000).toISOString()
    const [old, young, busy] = [
      await campaign(who, long),
      await campaign(who, new Date().toISOString()),
      await campaign(who, long),
    ]
    await sql`
      update recipients set claimed_until = now() where id = (select min(id::text)::uuid from recipients where campaign_id = ${busy})`
    const sent = await message(sql, who, { campaignId: old, status: 'SENT' })
    await untilDone(worker().purgeCampaigns)
    assert.deepEqual(
      [await recipientsOf(old), await recipientsOf(young), await recipientsOf(busy)],
      [0, 700, 700],
    )
    const [row] = await sql`select name, purged_at is not null as is_purged from campaigns where id = ${old}`
    assert.deepEqual({ ...row }, { name: '', isPurged: true })
    assert.equal((await sql`select from campaign_counts where campaign_id = ${old}`).count, 0)
    assert.equal((await sql`select from messages where id = ${sent} and campaign_id = ${old}`).count, 1)
    await sql`update recipients set claimed_until = null where campaign_id = ${busy}`
    await untilDone(worker().purgeCampaigns)
    assert.equal(await recipientsOf(busy), 0)
  })

  test('leaves no message behind whose outcome nobody will tell', async () => {
    const who = await known()
    const long = new Date(Date.now() - 2 * 3_600_000).toISOString()
    const id = await campaign(who, long)
    const recipients = await sql<{ id: RecipientId }[]>`
      select id from recipients where campaign_id = ${id} order by id desc limit 3`
    const states = [{ sendState: 'UNKNOWN' }, { sendState: 'UNKNOWN', status: 'SENT' }, { sendState: 'HELD' }]
    const sent = await Promise.all(
      recipients.map(async (recipient, index) => {
        const messageId = await message(sql, who, { campaignId: id, ...states[index] })
        await sql`update messages set recipient_id = ${recipient.id} where id = ${messageId}`
        await sql`update recipients set message_id = ${messageId} where id = ${recipient.id}`
        return messageId
      }),
    )
    await untilDone(worker().purgeCampaigns)
    assert.equal(await recipientsOf(id), 0)
    const [unknown] = sent
    assert.ok(unknown)
    const waits =
      await sql`select id from messages where id = any(${sent}::uuid[]) and send_due_at is not null`
    assert.deepEqual(
      waits.map((row) => row['id']),
      [unknown],
    )
    const messages = testMessageStore(sql)
    const isLost = async () => (await messages.lostSends(100)).some((lost) => lost.id === unknown)
    assert.equal(await isLost(), false)
    // As if a quarter of an hour had gone by.
    await sql`update messages set send_due_at = send_due_at - interval '15 minutes' where id = ${unknown}`
    assert.equal(await isLost(), true)
  })
})
