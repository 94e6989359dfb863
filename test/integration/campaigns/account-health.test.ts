// What the provider reports about an account: stored by its time, told to endpoints, and obeyed.
import assert from 'node:assert/strict'
import { beginScheduled, type RunPorts, startCampaign } from '../../../src/campaigns/run-campaign.ts'
import { createOutlookReader } from '../../../src/campaigns/store/campaign-outlook.store.ts'
import { campaignsHalted } from '../../../src/campaigns/store/campaigns-halted.ts'
import { createCampaignReader } from '../../../src/campaigns/store/campaigns-read.store.ts'
import type { WrittenDelivery } from '../../../src/contract/dispatch.ts'
import { createAccountHealth } from '../../../src/messaging/account-health.ts'
import { createAccountHealthStore } from '../../../src/messaging/store/account-health.store.ts'
import { parseWebhook } from '../../../src/provider/incoming/parse.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { addEndpoint, addTenant } from '../../support/rows.ts'
import { addRecipients, campaign, life, newCampaignForEachTest, sql, tenant } from './sending-world.ts'

newCampaignForEachTest()

const accountStore = createAccountHealthStore(sql)
const dispatched: WrittenDelivery[] = []
const applied: Promise<unknown>[] = []
const health = createAccountHealth({
  apply(report) {
    const work = accountStore.apply(report, new Date(), campaignsHalted)
    applied.push(work)
    return work
  },
  limitOf: accountStore.limitOf,
  dispatch: (deliveries) => dispatched.push(...deliveries),
  clock: systemClock,
  log: { info: () => undefined, warn: () => undefined },
})
const ports: RunPorts = {
  ...{ life, rateLimit: { fence: async () => undefined }, clock: systemClock },
  queue: { wake: () => undefined, beginAt: () => undefined },
}
const start = startCampaign(ports)

const seconds = (ms: number) => Math.floor(ms / 1_000)
const hour = 3_600
const now = seconds(Date.now())

/** The account of the tenant gets an id of its own, which other workspaces may share. */
async function connect(workspaceIds: readonly WorkspaceId[] = [tenant.workspaceId]): Promise<string> {
  const wabaId = String(BigInt(`0x${tenant.workspaceId.slice(-12)}`))
  await sql`update workspaces set waba_id = ${wabaId} where id = any(${[...workspaceIds]}::uuid[])`
  return wabaId
}

/** Parses and applies the webhook; true where a workspace has the account. */
async function receive(wabaId: string, field: string, value: object, time = now - 60): Promise<boolean> {
  const entry = [{ id: wabaId, time, changes: [{ field, value }] }]
  const { updates } = parseWebhook({ object: 'whatsapp_business_account', entry }, new Date())
  const [update] = updates
  assert.ok(update?.type === 'accountUpdate')
  return health.applyUpdate(update)
}

const restricted = (type: string, expiration?: number) => ({
  event: 'ACCOUNT_RESTRICTION',
  restriction_info: [{ restriction_type: `RESTRICTED_${type}`, ...(expiration && { expiration }) }],
})

const states = async (workspaceId = tenant.workspaceId) =>
  (await accountStore.states(workspaceId)).map(({ topic, status }) => `${topic} ${status}`)

const record = async (id = campaign.id) =>
  (await createCampaignReader(sql).find(tenant.workspaceId, id)) ?? assert.fail()

const eventsOf = async (workspaceId: WorkspaceId) => {
  const rows = await sql<{ body: Buffer }[]>`
    select body from events where workspace_id = ${workspaceId} and kind = 'account.updated' order by id`
  return rows.map(
    ({ body }) => JSON.parse(body.toString()) as { event: string; data: Record<string, unknown> },
  )
}

