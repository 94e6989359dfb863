// What came for a number before it was known here is applied once the number is.
import assert from 'node:assert/strict'
import type { ProviderNumber } from '../../../../src/contract/provider.ts'
import { createCatalogSyncStore } from '../../../../src/messaging/store/catalog-sync.store.ts'
import { createDueNumbersStore } from '../../../../src/messaging/store/due-numbers.store.ts'
import { ElementFailed } from '../../../../src/provider/incoming/apply-again.ts'
import { applyForNumber } from '../../../../src/provider/incoming/apply-for-number.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { newId } from '../../../../src/shared/ids.ts'
import { beforeEach, describe, test } from '../../../support/harness.ts'
import { testAccounts } from '../../../support/message-store.ts'
import { addTenant, type Tenant } from '../../../support/rows.ts'
import { openKept, wabaId } from './kept-world.ts'

const { deliver, postHere, sql, store, unknown } = await openKept()
const catalog = createCatalogSyncStore(sql, testAccounts)
const numbers = createDueNumbersStore(sql)
const { signal } = new AbortController()

const apply = (post = postHere) =>
  applyForNumber({ numbers, store, post, clock: systemClock, log: { info: () => undefined } }, signal)

const line = (phoneNumberId: string, number: string): ProviderNumber => ({
  ...{ phoneNumberId, number, displayName: 'Line', status: 'CONNECTED' },
  ...{ qualityRating: 'GREEN', messagesPerSecond: 80 },
})

const write = (phoneNumberId: string) =>
  deliver({
    field: 'messages',
    value: {
      messaging_product: 'whatsapp',
      metadata: { phone_number_id: phoneNumberId },
      messages: [
        {
          ...{ id: `wamid.${newId('message')}`, from: '351910000077', type: 'text', text: { body: 'Hi' } },
          timestamp: String(Math.floor(Date.now() / 1_000)),
        },
      ],
    },
  })

const messagesOf = async ({ workspaceId }: Tenant) =>
  (await sql`select from messages where workspace_id = ${workspaceId}`).count

/** As after its twenty seconds, or after the ten minutes for which a process has it. */
const passes = () => sql`update numbers set elements_due_at = now() where elements_due_at is not null`

describe('what came for a number before it was known', () => {
  beforeEach(async () => {
    await sql`update numbers set elements_due_at = null`
  })

  for (const isKnown of [false, true])
    test(`is applied once it is ${isKnown ? 'found under its new id' : 'found'}`, async () => {
      const tenant = await addTenant(sql)
      const phoneNumberId = `pn-${newId('number')}`
      const number = isKnown ? tenant.number : `+1777${Date.now()}`
      unknown.length = 0
      await write(phoneNumberId)
      await write(`pn-${newId('number')}`)
      assert.deepEqual(unknown, [wabaId, wabaId])
      assert.equal(await apply(), false)
      await catalog.upsertNumbers(tenant.workspaceId, [line(phoneNumberId, number)])
      assert.equal(await apply(), false, 'a webhook may still be keeping an element')
      await passes()
      assert.deepEqual((await Promise.all([apply(), apply()])).sort(), [false, true])
      assert.equal(await messagesOf(tenant), 1)
      // Nothing is due: neither after a while nor when the number is listed again.
      await passes()
      await catalog.upsertNumbers(tenant.workspaceId, [{ ...line(phoneNumberId, number), status: 'FLAGGED' }])
      await passes()
      assert.equal(await apply(), false)
    })

  test('stays due while it cannot be applied', async () => {
    const tenant = await addTenant(sql)
    const phoneNumberId = `pn-${newId('number')}`
    await write(phoneNumberId)
    await catalog.upsertNumbers(tenant.workspaceId, [line(phoneNumberId, tenant.number)])
    await passes()
    assert.equal(await apply(() => Promise.reject(new ElementFailed('no database'))), true)
    assert.equal(await apply(), false, 'not at once')
    await passes()
    assert.equal(await apply(), true)
    assert.equal(await messagesOf(tenant), 1)
  })
})
