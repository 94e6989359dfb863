// Claims of recipients over a real database: who gets whom when several claim, and what can interfere.
import assert from 'node:assert/strict'
import type { ClaimedRecipient, RunningCampaign } from '../../../src/campaigns/send-ports.ts'
import { createCampaignSendStore } from '../../../src/campaigns/store/campaign-sends.store.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, type TestContext, test } from '../../support/harness.ts'
import { testAccounts } from '../../support/message-store.ts'
import {
  addRecipients,
  again,
  campaign,
  claim,
  finish,
  judge,
  life,
  newCampaignForEachTest,
  optOut,
  record,
  refusal,
  resumed,
  runningCampaign,
  sql,
  statuses,
  store,
  tenant,
  waIdOf,
} from './sending-world.ts'

newCampaignForEachTest()

describe('after a restore of Postgres', () => {
  test('nobody is claimed until the restore is known', async () => {
    await addRecipients(campaign.id, 1)
    const unsure = createCampaignSendStore(sql, testAccounts, (statement) => statement`false`)
    assert.equal(await unsure.claim(campaign, 1, judge), undefined)
    assert.equal((await claim(1)).length, 1)
  })

  const restored = async (t: TestContext) => {
    await sql`update campaigns set updated_at = now() - interval '1 minute' where id = ${campaign.id}`
    await sql`update database_era set restored_at = now()`
    t.after(() => sql`update database_era set restored_at = null`)
  }

  test('a campaign that ran before it is stuck, until a person has resumed it', async (t) => {
    await restored(t)
    const { sendable, stuck } = await store.running(tenant.numberId)
    assert.deepEqual([sendable, stuck.map(({ reason }) => reason)], [[], ['DATABASE_RESTORED']])
    await store.pause(campaign, { reason: 'DATABASE_RESTORED', scope: 'campaign' })
    assert.equal((await record()).pauseReason, 'DATABASE_RESTORED')
    assert.equal((await resumed()).id, campaign.id)
  })

  test('a campaign that was paused before it goes on when a person resumes it', async (t) => {
    await store.pause(campaign, { reason: 'BILLING', scope: 'campaign' })
    await restored(t)
    assert.equal((await resumed()).id, campaign.id)
  })
})

describe('a claim', () => {
  test('of several that come at once gives nobody twice and leaves nobody out', async () => {
    await addRecipients(campaign.id, 500)
    const claimed: ClaimedRecipient[] = []
    const worker = async () => {
      for (let batch = await claim(37); batch.length > 0; batch = await claim(37)) claimed.push(...batch)
    }
    await Promise.all([worker(), worker(), worker(), worker()])
    assert.equal(claimed.length, 500)
    assert.equal(new Set(claimed.map(({ waId }) => waId)).size, 500)
    assert.deepEqual(await statuses(), { QUEUED: 500 })
    const [row] = await sql<[{ count: number }]>`
      select count(*)::int as count from messages where campaign_id = ${campaign.id} and send_state = 'SENDING'`
    assert.equal(row.count, 500)
  })

  test('of two campaigns to the same people at once makes each contact and conversation once', async () => {
    const other = await runningCampaign()
    await addRecipients(campaign.id, 200)
    await addRecipients(other.id, 200)
    const worker = async (from: RunningCampaign) => {
      for (let round = 0; round < 50; round += 1) await claim(20, from)
    }
    await Promise.all([worker(campaign), worker(other), worker(campaign), worker(other)])
    const [row] = await sql<[{ contacts: number; conversations: number; queued: number }]>`
      select (select count(*)::int from contacts where workspace_id = ${tenant.workspaceId}) as contacts,
        (select count(*)::int from conversations where workspace_id = ${tenant.workspaceId}) as conversations,
        (select count(*)::int from recipients where workspace_id = ${tenant.workspaceId} and status = 'QUEUED')
          as queued`
    assert.deepEqual({ ...row }, { contacts: 200, conversations: 200, queued: 400 })
  })

  test('under an epoch that is over takes nobody, and one under way holds up the pause until it is committed', async () => {
    await addRecipients(campaign.id, 10)
    let isPaused = false
    let pausing: Promise<unknown> = Promise.resolve()
    const batch = await store.claim(campaign, 5, (recipient) => {
      pausing = store.pause(campaign, { reason: 'BILLING', scope: 'workspace' }).finally(() => {
        isPaused = true
      })
      assert.equal(isPaused, false)
      return judge(recipient)
    })
    assert.equal(batch?.claimed.length, 5)
    await pausing
    assert.equal(await store.claim(campaign, 5, judge), undefined)
    assert.deepEqual(await statuses(), { QUEUED: 5, PENDING: 5 })
  })

  test('passes over who has said STOP before it; a STOP that comes meanwhile is neither lost nor in the way', async () => {
    await addRecipients(campaign.id, 3)
    await optOut(waIdOf(1))
    let stopping: Promise<unknown> = Promise.resolve()
    const batch = await store.claim(campaign, 3, (recipient) => {
      if (recipient.waId === waIdOf(2)) stopping = optOut(recipient.waId).execute()
      return judge(recipient)
    })
    await stopping
    assert.deepEqual(
      batch?.claimed.map(({ waId }) => waId),
      [waIdOf(0), waIdOf(2)],
    )
    assert.deepEqual(await statuses(), { QUEUED: 2, SKIPPED: 1 })
    const stopped =
      await sql`select from contacts where workspace_id = ${tenant.workspaceId} and opt_state = 'opted-out'`
    assert.equal(stopped.length, 2)
  })

  test('takes those whose time has come, the longest waiting first, and keeps the message of an earlier try', async () => {
    await addRecipients(campaign.id, 3)
    const [first] = await claim(1)
    assert.ok(first)
    await finish({ ...first, verdict: again(0, true), failure: null })
    await sql`update recipients set due_at = now() + interval '1 hour' where wa_id = ${waIdOf(1)}`
    const taken = await claim(3)
    assert.deepEqual(
      taken.map(({ waId, tries }) => [waId, tries]),
      [
        [waIdOf(2), 0],
        [waIdOf(0), 1],
      ],
    )
    assert.equal(taken[1]?.messageId, first.messageId)
    const [row] = await sql<[{ sendAttempts: number }]>`
      select send_attempts from messages where id = ${first.messageId}`
    assert.equal(row.sendAttempts, 2)
  })
})

