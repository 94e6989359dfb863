// Marketing opt-outs: by the person's choice, by the provider's refusal, across the addresses of a person.
import assert from 'node:assert/strict'
import { type Person, personAt } from '../../../src/contract/person.ts'
import type { ReportedError, UserPreferenceUpdate } from '../../../src/contract/provider-updates.ts'
import { createMessageUpdates } from '../../../src/messaging/apply-message-updates.ts'
import { createAttemptSend } from '../../../src/messaging/attempt-send.ts'
import { createConversationReader } from '../../../src/messaging/store/conversations-read.store.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { startOf, testConsent, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addEndpoint, addTenant, type Tenant } from '../../support/rows.ts'

const sql = testPool(await testDatabase())
const store = testMessageStore(sql)
const contacts = testContacts(sql)
const ignored: string[] = []
const consent = testConsent(sql, { contacts, ignored: (type) => ignored.push(type) })
const updates = createMessageUpdates({
  ...{ store, contacts, consent, clock: systemClock, dispatch: () => undefined },
  ...{ ignored: (type: string) => ignored.push(type), campaignSendFailed: () => undefined },
})

const startMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000
const at = (second: number) => new Date(startMs + second * 1_000)

const choose = (
  tenant: Tenant,
  value: 'stop' | 'resume',
  second: number,
  person: Person = personAt('15557000001'),
): UserPreferenceUpdate => ({
  ...{ type: 'userPreference', phoneNumberId: tenant.phoneNumberId, category: 'marketing_messages' },
  ...{ person, value, at: at(second) },
})

const optOutOf = async (tenant: Tenant, address = '15557000001'): Promise<boolean> => {
  const context = await store.sendContext({
    ...{ workspaceId: tenant.workspaceId, address, from: null, idempotencyKey: null },
    ...{ templateName: 'hello', templateLanguage: 'en_US' },
  })
  assert.equal(context.optedOut, false)
  return context.marketingOptedOut
}

const eventsOf = async ({ workspaceId }: Tenant) => {
  const rows = await sql<{ body: Buffer; key: string }[]>`
    select body, key from events where workspace_id = ${workspaceId} and kind = 'contact.updated' order by id`
  return rows.map(({ body }) => JSON.parse(body.toString()).data)
}

const auditOf = async ({ workspaceId }: Tenant) => {
  const rows = await sql<{ after: { marketingOptedOut: boolean; source: string } }[]>`
    select after from audit where workspace_id = ${workspaceId} and action = 'contact.marketing_changed' order by id`
  return rows.map(({ after }) => [after.marketingOptedOut, after.source])
}

async function listening(): Promise<Tenant> {
  const tenant = await addTenant(sql)
  await addEndpoint(sql, tenant.workspaceId, { events: ['contact.updated'] })
  return tenant
}

