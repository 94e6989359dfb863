// Call permissions of contacts: passed on as events, kept with the conversation, over when they expire.

import assert from 'node:assert/strict'
import type { CallPermissionDetails } from '../../../src/contract/events.ts'
import { type Person, personAt } from '../../../src/contract/person.ts'
import { createMessageUpdates } from '../../../src/messaging/apply-message-updates.ts'
import { createConversationReader } from '../../../src/messaging/store/conversations-read.store.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testConsent, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addEndpoint, addTenant, type Tenant } from '../../support/rows.ts'

const sql = testPool(await testDatabase())
const contacts = testContacts(sql)
const conversations = createConversationReader(sql)
const updates = createMessageUpdates({
  store: testMessageStore(sql),
  contacts,
  dispatch: () => undefined,
  clock: systemClock,
  ignored: (type) => assert.fail(type),
  campaignSendFailed: () => undefined,
  consent: testConsent(sql),
})

const startMs = Date.now() - 60_000
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
const accept: CallPermissionDetails = {
  ...{ response: 'accept', granted: true, isPermanent: false, source: 'user_action' },
  expiresAt: inSeconds(604_800),
}
const permanent: CallPermissionDetails = {
  ...{ response: 'accept', granted: true, isPermanent: true, expiresAt: null, source: 'user_action' },
}
const revoked: CallPermissionDetails = {
  ...{ response: 'reject', granted: false, isPermanent: false, expiresAt: null, source: 'automatic' },
}

const waId = '15557000001'

/** The contact gave this permission `second` seconds after the start. */
const say = (
  { phoneNumberId }: Tenant,
  {
    second = 0,
    callPermission,
    ...patch
  }: { callPermission: CallPermissionDetails | null; second?: number; from?: Person },
) =>
  updates.applyInbound({
    type: 'inboundMessage',
    phoneNumberId,
    providerMessageId: `wamid.in.${newId('message')}`,
    from: personAt(waId, 'Ines'),
    at: new Date(startMs + second * 1_000),
    messageType: callPermission ? 'CALL_PERMISSION_REPLY' : 'TEXT',
    text: '',
    media: null,
    details: callPermission && { callPermission },
    ...patch,
  })

async function permissionOf(tenant: Tenant, from = waId) {
  const { conversationId } = await contacts.partiesOf(tenant, { person: personAt(from) })
  const found = await conversations.find(tenant.workspaceId, conversationId)
  const { data } = await conversations.list(tenant.workspaceId, { contact: from }, { limit: 10 })
  assert.deepEqual(data[0]?.callPermission, found?.callPermission)
  return found?.callPermission
}

describe('a reply to a call permission request', () => {
  for (const callPermission of [accept, permanent, revoked])
    test(`is told on and kept: ${callPermission.response}, ${callPermission.isPermanent ? 'for good' : 'for a while'}`, async () => {
      const tenant = await addTenant(sql)
      await addEndpoint(sql, tenant.workspaceId)
      assert.equal(await permissionOf(tenant), null)
      await say(tenant, { callPermission })
      const [event] = await sql<{ body: Buffer }[]>`
        select body from events where workspace_id = ${tenant.workspaceId} and kind = 'message.received'`
      assert.deepEqual(JSON.parse(String(event?.body)).data.details, { callPermission })
      assert.deepEqual(await permissionOf(tenant), callPermission)
    })

  test('counts by when it was given: one that comes late takes the place of none that came after it', async () => {
    const tenant = await addTenant(sql)
    await say(tenant, { callPermission: accept, second: 1 })
    await say(tenant, { callPermission: revoked, second: 3 })
    await say(tenant, { callPermission: permanent, second: 2 })
    assert.deepEqual(await permissionOf(tenant), revoked)
    await say(tenant, { callPermission: permanent, second: 4 })
    await say(tenant, { callPermission: null, second: 5 })
    assert.deepEqual(await permissionOf(tenant), permanent)
  })

  test('belongs to one contact and one number', async () => {
    const [tenant, other] = [await addTenant(sql), await addTenant(sql)]
    await say(tenant, { callPermission: permanent })
    await say(tenant, { callPermission: null, from: personAt('15557000002') })
    assert.equal(await permissionOf(tenant, '15557000002'), null)
    assert.equal(await permissionOf(other), null)
  })

  test('is over when its time is, without a word of the provider', async () => {
    const tenant = await addTenant(sql)
    const callPermission = { ...accept, expiresAt: inSeconds(-1) }
    await say(tenant, { callPermission })
    assert.deepEqual(await permissionOf(tenant), { ...callPermission, granted: false })
  })
})