describe('a report', () => {
  test('reaches every workspace of the account, each with its event, and no other workspace', async () => {
    const [sibling, stranger] = [await addTenant(sql), await addTenant(sql)]
    const wabaId = await connect([tenant.workspaceId, sibling.workspaceId])
    for (const { workspaceId } of [tenant, sibling, stranger])
      await addEndpoint(sql, workspaceId, { events: ['account.updated'] })
    await addEndpoint(sql, tenant.workspaceId, { events: ['message.received'] })
    dispatched.length = 0
    assert.equal(await receive(wabaId, 'account_review_update', { decision: 'APPROVED' }), true)
    assert.equal(dispatched.length, 2)
    for (const { workspaceId } of [tenant, sibling]) {
      assert.deepEqual(await states(workspaceId), ['REVIEW APPROVED'])
      const [{ event, data }] = (await eventsOf(workspaceId)) as [never]
      assert.equal(event, 'account.updated')
      const { updateId, message, ...rest } = data as Record<string, unknown>
      assert.match(String(updateId), /^acu_/)
      assert.match(String(message), /APPROVED/)
      assert.deepEqual(rest, {
        ...{ wabaId, topic: 'REVIEW', status: 'APPROVED', severity: 'INFO', number: null, template: null },
        ...{ advice: null, occurredAt: new Date((now - 60) * 1_000).toISOString(), until: null },
        details: { decision: 'APPROVED' },
      })
    }
    assert.deepEqual(await states(stranger.workspaceId), [])
    assert.deepEqual(await eventsOf(stranger.workspaceId), [])
    assert.equal(await receive('999999999999', 'account_review_update', { decision: 'APPROVED' }), false)
  })

  test('about a template whose name and language are so long that they are cut within a character', async () => {
    const report = {
      ...{ new_quality_score: 'RED', message_template_name: 'x'.repeat(512) },
      message_template_language: `${'y'.repeat(86)}🙂`,
    }
    assert.equal(await receive(await connect(), 'message_template_quality_update', report), true)
    assert.deepEqual(await states(), ['TEMPLATE_QUALITY RED'])
  })

  test('that is repeated, also at once in several processes, makes one event', async () => {
    await addEndpoint(sql, tenant.workspaceId, { events: ['account.updated'] })
    const wabaId = await connect()
    const again = () => receive(wabaId, 'account_review_update', { decision: 'PENDING' })
    await Promise.all([again(), again(), again()])
    assert.equal(await again(), true)
    assert.equal((await eventsOf(tenant.workspaceId)).length, 1)
  })

  test('that is older takes the place of no newer one, and makes no event', async () => {
    await addEndpoint(sql, tenant.workspaceId, { events: ['account.updated'] })
    const wabaId = await connect()
    const limit = (tier: string, time: number) =>
      receive(wabaId, 'business_capability_update', { max_daily_conversations_per_business: tier }, time)
    await limit('TIER_2K', now - 100)
    await limit('TIER_250', now - 200)
    assert.deepEqual(await states(), ['MESSAGING_LIMIT TIER_2K'])
    assert.equal((await eventsOf(tenant.workspaceId)).length, 1)
    await limit('TIER_10K', now - 50)
    assert.deepEqual(await states(), ['MESSAGING_LIMIT TIER_10K'])
  })

  test('ends at its time', async () => {
    const wabaId = await connect()
    await receive(wabaId, 'account_update', restricted('BIZ_INITIATED_MESSAGING', now - 10))
    assert.deepEqual(await states(), [])
    assert.equal((await record()).status, 'RUNNING')
  })
})

