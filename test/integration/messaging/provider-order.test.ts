// Updates of the provider that come late, or are posted again long after, undo nothing that it reported later.

import assert from 'node:assert/strict'
import { personAt } from '../../../src/contract/person.ts'
import type { ProviderTemplate, TemplateList } from '../../../src/contract/provider.ts'
import type { InboundMessageUpdate } from '../../../src/contract/provider-updates.ts'
import type { TemplateStatus } from '../../../src/contract/records/catalog.ts'
import { createMessageUpdates } from '../../../src/messaging/apply-message-updates.ts'
import { createCatalogSyncStore } from '../../../src/messaging/store/catalog-sync.store.ts'
import { createTemplateStore } from '../../../src/messaging/store/templates.store.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testConsent, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant, type Tenant } from '../../support/rows.ts'

const sql = testPool(await testDatabase())
const startMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000
const at = (second: number) => new Date(startMs + second * 1_000)
const waId = '15557000001'

const updatesWith = (contacts = testContacts(sql)) =>
  createMessageUpdates({
    store: testMessageStore(sql),
    contacts,
    dispatch: () => undefined,
    clock: systemClock,
    ignored: (type) => assert.fail(type),
    campaignSendFailed: () => undefined,
    consent: testConsent(sql),
  })

const inbound = (tenant: Tenant, second: number, text: string, name = 'Ines'): InboundMessageUpdate => ({
  ...{ type: 'inboundMessage', phoneNumberId: tenant.phoneNumberId, messageType: 'TEXT' },
  ...{ providerMessageId: `wamid.${newId('message')}`, from: personAt(waId, name), at: at(second), text },
  ...{ media: null, details: null },
})

async function contactOf({ workspaceId }: Tenant) {
  const [row] = await sql<{ name: string; optState: string; optChangedAt: Date }[]>`
    select name, opt_state, opt_changed_at from contacts where workspace_id = ${workspaceId}`
  assert.ok(row)
  return row
}

describe('what a contact wrote', () => {
  test('a STOP posted again after the START undoes nothing, and neither does one that comes late', async () => {
    const tenant = await addTenant(sql)
    const updates = updatesWith()
    const stop = inbound(tenant, 10, 'STOP')
    await updates.applyInbound(stop)
    assert.equal((await contactOf(tenant)).optState, 'opted-out')
    await updates.applyInbound(inbound(tenant, 20, 'START'))
    for (const old of [stop, inbound(tenant, 15, 'STOP')]) await updates.applyInbound(old)
    const { optState, optChangedAt } = await contactOf(tenant)
    assert.deepEqual([optState, optChangedAt], ['opted-in', at(20)])
    await updates.applyInbound(inbound(tenant, 20, 'STOP'))
    assert.equal((await contactOf(tenant)).optState, 'opted-out')
  })

  test('a time in the future does not keep the next STOP from counting', async () => {
    const tenant = await addTenant(sql)
    const updates = updatesWith()
    await updates.applyInbound(inbound(tenant, 7_200, 'START'))
    const now = Math.ceil((Date.now() - startMs) / 1_000)
    await updates.applyInbound(inbound(tenant, now + 1, 'STOP'))
    assert.equal((await contactOf(tenant)).optState, 'opted-out')
  })
})

describe('the profile name', () => {
  for (const [what, contacts] of [
    ['a process that knows the contact', testContacts(sql)],
    ['a process that does not', undefined],
  ] as const)
    test(`of an older update is not taken by ${what}`, async () => {
      const tenant = await addTenant(sql)
      const first = contacts ?? testContacts(sql)
      const resolve = (store: typeof first, name: string, second: number) =>
        store.resolveParties({
          phoneNumberId: tenant.phoneNumberId,
          person: personAt(waId, name),
          at: at(second),
        })
      await resolve(first, 'Ines Prado', 20)
      await resolve(contacts ?? testContacts(sql), 'Ines', 10)
      assert.equal((await contactOf(tenant)).name, 'Ines Prado')
      await resolve(testContacts(sql), 'Ines P.', 30)
      assert.equal((await contactOf(tenant)).name, 'Ines P.')
    })
})