describe("a person's choice about marketing", () => {
  test('is kept, told once with an audit entry, shown, and ended by resume', async () => {
    const tenant = await listening()
    const person = { ...personAt('15557000001', 'Ines'), userId: 'PT.1', username: 'ines.p' }
    await updates.applyPreference(choose(tenant, 'stop', 0, person))
    await updates.applyPreference(choose(tenant, 'stop', 1, person))
    assert.equal(await optOutOf(tenant), true)
    const reader = createConversationReader(sql)
    const page = await reader.list(tenant.workspaceId, {}, { limit: 10, after: undefined })
    assert.equal(page.data[0]?.contact.marketingOptedOut, true)
    assert.equal(page.data[0]?.contact.optedOut, false)
    const told = await eventsOf(tenant)
    assert.deepEqual(told, [
      {
        ...{ conversationId: page.data[0]?.id, from: '15557000001', userId: 'PT.1', username: 'ines.p' },
        ...{ marketingOptedOut: true, source: 'preference', occurredAt: at(0).toISOString() },
      },
    ])
    await updates.applyPreference(choose(tenant, 'resume', 2, person))
    assert.equal(await optOutOf(tenant), false)
    assert.equal((await eventsOf(tenant))[1]?.marketingOptedOut, false)
    assert.deepEqual(await auditOf(tenant), [
      [true, 'preference'],
      [false, 'preference'],
    ])
  })

  test('counts if it is the latest by the time of the provider, in whichever order they come', async () => {
    const turns = [choose, choose, choose].map(
      (make, index) => (tenant: Tenant) => make(tenant, index === 1 ? 'resume' : 'stop', index * 10),
    )
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]
    for (const order of orders) {
      const tenant = await listening()
      for (const turn of order) {
        const update = turns[turn]?.(tenant) ?? assert.fail()
        await updates.applyPreference(update)
        await updates.applyPreference(update)
      }
      assert.equal(await optOutOf(tenant), true, order.join())
      const told = await eventsOf(tenant)
      assert.equal(told.at(-1)?.marketingOptedOut, true, order.join())
    }
  })

  test('of ten at once is told once', async () => {
    const tenant = await listening()
    await Promise.all(Array.from({ length: 10 }, () => updates.applyPreference(choose(tenant, 'stop', 0))))
    assert.equal((await eventsOf(tenant)).length, 1)
    assert.equal((await auditOf(tenant)).length, 1)
  })

  test('with a time that is ahead makes no later choice look old', async () => {
    const tenant = await listening()
    await updates.applyPreference({ ...choose(tenant, 'stop', 0), at: new Date(Date.now() + 3_600_000) })
    await updates.applyPreference({ ...choose(tenant, 'resume', 0), at: new Date(Date.now() + 1_000) })
    assert.equal(await optOutOf(tenant), false)
  })

  test('about something else, or for a number of nobody, changes nothing and is counted', async () => {
    const tenant = await listening()
    ignored.length = 0
    await updates.applyPreference({ ...choose(tenant, 'stop', 0), category: 'calls' })
    await updates.applyPreference({ ...choose(tenant, 'stop', 0), phoneNumberId: 'none' })
    assert.deepEqual(ignored, ['userPreference', 'userPreference'])
    assert.equal(await optOutOf(tenant), false)
  })

  test('holds for every address of the person, and in other spellings of the number', async () => {
    const tenant = await listening()
    const both = { ...personAt('5511988887777'), userId: 'BR.1', parentUserId: 'BR.ENT.1' }
    await updates.applyPreference(choose(tenant, 'stop', 0, { ...both, phone: null }))
    assert.equal(await optOutOf(tenant, 'BR.1'), true)
    assert.equal(await optOutOf(tenant, '5511988887777'), false)
    // Now the element of a message names both.
    await contacts.resolveParties({ phoneNumberId: tenant.phoneNumberId, person: both })
    for (const address of ['BR.1', 'BR.ENT.1', '5511988887777', '551188887777'])
      assert.equal(await optOutOf(tenant, address), true, address)
  })

  const [phone, id] = [personAt('15557000001'), personAt('PT.1')]
  const optOutsOf = (tenant: Tenant) =>
    Promise.all(['15557000001', 'PT.1'].map((address) => optOutOf(tenant, address)))

  for (const [name, stopped, other] of [
    ['number', phone, id],
    ['user id', id, phone],
  ] as const)
    test(`is kept when two contacts become one, if the one of the ${name} has stopped`, async () => {
      const tenant = await listening()
      const { phoneNumberId } = tenant
      for (const person of [phone, id]) await contacts.resolveParties({ phoneNumberId, person })
      await updates.applyPreference(choose(tenant, 'stop', 0, stopped))
      await contacts.resolveParties({ phoneNumberId, person: { ...phone, userId: 'PT.1' } })
      assert.deepEqual(await optOutsOf(tenant), [true, true])
      // A process that remembers the contact that is gone finds the other.
      await updates.applyPreference(choose(tenant, 'resume', 1, other))
      assert.deepEqual(await optOutsOf(tenant), [false, false])
    })

  test('goes on for whoever has a number now that was taken from somebody else', async () => {
    const tenant = await listening()
    const was = { ...personAt('15557000001'), userId: 'PT.1' }
    await updates.applyPreference(choose(tenant, 'stop', 0, was))
    await contacts.resolveParties({
      phoneNumberId: tenant.phoneNumberId,
      person: { ...personAt('15557000001'), userId: 'PT.2' },
    })
    for (const address of ['PT.1', 'PT.2', '15557000001']) assert.equal(await optOutOf(tenant, address), true)
  })
})