describe('a restriction', () => {
  test('of starting conversations pauses the campaigns, and refuses their start until it ends', async () => {
    const wabaId = await connect()
    await addRecipients(campaign.id, 1)
    await receive(wabaId, 'account_update', restricted('BIZ_INITIATED_MESSAGING', now + hour))
    const { status, pauseReason, pauseError } = await record()
    assert.deepEqual([status, pauseReason], ['PAUSED', 'ACCOUNT_RESTRICTED'])
    assert.equal(pauseError?.code, 'RESTRICTED_BIZ_INITIATED_MESSAGING')
    await assert.rejects(start(tenant.workspaceId, campaign.id), { code: 'ACCOUNT_RESTRICTED' })
    const outlook = await createOutlookReader(sql)(tenant.workspaceId, campaign.id)
    assert.match(outlook?.stopped?.message ?? '', /restricts/)
    await sql`update account_states set until = now() - interval '1 second' where workspace_id = ${tenant.workspaceId}`
    assert.equal((await start(tenant.workspaceId, campaign.id)).status, 'RUNNING')
  })

  test('of calls or of other templates pauses no campaign', async () => {
    const wabaId = await connect()
    await sql`update templates set category = 'MARKETING' where workspace_id = ${tenant.workspaceId}`
    for (const type of ['BUSINESS_INITIATED_CALLING', 'UTILITY_TEMPLATES', 'CUSTOMER_INITIATED_MESSAGING'])
      await receive(wabaId, 'account_update', restricted(type, now + hour))
    assert.equal((await record()).status, 'RUNNING')
    await sql`update templates set category = 'UTILITY' where workspace_id = ${tenant.workspaceId}`
    await receive(wabaId, 'account_update', restricted('UTILITY_TEMPLATES', now + hour), now - 30)
    assert.equal((await record()).status, 'PAUSED')
  })

  test('keeps a schedule from beginning', async () => {
    const wabaId = await connect()
    await addRecipients(campaign.id, 1)
    await sql`update campaigns set status = 'SCHEDULED', start_at = now() - interval '1 second' where id = ${campaign.id}`
    await receive(wabaId, 'account_update', restricted('BIZ_INITIATED_MESSAGING'))
    assert.equal((await record()).status, 'SCHEDULED')
    await beginScheduled(ports)(campaign.id)
    const { status, pauseReason } = await record()
    assert.deepEqual([status, pauseReason], ['PAUSED', 'ACCOUNT_RESTRICTED'])
  })

  const ban = (state: string) => ({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: state } })

  test('that is told after the account was enabled again, and began before it, does not begin', async () => {
    const wabaId = await connect()
    await addRecipients(campaign.id, 1)
    await receive(wabaId, 'account_update', ban('REINSTATE'), now - 80)
    await receive(wabaId, 'account_update', restricted('BIZ_INITIATED_MESSAGING', now + hour), now - 100)
    assert.deepEqual(await states(), ['BAN REINSTATE'])
    // A later state takes the place of the one that says so.
    await receive(wabaId, 'account_update', ban('SCHEDULE_FOR_DISABLE'), now - 70)
    await receive(wabaId, 'account_update', restricted('BIZ_INITIATED_MESSAGING', now + hour), now - 90)
    assert.deepEqual(await states(), ['BAN SCHEDULE_FOR_DISABLE'])
    assert.equal((await record()).status, 'RUNNING')
    await receive(wabaId, 'account_update', restricted('BIZ_INITIATED_MESSAGING', now + hour), now - 60)
    assert.equal((await record()).status, 'PAUSED')
  })

  test('is over when the account is enabled again', async () => {
    const wabaId = await connect()
    await addRecipients(campaign.id, 1)
    await receive(wabaId, 'account_update', restricted('BIZ_INITIATED_MESSAGING', now + hour), now - 100)
    await receive(wabaId, 'account_update', ban('DISABLE'), now - 90)
    assert.equal((await record()).status, 'PAUSED')
    await receive(wabaId, 'account_update', ban('REINSTATE'), now - 80)
    assert.deepEqual(await states(), ['BAN REINSTATE'])
    assert.equal((await record()).status, 'PAUSED', 'a person resumes it')
    assert.equal((await start(tenant.workspaceId, campaign.id)).status, 'RUNNING')
  })

  test('of one account stops no campaign of another', async () => {
    const other = await addTenant(sql)
    const wabaId = String(BigInt(`0x${other.workspaceId.slice(-12)}`))
    await sql`update workspaces set waba_id = ${wabaId} where id = ${other.workspaceId}`
    await connect()
    await receive(wabaId, 'account_update', { event: 'ACCOUNT_DELETED' })
    assert.equal((await record()).status, 'RUNNING')
  })
})