describe('a template', () => {
  const catalog = createCatalogSyncStore(sql, { defaultToken: undefined } as never)

  async function scene() {
    const { workspaceId } = await addTenant(sql)
    await sql`update workspaces set waba_id = ${workspaceId} where id = ${workspaceId}`
    const of = { wabaId: workspaceId, name: 'hello', language: 'en_US' }
    return {
      workspaceId,
      status: (status: TemplateStatus, second: number) =>
        catalog.applyTemplateChange({ ...of, type: 'templateStatus', status, reason: null, at: at(second) }),
      category: (category: 'MARKETING' | 'UTILITY', second: number) =>
        catalog.applyTemplateChange({
          ...{ ...of, type: 'templateCategory', category, at: at(second) },
          ...{ previousCategory: null, nextCategory: null, changesAt: null },
        }),
      async stands() {
        const [row] = await sql`select status, category from templates where workspace_id = ${workspaceId}`
        return [row?.['status'], row?.['category']]
      },
    }
  }

  test('keeps the later status and the later category, each by its own time', async () => {
    const template = await scene()
    assert.equal(await template.status('PAUSED', 20), true)
    assert.equal(await template.category('MARKETING', 15), true)
    assert.equal(await template.status('APPROVED', 10), false)
    assert.equal(await template.category('UTILITY', 14), false)
    assert.deepEqual(await template.stands(), ['PAUSED', 'MARKETING'])
    assert.equal(await template.status('APPROVED', 21), true)
    assert.deepEqual(await template.stands(), ['APPROVED', 'MARKETING'])
  })

  const found = (change: Partial<ProviderTemplate> = {}): ProviderTemplate => ({
    ...{ name: 'hello', language: 'en_US', providerTemplateId: '1', components: [], rejectedReason: null },
    category: 'UTILITY',
    parameterFormat: 'POSITIONAL',
    status: 'PAUSED',
    ...change,
  })
  const { upsert } = createTemplateStore(sql)
  const sync = (
    workspaceId: WorkspaceId,
    listed: readonly ProviderTemplate[],
    asOf: Date,
    named?: TemplateList['named'],
  ) => upsert(workspaceId, listed, { asOf, ...(named !== undefined && { named }) })

  test('keeps what a webhook told while the sync read its list, and takes the rest of the list', async () => {
    const template = await scene()
    assert.equal(await template.status('PAUSED', 31), true)
    assert.equal(await template.category('MARKETING', 32), true)
    const components = [{ type: 'BODY', text: 'Hello again' }]
    await sync(template.workspaceId, [found({ status: 'APPROVED', components })], at(30))
    assert.deepEqual(await template.stands(), ['PAUSED', 'MARKETING'])
    const [row] = await sql`select components from templates where workspace_id = ${template.workspaceId}`
    assert.deepEqual(row?.['components'], components)
    // What was told is no newer than the next list.
    await sync(template.workspaceId, [found({ status: 'APPROVED', components })], at(40))
    assert.deepEqual(await template.stands(), ['APPROVED', 'UTILITY'])
  })

  test('that a sync has seen change first still has a change to tell', async () => {
    const template = await scene()
    await sync(template.workspaceId, [found({ category: 'MARKETING' })], at(32))
    assert.equal(await template.status('PAUSED', 30), true)
    assert.equal(await template.category('MARKETING', 30), true)
    // It is as the sync has found it, and so is its time.
    assert.equal(await template.status('APPROVED', 31), false)
    assert.equal(await template.category('UTILITY', 31), false)
    assert.deepEqual(await template.stands(), ['PAUSED', 'MARKETING'])
  })

  test('as a sync found it is not undone by a webhook from before', async () => {
    const template = await scene()
    await sync(template.workspaceId, [found()], at(30))
    assert.equal(await template.status('APPROVED', 29), false)
    // The times of webhooks are whole seconds: one of the same second may be later.
    assert.equal(await template.status('APPROVED', 30), true)
  })

  test('as a list has confirmed it is not undone by a webhook from before, and is not shown as changed', async () => {
    const template = await scene()
    const lists = async (hour: number) => {
      await sync(template.workspaceId, [found({ status: 'APPROVED' })], at(hour * 3_600))
      const [row] =
        await sql`select xmin, updated_at from templates where workspace_id = ${template.workspaceId}`
      return row
    }
    const first = await lists(-2)
    assert.deepEqual(await lists(-1), first)
    assert.equal(await template.status('PAUSED', -3_601), false)
    assert.equal(await template.category('MARKETING', -3_601), false)
    assert.deepEqual(await template.stands(), ['APPROVED', 'UTILITY'])
    assert.equal(await template.status('PAUSED', -3_600), true)
  })

  test('is as the list that was asked for last has it, whichever is written last', async () => {
    const template = await scene()
    const listed = (text: string, second: number) =>
      sync(template.workspaceId, [found({ components: [{ type: 'BODY', text }] })], at(second))
    await listed('new', 31)
    await listed('old', 30)
    const [row] = await sql`select components from templates where workspace_id = ${template.workspaceId}`
    assert.equal(row?.['components'][0].text, 'new')
  })

  test('that a list does not have any more is deleted, however late that is told', async () => {
    const template = await scene()
    await sync(template.workspaceId, [], at(30))
    assert.equal(await template.status('DELETED', 20), true)
    assert.deepEqual((await template.stands())[0], 'DELETED')
  })

  test('that a later list does not name is deleted, unless that list is empty, or it was told of just before', async () => {
    const template = await scene()
    const told = (second: number) =>
      sql`update templates set updated_at = ${at(second)} where workspace_id = ${template.workspaceId}`
    const after = async (second: number, named: TemplateList['named']) => {
      await sync(template.workspaceId, [], at(second), named)
      return (await template.stands())[0]
    }
    const other = { name: 'hello', language: 'de' }
    const own = { name: 'hello', language: 'en_US' }
    await told(1)
    assert.equal(await after(1_000, null), 'APPROVED')
    assert.equal(await after(1_001, []), 'APPROVED')
    assert.equal(await after(1_002, [other, own]), 'APPROVED')
    await told(500)
    assert.equal(await after(1_003, [other]), 'APPROVED')
    await told(1)
    // Older than the last list.
    assert.equal(await after(1_001, [other]), 'APPROVED')
    assert.equal(await after(1_004, [other]), 'DELETED')
    assert.equal(await template.status('APPROVED', 1_000), false)
    await sync(template.workspaceId, [found({ status: 'APPROVED' })], at(1_005), [own])
    assert.equal((await template.stands())[0], 'APPROVED')
  })

  test('keeps what a webhook told in the second in which the list was asked for', async () => {
    const template = await scene()
    assert.equal(await template.status('PAUSED', 30), true)
    assert.equal(await template.category('MARKETING', 30), true)
    const asked = (afterMs: number) => new Date(at(30).getTime() + afterMs)
    await sync(template.workspaceId, [found({ status: 'APPROVED' })], asked(400))
    assert.deepEqual(await template.stands(), ['PAUSED', 'MARKETING'])
    await sync(template.workspaceId, [found({ status: 'APPROVED' })], asked(1000))
    assert.deepEqual(await template.stands(), ['APPROVED', 'UTILITY'])
    assert.equal(await template.status('PAUSED', 31), true)
  })
})
