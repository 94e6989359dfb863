import assert from 'node:assert/strict'
import type { MessageStatusEvent } from '../../../src/contract/events.ts'
import { personAt } from '../../../src/contract/person.ts'
import type { InboundMessageUpdate, MessageStatusUpdate } from '../../../src/contract/provider-updates.ts'
import { createMessageUpdates } from '../../../src/messaging/apply-message-updates.ts'
import type { NewMessage } from '../../../src/messaging/ports.ts'
import { createMessageReader } from '../../../src/messaging/store/messages-read.store.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { encodeId, type KeyId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { startOf, testConsent, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addEndpoint, addTenant, type Tenant } from '../../support/rows.ts'

const sql = testPool(await testDatabase())
const store = testMessageStore(sql)
const contacts = testContacts(sql)
const ignored: string[] = []
const updates = createMessageUpdates({
  store,
  contacts,
  dispatch: () => undefined,
  clock: systemClock,
  ignored: (type) => ignored.push(type),
  campaignSendFailed: () => undefined,
  consent: testConsent(sql),
})

async function newMessage(
  tenant: Tenant,
  patch: Partial<NewMessage> = {},
  waId = '15557000001',
): Promise<NewMessage> {
  const { contactId, conversationId } = await contacts.partiesOf(tenant, { person: personAt(waId) })
  return {
    id: newId('message'),
    workspaceId: tenant.workspaceId,
    numberId: tenant.numberId,
    contactId,
    conversationId,
    text: 'Hello',
    template: { name: 'hello', language: 'en_US', variables: {} },
    metadata: {},
    keyId: null as unknown as KeyId,
    idempotencyKey: null,
    idempotencyHash: null,
    createdAt: new Date(),
    ...patch,
  }
}

const statusOf = async (message: NewMessage) => {
  const [row] =
    await sql`select status, send_state, provider_message_id from messages where id = ${message.id}`
  return row ?? assert.fail()
}

const eventsOf = async (tenant: Tenant) => {
  const rows = await sql<
    { body: Buffer }[]
  >`select body from events where workspace_id = ${tenant.workspaceId} order by id`
  return rows.map(
    (row) => JSON.parse(row.body.toString()) as { event: string; data: Record<string, unknown> },
  )
}

const status = (tenant: Tenant, message: NewMessage, word: MessageStatusEvent): MessageStatusUpdate => ({
  type: 'messageStatus',
  phoneNumberId: tenant.phoneNumberId,
  providerMessageId: `wamid.${message.id}`,
  status: word,
  at: new Date(),
  opaque: encodeId('message', message.id),
  recipient: null,
  error:
    word === 'FAILED' ? { code: '131026', title: 'Undeliverable', details: null, class: 'permanent' } : null,
})

const inbound = (tenant: Tenant, patch: Partial<InboundMessageUpdate> = {}): InboundMessageUpdate => ({
  type: 'inboundMessage',
  phoneNumberId: tenant.phoneNumberId,
  providerMessageId: `wamid.in.${newId('message')}`,
  from: personAt('15557000001', 'Ines'),
  at: new Date(),
  messageType: 'TEXT',
  text: 'Hello',
  media: null,
  details: null,
  ...patch,
})

