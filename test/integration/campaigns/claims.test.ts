// The claim of recipients over a real database: who gets whom when several ask, and what comes in between.
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { recipientMachine } from '../../../src/campaigns/recipient.machine.ts'
import type { ClaimedRecipient, PickedRecipient, RunningCampaign } from '../../../src/campaigns/sending.ts'
import { type RecipientStatus, recipientStatuses } from '../../../src/contract/records/campaign.ts'
import { type CampaignId, newId } from '../../../src/shared/ids.ts'
import { canMove } from '../../../src/shared/machine.ts'
import { createCampaignLifeStore } from '../../../src/store/campaign-life.store.ts'
import { createCampaignSendStore } from '../../../src/store/campaign-sends.store.ts'
import { createMessageStore } from '../../../src/store/messages.store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant, type Tenant } from '../../support/rows.ts'

const database = await testDatabase()
const sql = testPool(database)
const accounts = { secrets: { open: () => 'token' }, defaultToken: 'token' }
const store = createCampaignSendStore(sql, accounts)
const life = createCampaignLifeStore({ sql, bulk: sql }, accounts)
const messages = createMessageStore(sql, accounts)

let tenant: Tenant
let campaign: RunningCampaign
beforeEach(async () => {
  tenant = await addTenant(sql)
  campaign = await runningCampaign()
})

async function runningCampaign(): Promise<RunningCampaign> {
  const id = newId('campaign')
  await sql`
    insert into campaigns (id, workspace_id, name, status, number_id, template_name, template_language)
    values (${id}, ${tenant.workspaceId}, 'Spring', 'RUNNING', ${tenant.numberId}, 'hello', 'en_US')`
  const { sendable } = await store.running(tenant.numberId)
  const found = sendable.find((each) => each.id === id)
  assert.ok(found)
  return found
}

const waIdOf = (index: number): string => `1557${String(index).padStart(7, '0')}`

async function addRecipients(id: CampaignId, count: number, from = 0): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: newId('recipient'),
    workspaceId: tenant.workspaceId,
    campaignId: id,
    waId: waIdOf(from + index),
  }))
  await sql`insert into recipients ${sql(rows)}`
}

const judge = ({ messageId }: PickedRecipient) => ({
  ...({ type: 'send', text: 'Hello', variables: {} } as const),
  messageId: messageId ?? newId('message'),
  isRepeated: messageId !== null,
})

async function claim(limit: number, from = campaign): Promise<readonly ClaimedRecipient[]> {
  const batch = await store.claim(from, limit, judge)
  assert.ok(batch)
  return batch.claimed
}

