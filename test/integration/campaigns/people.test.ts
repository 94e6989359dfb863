// Recipients who are one person: by other addresses of the contact, by other spellings of the number, over a real
// database and with several workers.
import assert from 'node:assert/strict'
import { campaignOperations } from '../../../src/campaigns/campaign.machine.ts'
import type { ClaimedRecipient } from '../../../src/campaigns/send-ports.ts'
import { createRecipientStore } from '../../../src/campaigns/store/recipients.store.ts'
import { mergeContact, moveMerged } from '../../../src/messaging/store/contact-merge.ts'
import type { Sql } from '../../../src/platform/postgres/sql.ts'
import { newId, type Uuid } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { contact, drain, list, reasons, waiting } from './people-world.ts'
import {
  again,
  campaign,
  claim,
  finish,
  judge,
  newCampaignForEachTest,
  runningCampaign,
  sql,
  statuses,
  store,
  tenant,
} from './sending-world.ts'

newCampaignForEachTest()

const category = async (name: string) => {
  await sql`update templates set category = ${name} where workspace_id = ${tenant.workspaceId}`
  const { sendable } = await store.running(tenant.numberId)
  const found = sendable.find(({ id }) => id === campaign.id)
  assert.ok(found)
  return found
}

/** Makes the contact of `PT.1` one with another one. `around`: what goes on meanwhile. */
async function merge(
  from: Uuid,
  into: Uuid,
  around: (merging: () => Promise<unknown>) => Promise<unknown> = (merging) => merging(),
): Promise<void> {
  await around(() =>
    sql.begin((tx) => mergeContact(tx as unknown as Sql, tenant.workspaceId, { from, into })),
  )
  await sql`
    insert into contact_aliases (workspace_id, address, contact_id) values (${tenant.workspaceId}, 'PT.1', ${into})`
}

const sentTo = (claimed: readonly ClaimedRecipient[]) => claimed.map(({ waId, address }) => [waId, address])

