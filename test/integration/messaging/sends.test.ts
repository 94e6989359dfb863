// A send whose statements, or whose answers, come otherwise than they should.
import assert from 'node:assert/strict'
import { personAt } from '../../../src/contract/person.ts'
import type { NewMessage } from '../../../src/messaging/ports.ts'
import { encodeId, type KeyId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant } from '../../support/rows.ts'

const sql = testPool(await testDatabase(), 8)
const store = testMessageStore(sql)
const tenant = await addTenant(sql)
const contacts = testContacts(sql)

async function newMessage(idempotencyKey: string | null = null): Promise<NewMessage> {
  const { contactId, conversationId } = await contacts.partiesOf(tenant, { person: personAt('15557000001') })
  return {
    ...{ id: newId('message'), workspaceId: tenant.workspaceId, numberId: tenant.numberId },
    ...{ contactId, conversationId, text: 'Hello' },
    template: { name: 'hello', language: 'en_US', variables: {} },
    ...{ metadata: {}, keyId: null as unknown as KeyId },
    ...{ idempotencyKey, idempotencyHash: idempotencyKey === null ? null : 'aa', createdAt: new Date() },
  }
}

const failed = ({ id }: NewMessage) =>
  store.changeStatuses([
    {
      ...{ messageId: id, recipientId: null, providerMessageId: `wamid.${encodeId('message', id)}` },
      ...{ status: 'FAILED', at: new Date(), error: null },
      ...{ eventId: newId('event'), body: new TextEncoder().encode('{}') },
    },
  ])

const rowOf = async ({ id }: NewMessage) => {
  const [row] = await sql`select status, send_state, send_due_at from messages where id = ${id}`
  return row ?? assert.fail()
}

describe('a failure that the provider reports', () => {
  test('of an attempt that seemed to be for nothing ends the send', async () => {
    const message = await newMessage()
    await store.insertOutbound(message)
    const attempt = (await store.startSending(message.id)) ?? assert.fail()
    const verdict = { type: 'again', delayMs: 0, counts: true, slow: false, error: null } as const
    await store.finishSend({ messageId: message.id, attempt, by: 'single', verdict, failure: null })
    await failed(message)
    assert.equal(await store.startSending(message.id), null)
    assert.equal((await rowOf(message))['status'], 'FAILED')
  })

  test('leaves no send under way whose process died', async () => {
    const message = await newMessage()
    await store.insertOutbound(message)
    await store.startSending(message.id)
    await failed(message)
    await sql`
      update messages set send_due_at = now() - interval '1 second'
      where id = ${message.id} and send_due_at is not null`
    await store.lostSends(100)
    assert.deepEqual(await rowOf(message), { status: 'FAILED', sendState: 'UNKNOWN', sendDueAt: null })
  })
})