const refused: ReportedError = {
  ...{ code: '131050', title: 'User stopped marketing', details: null, class: 'optedOut' },
}

async function sentMessage(tenant: Tenant) {
  const parties = await contacts.partiesOf(tenant, { person: personAt('15557000001') })
  const message = {
    ...parties,
    ...{ id: newId('message'), workspaceId: tenant.workspaceId, numberId: tenant.numberId, text: 'Hello' },
    ...{ template: { name: 'hello', language: 'en_US', variables: {} }, metadata: {}, keyId: null },
    ...{ idempotencyKey: null, idempotencyHash: null, createdAt: new Date() },
  }
  assert.ok(await store.insertOutbound(message))
  const attempt = (await store.startSending(startOf(message.id))) ?? assert.fail()
  return { ...message, attempt }
}

describe("the provider's refusal of marketing", () => {
  test('in a failed status opts the person out', async () => {
    const tenant = await listening()
    const message = await sentMessage(tenant)
    const status = {
      ...({
        type: 'messageStatus',
        phoneNumberId: tenant.phoneNumberId,
        providerMessageId: 'wamid.1',
      } as const),
      ...({ status: 'FAILED', at: at(0), opaque: encodeId('message', message.id), recipient: null } as const),
    }
    await updates.applyStatus({ ...status, error: { ...refused, code: '131026', class: 'permanent' } })
    assert.equal(await optOutOf(tenant), false)
    // A repeat moves no status, and is noted all the same: the first may have come when Postgres was away.
    await updates.applyStatus({ ...status, error: refused })
    assert.equal(await optOutOf(tenant), true)
    const [told] = await eventsOf(tenant)
    assert.deepEqual([told?.source, told?.occurredAt], ['refusal', at(0).toISOString()])
  })

  test('of the request opts the person out, until a later resume', async () => {
    const tenant = await listening()
    const { id: messageId, conversationId, attempt, template } = await sentMessage(tenant)
    const attemptSend = createAttemptSend({
      ...{ finishSend: store.finishSend, consent, clock: systemClock, dispatch: () => undefined },
      ...{ learn: contacts.learn, log: { warn: (fields: unknown) => assert.fail(JSON.stringify(fields)) } },
      templates: { providerComponents: () => [] },
      provider: {
        sendMessage: () => assert.fail('it is a template'),
        sendTemplate: async () => ({
          type: 'refused',
          error: { ...refused, httpStatus: 400, retryAfterMs: null },
        }),
      },
    })
    const verdict = await attemptSend({
      ...{
        messageId,
        conversationId,
        recipientId: null,
        attempt,
        template,
        variables: {},
        tries: 0,
        by: 'single',
        to: '15557000001',
      },
      account: {
        workspaceId: tenant.workspaceId,
        phoneNumberId: tenant.phoneNumberId,
        wabaId: null,
        accessToken: '',
      },
      definition: {
        status: 'APPROVED',
        category: 'MARKETING',
        parameterFormat: 'POSITIONAL',
        components: [],
      },
    })
    assert.equal(verdict.type, 'failed')
    assert.equal(await optOutOf(tenant), true)
    assert.equal((await eventsOf(tenant))[0]?.source, 'refusal')
    await updates.applyPreference({ ...choose(tenant, 'resume', 0), at: new Date(Date.now() + 1_000) })
    assert.equal(await optOutOf(tenant), false)
  })
})