describe('an outbound message', () => {
  test('with an idempotency key is written once, however many arrive at once on two nodes', async () => {
    const tenant = await addTenant(sql)
    const other = testMessageStore(sql)
    const messages = await Promise.all(
      Array.from({ length: 10 }, () => newMessage(tenant, { idempotencyKey: 'once', idempotencyHash: 'aa' })),
    )
    const written = await Promise.all(
      messages.map((message, index) => (index % 2 === 0 ? store : other).insertOutbound(message)),
    )
    assert.equal(written.filter(Boolean).length, 1)
    const context = await store.sendContext({
      workspaceId: tenant.workspaceId,
      address: '15557000001',
      from: null,
      templateName: 'hello',
      templateLanguage: 'en_US',
      idempotencyKey: 'once',
    })
    assert.equal(context.earlier?.hash, 'aa')
    assert.equal(context.template?.status, 'APPROVED')
    assert.equal(context.number?.numberId, tenant.numberId)
  })

  test('the same key in another workspace is another message', async () => {
    const [one, two] = [await addTenant(sql), await addTenant(sql)]
    assert.equal(await store.insertOutbound(await newMessage(one, { idempotencyKey: 'k' })), true)
    assert.equal(await store.insertOutbound(await newMessage(two, { idempotencyKey: 'k' })), true)
  })

  test('to a contact that opted out is not written', async () => {
    const tenant = await addTenant(sql)
    await addEndpoint(sql, tenant.workspaceId)
    await updates.applyInbound(inbound(tenant, { text: ' stop ' }))
    assert.equal(await store.insertOutbound(await newMessage(tenant)), false)
    await updates.applyInbound(inbound(tenant, { text: 'START' }))
    assert.equal(await store.insertOutbound(await newMessage(tenant)), true)
    const changes = (await eventsOf(tenant)).map(({ data }) => data['optChange'])
    assert.deepEqual(changes, ['opted-out', 'opted-in'])
    await updates.applyInbound(inbound(tenant, { messageType: 'BUTTON', text: 'Stop' }))
    assert.equal(await store.insertOutbound(await newMessage(tenant)), false)
  })

  test('is sent by one of two processes that try', async () => {
    const tenant = await addTenant(sql)
    const message = await newMessage(tenant)
    await store.insertOutbound(message)
    const started = await Promise.all([
      store.startSending(startOf(message.id)),
      store.startSending(startOf(message.id)),
    ])
    assert.deepEqual(started.sort(), [1, null])
  })

  test('that nobody sent in time is found by the sweep once; one that may be on the wire never is', async () => {
    const tenant = await addTenant(sql)
    const [waiting, sending] = [await newMessage(tenant), await newMessage(tenant)]
    await store.insertOutbound(waiting)
    await store.insertOutbound(sending)
    await store.startSending(startOf(sending.id))
    await sql`update messages set send_due_at = now() - interval '1 second' where workspace_id = ${tenant.workspaceId}`
    const found = [...(await store.overdueSends(100)), ...(await store.overdueSends(100))]
    assert.deepEqual(
      found.filter((one) => one.workspaceId === tenant.workspaceId).map((one) => one.id),
      [waiting.id],
    )
    await store.lostSends(100)
    assert.equal((await statusOf(sending))['sendState'], 'UNKNOWN')
  })
})

describe('statuses of the provider', () => {
  test('each change emits one event, late and repeated ones none', async () => {
    const tenant = await addTenant(sql)
    await addEndpoint(sql, tenant.workspaceId)
    const message = await newMessage(tenant)
    await store.insertOutbound(message)
    for (const word of ['SENT', 'DELIVERED', 'DELIVERED', 'SENT', 'READ', 'FAILED', 'READ'] as const)
      await updates.applyStatus(status(tenant, message, word))
    assert.equal((await statusOf(message))['status'], 'READ')
    const seen = (await eventsOf(tenant)).map(({ data }) => data['status'])
    assert.deepEqual(seen, ['SENT', 'DELIVERED', 'READ'])
  })

  test('several of one message that arrive together are taken in their order', async () => {
    const tenant = await addTenant(sql)
    await addEndpoint(sql, tenant.workspaceId)
    const message = await newMessage(tenant)
    await store.insertOutbound(message)
    await Promise.all(
      (['SENT', 'DELIVERED', 'READ'] as const).map((word) =>
        updates.applyStatus(status(tenant, message, word)),
      ),
    )
    const seen = (await eventsOf(tenant)).map(({ data }) => data['status'])
    assert.deepEqual(seen, ['SENT', 'DELIVERED', 'READ'])
  })

  test('never go back in time, in the events and on the record, whatever seconds the provider tells', async () => {
    const tenant = await addTenant(sql)
    await addEndpoint(sql, tenant.workspaceId)
    const createdAt = new Date('2026-11-22T10:00:00.700Z')
    const message = await newMessage(tenant, { createdAt })
    await store.insertOutbound(message)
    const told = { SENT: '10:00:00.000Z', DELIVERED: '10:00:02.345Z', READ: '10:00:02.000Z' } as const
    for (const word of ['SENT', 'DELIVERED', 'READ'] as const)
      await updates.applyStatus({
        ...status(tenant, message, word),
        at: new Date(`2026-11-22T${told[word]}`),
      })
    const expected = [createdAt, new Date('2026-11-22T10:00:02.345Z'), new Date('2026-11-22T10:00:02.345Z')]
    const seen = (await eventsOf(tenant)).map(({ data }) => data['occurredAt'])
    assert.deepEqual(
      seen,
      expected.map((at) => at.toISOString()),
    )
    const [row] = await sql`select sent_at, delivered_at, read_at from messages where id = ${message.id}`
    assert.deepEqual([row?.['sentAt'], row?.['deliveredAt'], row?.['readAt']], expected)
  })

  test('one that overtakes the answer to the send finds its message by our own id', async () => {
    const tenant = await addTenant(sql)
    const message = await newMessage(tenant)
    await store.insertOutbound(message)
    await store.startSending(startOf(message.id))
    await updates.applyStatus(status(tenant, message, 'SENT'))
    assert.deepEqual(await statusOf(message), {
      status: 'SENT',
      sendState: 'ACCEPTED',
      providerMessageId: `wamid.${message.id}`,
    })
  })

  test('of a number of another workspace move nothing', async () => {
    const [tenant, other] = [await addTenant(sql), await addTenant(sql)]
    const message = await newMessage(tenant)
    await store.insertOutbound(message)
    await updates.applyStatus({ ...status(tenant, message, 'READ'), phoneNumberId: other.phoneNumberId })
    assert.equal((await statusOf(message))['status'], 'QUEUED')
    assert.ok(ignored.includes('messageStatus'))
  })

  test('a failure carries its error with all that the provider told, in its record and its event', async () => {
    const tenant = await addTenant(sql)
    await addEndpoint(sql, tenant.workspaceId)
    const message = await newMessage(tenant)
    await store.insertOutbound(message)
    const detail = { subcode: '2494010', details: 'The customer uses an old version.', traceId: 'AbC1' }
    const error = { code: '131026', title: 'Undeliverable', ...detail }
    await updates.applyStatus({
      ...status(tenant, message, 'FAILED'),
      error: { ...error, class: 'permanent' },
    })
    const [event] = await eventsOf(tenant)
    assert.deepEqual(event?.data['error'], error)
    const record = await createMessageReader(sql).find(tenant.workspaceId, message.id)
    assert.deepEqual(record?.error, error)
  })
})