describe('a claim', () => {
  test('finds a person by any address and sends to the present one', async () => {
    await contact('15571110001', { aliases: ['15571110000', 'PT.1'] })
    await contact('PT.2', { aliases: ['15571110002'] })
    await list('15571110000', '15571110002', 'PT.3', '15571110004')
    assert.deepEqual(sentTo(await drain()), [
      ['15571110000', '15571110001'],
      ['15571110002', 'PT.2'],
      ['PT.3', 'PT.3'],
      ['15571110004', '15571110004'],
    ])
    const [made] = await sql<{ userId: string }[]>`
      select user_id from contacts where workspace_id = ${tenant.workspaceId} and wa_id = 'PT.3'`
    assert.equal(made?.userId, 'PT.3')
    const [row] = await sql<[{ count: number }]>`
      select count(*)::int as count from contacts where workspace_id = ${tenant.workspaceId}`
    assert.equal(row.count, 4)
  })

  test('passes over who has opted out, however they are written to', async () => {
    await contact('15571110001', { optState: 'opted-out', aliases: ['15571110000', 'PT.1', 'PT.ENT.1'] })
    await contact('551188887777', { optState: 'opted-out' })
    await contact('525512345678', { optState: 'opted-out' })
    // The number itself is somebody's too: one of the two has opted out, and both spellings are one number.
    await contact('5215512345678')
    await contact('5491123456789', { optState: 'opted-out', aliases: ['AR.1'] })
    const all = ['15571110000', 'PT.1', 'PT.ENT.1', '5511988887777', '5215512345678', '541123456789', 'AR.1']
    await list(...all)
    assert.deepEqual(await drain(), [])
    assert.deepEqual(await reasons(), Object.fromEntries(all.map((waId) => [waId, 'OPTED_OUT'])))
  })

  test('skips marketing only for who wants none, and authentication for who has no number', async () => {
    await contact('15571110001', { marketing: true, aliases: ['PT.1'] })
    await contact('PT.2', { aliases: ['15571110002'] })
    await list('PT.1', '15571110002', '15571110003')
    const marketing = await category('MARKETING')
    assert.deepEqual(sentTo(await claim(1, marketing)), [])
    const authentication = await category('AUTHENTICATION')
    assert.deepEqual(sentTo(await claim(2, authentication)), [['15571110003', '15571110003']])
    assert.deepEqual(await reasons(), {
      'PT.1': 'MARKETING_OPTED_OUT',
      '15571110002': 'RECIPIENT_NEEDS_PHONE',
      '15571110003': 'QUEUED',
    })
    await list('15571110001')
    assert.deepEqual(sentTo(await claim(1, authentication)), [['15571110001', '15571110001']])
  })

  for (const size of [1, 10])
    test(`of ${size} sends once to a person who is on the list three times`, async () => {
      await contact('15571110001', { aliases: ['15571110000', 'PT.1'] })
      await list('15571110000', 'PT.1', '15571110001')
      assert.deepEqual(sentTo(await drain(size)), [['15571110000', '15571110001']])
      assert.deepEqual(await reasons(), {
        '15571110000': 'QUEUED',
        'PT.1': 'DUPLICATE_PERSON',
        '15571110001': 'DUPLICATE_PERSON',
      })
    })

  for (const size of [1, 10])
    test(`of ${size} sends once to a new number that is on the list in both spellings`, async () => {
      await list('5511988887777', '551188887777', '5491123456789', '541123456789')
      assert.equal((await drain(size)).length, 2)
      assert.deepEqual(await statuses(), { QUEUED: 2, SKIPPED: 2 })
      const [row] = await sql<[{ count: number }]>`
        select count(*)::int as count from contacts where workspace_id = ${tenant.workspaceId}`
      assert.equal(row.count, 2)
    })

  test('by four workers at once sends once to each of 60 people who are on the list under three addresses', async () => {
    const people = Array.from({ length: 60 }, (_, index) => index)
    for (const index of people.slice(0, 30))
      await contact(`1557111${1_000 + index}`, { aliases: [`PT.${index}`, `1557222${1_000 + index}`] })
    const addresses = people.flatMap((index) =>
      index < 30
        ? [`1557111${1_000 + index}`, `PT.${index}`, `1557222${1_000 + index}`]
        : // Nobody knows these yet.
          [`55119${88880000 + index}`, `5511${88880000 + index}`],
    )
    // Neighbours in the list are not the same person, so that the workers have them at the same time.
    await list(...addresses.filter((_, at) => at % 2 === 0), ...addresses.filter((_, at) => at % 2 === 1))
    const claimed = (await Promise.all([drain(7), drain(7), drain(7), drain(7)])).flat()
    assert.equal(claimed.length, 60)
    assert.equal(new Set(claimed.map(({ contactId }) => contactId)).size, 60)
    assert.deepEqual(await statuses(), { QUEUED: 60, SKIPPED: addresses.length - 60 })
  })

  const twins = [
    ['whom a contact has', ['15571110000', 'PT.1']],
    ['whom nobody knows, in two spellings', ['5511988887777', '551188887777']],
  ] as const
  for (const [name, addresses] of twins)
    test(`that comes in the middle of another one waits for it: a person ${name}`, async () => {
      const id = await contact('15571110001', { aliases: ['15571110000', 'PT.1'] })
      await sql`
        insert into conversations (id, workspace_id, number_id, contact_id)
        values (new_uuid(), ${tenant.workspaceId}, ${tenant.numberId}, ${id})`
      await list(...addresses)
      // Both claims touch the conversation or, where it is new, refer to the number: neither can end before these are free.
      const { first, second } = await sql.begin(async (tx) => {
        await tx`select from numbers where id = ${tenant.numberId} for update`
        await tx`select from conversations where workspace_id = ${tenant.workspaceId} for update`
        const first = store.claim(campaign, 1, judge)
        await waiting(1)
        const second = store.claim(campaign, 1, judge)
        await waiting(2)
        return { first, second }
      })
      assert.equal((await first)?.claimed.length, 1)
      assert.deepEqual((await second)?.claimed, [])
      assert.equal((await second)?.picked, 1)
      assert.deepEqual(await statuses(), { QUEUED: 1, SKIPPED: 1 })
    })

  test('is refused by Postgres where the person was sent to', async () => {
    const id = await contact('15571110001')
    await list('15571110001', 'PT.1')
    await claim(1)
    await assert.rejects(
      sql`update recipients set contact_id = ${id} where campaign_id = ${campaign.id} and wa_id = 'PT.1'`,
      /recipients_person/,
    )
  })

  test('sends to a person again in another campaign, and repeats a try of its own', async () => {
    await contact('15571110001', { aliases: ['PT.1'] })
    await list('PT.1')
    const [first] = await claim(1)
    assert.ok(first)
    await finish({ ...first, verdict: again(0, true), failure: null })
    assert.equal((await claim(1))[0]?.attempt, 2)
    const other = await runningCampaign()
    await sql`
      insert into recipients (id, workspace_id, campaign_id, wa_id)
      values (${newId('recipient')}, ${tenant.workspaceId}, ${other.id}, '15571110001')`
    assert.equal((await claim(1, other)).length, 1)
  })

  test('knows who was sent to before two contacts became one', async () => {
    const [from, into] = [await contact('PT.1'), await contact('15571110001')]
    await list('PT.1')
    await claim(1)
    await merge(from, into)
    await list('15571110001')
    assert.deepEqual(await drain(), [])
    assert.deepEqual(await reasons(), { 'PT.1': 'QUEUED', '15571110001': 'DUPLICATE_PERSON' })
  })

  test('knows whom the merge of contacts has passed over, because the recipient was locked', async () => {
    await list('PT.1')
    const [first] = await claim(1)
    assert.ok(first)
    await merge(first.contactId, await contact('15571110001'), (merging) =>
      sql.begin(async (tx) => {
        await tx`select from recipients where campaign_id = ${campaign.id} for update`
        await merging()
      }),
    )
    await list('15571110001')
    assert.deepEqual(await drain(), [])
    assert.deepEqual(await reasons(), { 'PT.1': 'QUEUED', '15571110001': 'DUPLICATE_PERSON' })
  })

  test('of both before they became one hinders no merge', async () => {
    const [from, into] = [await contact('PT.1'), await contact('15571110001')]
    await list('PT.1', '15571110001')
    assert.equal((await claim(2)).length, 2)
    await merge(from, into)
    await moveMerged(sql)
    assert.deepEqual(await statuses(), { QUEUED: 2 })
  })

  for (const size of [1, 10])
    for (const first of ['PT.1', '15571110001'])
      test(`of ${size} sends once where both, first ${first}, wait for another try when they become one`, async () => {
        const [from, into] = [await contact('PT.1'), await contact('15571110001')]
        await list('PT.1', '15571110001')
        const tried = await claim(2)
        await merge(from, into)
        for (const each of tried) await finish({ ...each, verdict: again(0), failure: null })
        await sql`
          update recipients set due_at = '-infinity' where campaign_id = ${campaign.id} and wa_id = ${first}`
        assert.equal((await drain(size)).length, 1)
        assert.deepEqual(await statuses(), { QUEUED: 1, SKIPPED: 1 })
      })

  test('sends to who was tried before, although another address of the person comes first', async () => {
    await contact('15571110001', { aliases: ['PT.1'] })
    await list('15571110001')
    const [first] = await claim(1)
    assert.ok(first)
    await finish({ ...first, verdict: again(0), failure: null })
    await list('PT.1')
    assert.deepEqual(sentTo(await claim(10)), [['15571110001', '15571110001']])
    assert.deepEqual(await reasons(), { '15571110001': 'QUEUED', 'PT.1': 'DUPLICATE_PERSON' })
  })

  test('sends to whom an operator sends again, although another address of the person comes first', async () => {
    await contact('15571110001', { aliases: ['PT.1'] })
    await list('15571110001')
    await claim(1)
    // As by the resend: a new message, for the next claim.
    await sql`
      update recipients set status = 'PENDING', claimed_until = null, message_id = null, due_at = now()
      where campaign_id = ${campaign.id}`
    await list('PT.1')
    assert.deepEqual(sentTo(await claim(10)), [['15571110001', '15571110001']])
  })
})

describe('adding', () => {
  test('skips who has opted out under any address, in a dry run too', async () => {
    await contact('15571110001', { optState: 'opted-out', aliases: ['PT.1'] })
    await contact('551188887777', { optState: 'opted-out' })
    const recipients = createRecipientStore(sql)
    const target = await recipients.target(tenant.workspaceId, campaign.id)
    assert.ok(target)
    const waIds = ['PT.1', '15571110001', '5511988887777', 'PT.2', '15571110002']
    const opted = waIds.slice(0, 3).sort()
    const known = await recipients.known(tenant.workspaceId, campaign.id, waIds)
    assert.deepEqual([...known.skipped].sort(), opted)
    const given = waIds.map((waId) => ({ id: newId('recipient'), waId, variables: {} }))
    const from = campaignOperations.addRecipients
    const added = await recipients.add(tenant.workspaceId, target.campaign, from, given)
    assert.deepEqual([...(added?.skipped ?? [])].sort(), opted)
    assert.deepEqual(await statuses(), { SKIPPED: 3, PENDING: 2 })
  })
})
