// Statuses of different messages are written at the same time, those of one message in their order.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WrittenDelivery } from '../../../src/contract/dispatch.ts'
import type { MessageStatusEvent } from '../../../src/contract/events.ts'
import { personAt } from '../../../src/contract/person.ts'
import type { MessageStatusUpdate } from '../../../src/contract/provider-updates.ts'
import { createMessageUpdates } from '../../../src/messaging/apply-message-updates.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { encodeId, type KeyId, type MessageId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testConsent, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addEndpoint, addTenant, type Tenant } from '../../support/rows.ts'

const database = await testDatabase()
const sql = testPool(database, 8)

const store = testMessageStore(sql)
const contacts = testContacts(sql)
const sent: WrittenDelivery[] = []
const { applyStatus } = createMessageUpdates({
  ...{ store, contacts, clock: systemClock, consent: testConsent(sql) },
  dispatch: (deliveries) => sent.push(...deliveries),
  ignored: (type) => assert.fail(type),
  campaignSendFailed: () => undefined,
})

async function messagesTo(tenant: Tenant, waId: string, count: number): Promise<MessageId[]> {
  const { contactId, conversationId } = await contacts.partiesOf(tenant, { person: personAt(waId) })
  const ids = Array.from({ length: count }, () => newId('message'))
  for (const id of ids)
    await store.insertOutbound({
      ...{ id, contactId, conversationId, workspaceId: tenant.workspaceId, numberId: tenant.numberId },
      ...{ text: 'Hello', template: { name: 'hello', language: 'en_US', variables: {} }, metadata: {} },
      ...{
        keyId: null as unknown as KeyId,
        idempotencyKey: null,
        idempotencyHash: null,
        createdAt: new Date(),
      },
    })
  return ids
}

const status = (tenant: Tenant, id: MessageId, word: MessageStatusEvent): MessageStatusUpdate => ({
  ...{ type: 'messageStatus', phoneNumberId: tenant.phoneNumberId, providerMessageId: `wamid.${id}` },
  ...{ status: word, at: new Date(), opaque: encodeId('message', id), recipient: null, error: null },
})

const words = ['SENT', 'DELIVERED', 'READ'] as const

/** Without a wait between the statuses of a message, and in several turns of the loop. */
async function applyAll(tenant: Tenant, ids: readonly MessageId[]): Promise<void> {
  const all: Promise<unknown>[] = []
  for (const [index, word] of words.entries())
    for (const id of ids) {
      all.push(applyStatus(status(tenant, id, word)))
      if ((all.length + index) % 5 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  await Promise.all(all)
}

/** What was told of each message, in order. */
function statusesOf(deliveries: readonly WrittenDelivery[]): Map<string, string[]> {
  const told = new Map<string, string[]>()
  for (const { body } of deliveries) {
    const { data } = JSON.parse(Buffer.from(body).toString()) as {
      data: { messageId: string; status: string }
    }
    told.set(data.messageId, [...(told.get(data.messageId) ?? []), data.status])
  }
  return told
}

/** Each event names the one before it, and no two name the same. */
function assertChain(deliveries: readonly WrittenDelivery[]): void {
  const following = new Map(deliveries.map(({ after: previous, eventId }) => [previous, eventId]))
  let length = 0
  for (let at = following.get(null); at !== undefined; at = following.get(at)) length += 1
  assert.equal(length, deliveries.length)
}

describe('statuses of several messages', () => {
  test('each message has its statuses in order, each conversation an unbroken chain of events', async () => {
    const tenant = await addTenant(sql)
    await addEndpoint(sql, tenant.workspaceId)
    const ids: MessageId[] = []
    for (const waId of ['15557000001', '15557000002', '15557000003'])
      ids.push(...(await messagesTo(tenant, waId, 8)))
    sent.length = 0
    await applyAll(tenant, ids)
    const told = statusesOf(sent)
    assert.equal(told.size, ids.length)
    for (const statuses of told.values()) assert.deepEqual(statuses, [...words])
    for (const key of new Set(sent.map((one) => one.key))) assertChain(sent.filter((one) => one.key === key))
  })

  test('a message that somebody has locked holds up no status of others', async () => {
    const tenant = await addTenant(sql)
    const [locked = newId('message'), ...others] = await messagesTo(tenant, '15557000001', 4)
    const waiting = await sql.begin(async (tx) => {
      await tx`select from messages where id = ${locked} for update`
      const held = applyStatus(status(tenant, locked, 'SENT'))
      const [me] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      const isAwaited = () => sql`
        select from pg_stat_activity where ${me?.pid ?? 0}::integer = any(pg_blocking_pids(pid))`
      while ((await isAwaited()).length === 0) await sleep(5)
      for (const word of words) {
        await Promise.all(others.map((id) => applyStatus(status(tenant, id, word))))
        // Keeps the transaction awake.
        await tx`select`
      }
      return { held }
    })
    assert.equal(await waiting.held, 'applied')
    const rows = await sql<{ status: string }[]>`
      select status from messages where workspace_id = ${tenant.workspaceId} order by id`
    assert.deepEqual(
      rows.map((row) => row.status),
      ['SENT', 'READ', 'READ', 'READ'],
    )
  })
})