test('whose message is being changed is left to the next claim, which does not wait for it', async () => {
  await addRecipients(campaign.id, 2)
  const [first] = await claim(1)
  assert.ok(first)
  await finish({ ...first, verdict: again(0), failure: null })
  const claimed = await sql.begin(async (tx) => {
    await tx`select from messages where id = ${first.messageId} for no key update`
    const taken = await claim(2)
    await tx`update recipients set updated_at = now() where id = ${first.id}`
    return taken.map(({ waId }) => waId)
  })
  assert.deepEqual(claimed, [waIdOf(1)])
  assert.deepEqual(
    (await claim(2)).map(({ waId }) => waId),
    [waIdOf(0)],
  )
})

test('an answer to what is tried again after a week counts, and the conversation stays where it is', async () => {
  await addRecipients(campaign.id, 1)
  const [first] = await claim(1)
  assert.ok(first)
  await finish({ ...first, verdict: again(0), failure: null })
  const conversation = async () => {
    const [row] = await sql<{ sentAt: Date; updatedAt: Date; lastMessageId: string }[]>`
      select campaign_sent_at as sent_at, updated_at, last_message_id from conversations
      where id = ${first.conversationId}`
    return row ?? assert.fail()
  }
  await sql`
    update conversations set campaign_sent_at = now() - interval '8 days', last_message_id = null
    where id = ${first.conversationId}`
  const before = await conversation()
  assert.equal((await claim(1)).length, 1)
  const { sentAt, ...after } = await conversation()
  assert.ok(sentAt.getTime() - before.sentAt.getTime() > 7 * 86_400_000)
  assert.deepEqual(after, { updatedAt: before.updatedAt, lastMessageId: null })
})

describe('the end of a campaign', () => {
  test('comes when nobody waits and nothing is under way, and not while somebody may be added', async () => {
    await addRecipients(campaign.id, 2)
    const first = await claim(1)
    assert.deepEqual(await store.complete(campaign), { type: 'waiting', dueInMs: 0 })
    const claimed = [...first, ...(await claim(1))]
    assert.deepEqual(await store.complete(campaign), { type: 'inFlight' })
    for (const recipient of claimed)
      await finish({ ...recipient, verdict: { type: 'unknown', error: refusal }, failure: null })
    const adding = sql.begin(async (tx) => {
      await tx`select from campaigns where id = ${campaign.id} for share`
      const completing = store.complete(campaign)
      await tx`
        insert into recipients (id, workspace_id, campaign_id, wa_id)
        values (${newId('recipient')}, ${tenant.workspaceId}, ${campaign.id}, '15579999999')`
      return { completing }
    })
    assert.equal((await (await adding).completing).type, 'waiting')
    const [last] = await claim(1)
    assert.ok(last)
    await finish({
      ...last,
      verdict: { type: 'accepted', providerMessageId: 'w1', held: true, recipientPhone: null },
      failure: null,
    })
    assert.deepEqual(await statuses(), { UNKNOWN: 2, HELD: 1 })
    assert.equal((await store.complete(campaign)).type, 'completed')
    assert.equal((await store.complete(campaign)).type, 'moved')
  })

  test('by a cancel takes out who waits, and who comes back because nothing was sent', async () => {
    await addRecipients(campaign.id, 5)
    const claimed = await claim(2)
    await life.move(tenant.workspaceId, campaign.id, () => ({ to: 'CANCELLED', pauseReason: null }))
    assert.equal(await life.inFlight(campaign.id), 2)
    assert.equal(await life.cancelWaiting(campaign.id), false)
    for (const recipient of claimed) await finish({ ...recipient, verdict: again(0), failure: null })
    assert.deepEqual(await statuses(), { CANCELLED: 5 })
    const abandoned = await life.abandoned(10)
    assert.deepEqual(
      abandoned.map(({ error }) => error.code),
      ['CAMPAIGN_CANCELLED', 'CAMPAIGN_CANCELLED'],
    )
  })
})