test('the estimate knows the limit of the provider, and who was written to within a day', async () => {
  const wabaId = await connect()
  await addRecipients(campaign.id, 5)
  const limit = { max_daily_conversations_per_business: 'TIER_50' }
  await receive(wabaId, 'business_capability_update', limit)
  for (const status of ['SENT', 'READ', 'FAILED'])
    await sql`
      with person as (
        insert into contacts (id, workspace_id, wa_id) values (new_uuid(), ${tenant.workspaceId}, ${newId('message')})
        returning id
      ),
      thread as (
        insert into conversations (id, workspace_id, number_id, contact_id)
        select new_uuid(), ${tenant.workspaceId}, ${tenant.numberId}, id from person
        returning id, contact_id
      )
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status)
      select new_uuid(), ${tenant.workspaceId}, id, ${tenant.numberId}, contact_id, 'OUTBOUND', 'TEMPLATE', ${status}
      from thread`
  const outlook = await createOutlookReader(sql)(tenant.workspaceId, campaign.id)
  assert.deepEqual(outlook?.number?.messagingLimit, { customers: 50, used: 2 })
})

test('a limit that is read with the numbers is stored, and told where it changes', async () => {
  await addEndpoint(sql, tenant.workspaceId, { events: ['account.updated'] })
  const reads = async (word: string) => {
    for (let round = 0; round < 3; round += 1) await health.limitRead(tenant.workspaceId, word, new Date())
  }
  await reads('TIER_2K')
  assert.deepEqual(await states(), ['MESSAGING_LIMIT TIER_2K'])
  assert.deepEqual(await eventsOf(tenant.workspaceId), [])
  await reads('TIER_10K')
  assert.deepEqual(await states(), ['MESSAGING_LIMIT TIER_10K'])
  assert.equal((await eventsOf(tenant.workspaceId)).length, 1)
})

test('a change of a template is told', async () => {
  await addEndpoint(sql, tenant.workspaceId, { events: ['account.updated'] })
  const wabaId = await connect()
  const of = { wabaId, name: 'hello', language: 'en_US', at: new Date() }
  await health.templateChanged({ ...of, type: 'templateStatus', status: 'PAUSED', reason: 'FIRST_PAUSE' })
  await health.templateChanged({
    ...{ ...of, type: 'templateCategory', category: 'UTILITY', previousCategory: null },
    ...{ nextCategory: 'MARKETING', changesAt: new Date((now + hour) * 1_000) },
  })
  const told = (await eventsOf(tenant.workspaceId)).map(({ data }) => [data['topic'], data['status']])
  assert.deepEqual(told, [
    ['TEMPLATE_STATUS', 'PAUSED'],
    ['TEMPLATE_CATEGORY', 'IMPENDING'],
  ])
})

test('a problem with the payment that a send meets is told once, and by no other error', async () => {
  await addEndpoint(sql, tenant.workspaceId, { events: ['account.updated'] })
  const meets = async (code: string) => {
    health.sendFailed(tenant.workspaceId, { code, title: 'Business eligibility payment issue' })
    await Promise.all(applied)
  }
  await meets('131026')
  assert.deepEqual(await states(), [])
  for (const code of ['131042', '131042', '131044']) await meets(code)
  assert.deepEqual(await states(), ['PAYMENT 131042'])
  const [first, ...others] = await eventsOf(tenant.workspaceId)
  assert.deepEqual([first?.data['topic'], first?.data['severity'], others], ['PAYMENT', 'CRITICAL', []])
})