describe('an inbound message', () => {
  test('that the provider repeats is one message and one event', async () => {
    const tenant = await addTenant(sql)
    await addEndpoint(sql, tenant.workspaceId)
    const update = inbound(tenant)
    await Promise.all([
      updates.applyInbound(update),
      updates.applyInbound(update),
      updates.applyInbound(update),
    ])
    const events = await eventsOf(tenant)
    assert.equal(events.length, 1)
    assert.equal(events[0]?.data['from'], '15557000001')
    assert.equal(events[0]?.data['to'], tenant.number)
    const [conversation] =
      await sql`select unread_count from conversations where workspace_id = ${tenant.workspaceId}`
    assert.equal(conversation?.['unreadCount'], 1)
  })

  test('to a number assigned to an endpoint reaches that one only', async () => {
    const tenant = await addTenant(sql)
    await addEndpoint(sql, tenant.workspaceId)
    const own = await addEndpoint(sql, tenant.workspaceId)
    await sql`update numbers set endpoint_id = ${own} where id = ${tenant.numberId}`
    await updates.applyInbound(inbound(tenant))
    const rows = await sql`select endpoint_id from deliveries where workspace_id = ${tenant.workspaceId}`
    assert.deepEqual([...rows], [{ endpointId: own }])
  })

  test('with a file leaves a file to fetch; with a permission changes the conversation', async () => {
    const tenant = await addTenant(sql)
    const media = { providerMediaId: '77', mimeType: 'image/png', fileName: 'a.png', sha256: null }
    await updates.applyInbound(inbound(tenant, { messageType: 'IMAGE', text: '', media }))
    const [file] =
      await sql`select provider_media_id, state from media where workspace_id = ${tenant.workspaceId}`
    assert.deepEqual(file, { providerMediaId: '77', state: 'PENDING' })
    const said = { response: 'accept', granted: true, isPermanent: true, source: 'user_action' }
    const callPermission = { ...said, expiresAt: null }
    await updates.applyInbound(
      inbound(tenant, { messageType: 'CALL_PERMISSION_REPLY', text: '', details: { callPermission } }),
    )
    const [row] =
      await sql`select call_permission from conversations where workspace_id = ${tenant.workspaceId}`
    assert.deepEqual(row?.['callPermission'], callPermission)
  })
})
