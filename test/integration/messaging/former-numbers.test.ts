// Who goes back to a number that they had before is written to there, whatever each process remembers.
import assert from 'node:assert/strict'
import { type Person, personAt } from '../../../src/contract/person.ts'
import { createMessageUpdates } from '../../../src/messaging/apply-message-updates.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { test } from '../../support/harness.ts'
import { testConsent, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant } from '../../support/rows.ts'

const sql = testPool(await testDatabase())

/** A gateway with a memory of its own. */
function gateway() {
  const contacts = testContacts(sql)
  const updates = createMessageUpdates({
    ...{ store: testMessageStore(sql), contacts, consent: testConsent(sql), clock: systemClock },
    dispatch: () => undefined,
    ignored: (type) => assert.fail(type),
    campaignSendFailed: () => undefined,
  })
  return { contacts, updates }
}

const beganMs = Date.now() - 3_600_000
const at = (second: number) => new Date(beganMs + second * 1_000)

for (const memory of ['writes and sends remember', 'nobody remembers'] as const)
  test(`a person who goes back to a former number is written to there, where ${memory}`, async () => {
    const tenant = await addTenant(sql)
    const { phoneNumberId } = tenant
    const [first, second] = ['351910000077', '351910000078']
    let { contacts, updates } = gateway()
    const forget = () => {
      if (memory === 'nobody remembers') ({ contacts, updates } = gateway())
    }
    const says = async (from: Person, time: number) => {
      forget()
      const message = { messageType: 'TEXT', text: 'Hi', media: null, details: null } as const
      const providerMessageId = `wamid.${newId('message')}`
      const update = { type: 'inboundMessage', phoneNumberId, providerMessageId, ...message } as const
      assert.equal(await updates.applyInbound({ ...update, from, at: at(time) }), 'applied')
    }
    const address = async () => {
      const rows = await sql<{ waId: string }[]>`
        select wa_id from contacts where workspace_id = ${tenant.workspaceId} and erased_at is null`
      return rows.map(({ waId }) => waId)
    }
    await says(personAt(first), 1)
    // Another process is told.
    await gateway().updates.applyIdentityChange({
      ...{ type: 'identityChange', phoneNumberId, person: personAt(second), before: [first], at: at(10) },
    })
    await says(personAt(first), 9)
    await says(personAt(second), 11)
    assert.deepEqual(await address(), [second])
    forget()
    const sent = await contacts.partiesOf(tenant, { person: personAt(first), isFresh: true })
    assert.deepEqual([sent.address, await address()], [second, [second]], 'to write there proves nothing')
    await says(personAt(first), 20)
    assert.deepEqual(await address(), [first])
    await says(personAt(second), 15)
    assert.deepEqual(await address(), [first])
  })