const statuses = async (): Promise<Record<string, number>> => {
  const rows = await sql<{ status: string; count: number }[]>`
    select status, count(*)::int as count from recipients where campaign_id = ${campaign.id} group by status`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

const optOut = (waId: string) => sql`
  insert into contacts (id, workspace_id, wa_id, opt_state)
  values (new_uuid(), ${tenant.workspaceId}, ${waId}, 'opted-out')
  on conflict (workspace_id, wa_id) do update set opt_state = 'opted-out'`

describe('a claim', () => {
  test('of several that come at once gives nobody twice and leaves nobody out [decisions 4]', async () => {
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
    await store.finish({ ...first, verdict: again(0, true), failure: null })
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

const again = (delayMs: number, counts = false) =>
  ({ type: 'again', delayMs, counts, slow: false, pause: null }) as const

describe('an outcome', () => {
  test('that is written again, because the answer to its commit was lost, does not open a later try', async () => {
    await addRecipients(campaign.id, 1)
    const [first] = await claim(1)
    assert.ok(first)
    const outcome = { ...first, verdict: again(0, true), failure: null }
    await store.finish(outcome)
    const [second] = await claim(1)
    assert.deepEqual([second?.messageId, second?.attempt], [first.messageId, 2])
    await store.finish(outcome)
    assert.deepEqual(await claim(1), [])
    const [row] = await sql<
      [{ attempts: number }]
    >`select attempts from recipients where campaign_id = ${campaign.id}`
    assert.equal(row.attempts, 1)
  })

  test('that a failure overtook leaves nobody waiting when its worker is dead', async () => {
    await addRecipients(campaign.id, 1)
    const [claimed] = await claim(1)
    assert.ok(claimed)
    const event = { eventId: newId('event'), body: Buffer.from('{}') }
    await messages.changeStatuses([
      {
        ...{
          messageId: claimed.messageId,
          recipientId: claimed.id,
          providerMessageId: 'w2',
          status: 'FAILED',
        },
        ...{ at: new Date(), error: { code: '131026', title: 'No' }, ...event },
      },
    ])
    assert.equal((await store.complete(campaign)).type, 'completed')
  })

  test('that says nothing was sent, of a campaign that was completed meanwhile, is left to an operator', async () => {
    await addRecipients(campaign.id, 1)
    const [claimed] = await claim(1)
    assert.ok(claimed)
    await sql`update messages set send_due_at = now() - interval '1 second' where id = ${claimed.messageId}`
    await messages.lostSends(10)
    assert.equal((await store.complete(campaign)).type, 'completed')
    await store.finish({ ...claimed, verdict: again(0), failure: null })
    assert.deepEqual(await statuses(), { UNKNOWN: 1 })
  })
})

describe('the end of a campaign', () => {
  test('comes when nobody waits and nothing is under way, and not while somebody may be added', async () => {
    await addRecipients(campaign.id, 2)
    const first = await claim(1)
    assert.deepEqual(await store.complete(campaign), { type: 'waiting', dueInMs: 0 })
    const claimed = [...first, ...(await claim(1))]
    assert.deepEqual(await store.complete(campaign), { type: 'inFlight' })
    for (const recipient of claimed)
      await store.finish({ ...recipient, verdict: { type: 'unknown' }, failure: null })
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
    await store.finish({
      ...last,
      verdict: { type: 'accepted', providerMessageId: 'w1', held: true },
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
    for (const recipient of claimed) await store.finish({ ...recipient, verdict: again(0), failure: null })
    assert.deepEqual(await statuses(), { CANCELLED: 5 })
    const abandoned = await life.abandoned(10)
    assert.deepEqual(
      abandoned.map(({ error }) => error.code),
      ['CAMPAIGN_CANCELLED', 'CAMPAIGN_CANCELLED'],
    )
  })
})

describe('a recipient', () => {
  test('moves as its table says, whatever is said of its message and in whatever order', async () => {
    const words = [
      'accepted',
      'held',
      'again',
      'failed',
      'unknown',
      'SENT',
      'DELIVERED',
      'READ',
      'FAILED',
      'lost',
    ] as const
    for (const first of words)
      for (const second of words) {
        const waId = `1558${String(words.indexOf(first)).padStart(3, '0')}${String(words.indexOf(second)).padStart(3, '0')}`
        await sql`
          insert into recipients (id, workspace_id, campaign_id, wa_id)
          values (${newId('recipient')}, ${tenant.workspaceId}, ${campaign.id}, ${waId})`
        const [claimed] = await claim(1)
        assert.ok(claimed)
        let before: RecipientStatus = 'QUEUED'
        for (const word of [first, second]) {
          await say(claimed, word)
          const [row] = await sql<
            [{ status: RecipientStatus }]
          >`select status from recipients where wa_id = ${waId}`
          const isFine = row.status === before || canMove(recipientMachine, before, row.status)
          assert.ok(isFine, `${before} to ${row.status} by ${first}, ${second}`)
          before = row.status
        }
        await sql`delete from recipients where wa_id = ${waId}`
      }
    assert.equal(recipientStatuses.length, Object.keys(recipientMachine).length)
  })

  async function say(claimed: ClaimedRecipient, word: string): Promise<void> {
    const { messageId, conversationId, attempt } = claimed
    const failure = { eventId: newId('event'), body: Buffer.from('{}') }
    const finish = (verdict: Parameters<typeof store.finish>[0]['verdict']) =>
      store.finish({
        messageId,
        conversationId,
        attempt,
        verdict,
        failure: verdict.type === 'failed' ? failure : null,
      })
    const error = { code: '131026', title: 'No' }
    switch (word) {
      case 'accepted':
        return void (await finish({ type: 'accepted', providerMessageId: `w${messageId}`, held: false }))
      case 'held':
        return void (await finish({ type: 'accepted', providerMessageId: `w${messageId}`, held: true }))
      case 'again':
        return void (await finish(again(3_600_000)))
      case 'failed':
        return void (await finish({ type: 'failed', error }))
      case 'unknown':
        return void (await finish({ type: 'unknown' }))
      case 'lost':
        await sql`update messages set send_due_at = now() - interval '1 second' where id = ${messageId} and send_state = 'SENDING'`
        return void (await messages.lostSends(100))
      default:
        await messages.changeStatuses([
          {
            ...{ messageId, recipientId: claimed.id, providerMessageId: `w${messageId}`, error: null },
            status: word as 'SENT',
            at: new Date(),
            ...{ eventId: newId('event'), body: Buffer.from('{}') },
          },
        ])
    }
  }
})
