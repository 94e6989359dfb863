// The statements of a send, which many requests share.
import assert from 'node:assert/strict'
import { plansOf, scannedWhole } from '../../../bench/lists/plans.ts'
import { personAt } from '../../../src/contract/person.ts'
import type { NewMessage, SendContextQuery } from '../../../src/messaging/ports.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { startOf, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant, type Tenant } from '../../support/rows.ts'

const database = await testDatabase()
const sql = testPool(database)
const store = testMessageStore(sql)
const contacts = testContacts(sql)
const people = ['15557000001', '15557000002', '15557000003'] as const

const query = ({ workspaceId }: Tenant, patch: Partial<SendContextQuery> = {}): SendContextQuery => ({
  ...{ workspaceId, address: people[0], from: null, idempotencyKey: null },
  ...{ templateName: 'hello', templateLanguage: 'en_US' },
  ...patch,
})

async function newMessage(tenant: Tenant, waId: string, key: string | null = null): Promise<NewMessage> {
  const { contactId, conversationId } = await contacts.partiesOf(tenant, { person: personAt(waId) })
  return {
    ...{ id: newId('message'), workspaceId: tenant.workspaceId, numberId: tenant.numberId },
    ...{ contactId, conversationId, text: 'Hello', metadata: {}, keyId: null, createdAt: new Date() },
    template: { name: 'hello', language: 'en_US', variables: {} },
    ...{ idempotencyKey: key, idempotencyHash: key && 'aa' },
  }
}

const accepted = (message: NewMessage) => ({
  ...{ messageId: message.id, recipientId: null, attempt: 1, by: 'single' as const },
  ...{ campaign: undefined, failure: null },
  verdict: {
    ...{ type: 'accepted' as const, providerMessageId: `wamid.${encodeId('message', message.id)}` },
    ...{ recipientPhone: null, held: false },
  },
})

describe('what decides a send', () => {
  test('is the same for requests that come together as for each alone', async () => {
    const [one, two] = [await addTenant(sql), await addTenant(sql)]
    for (const tenant of [one, two])
      for (const waId of people) await store.insertOutbound(await newMessage(tenant, waId, `of ${waId}`))
    await sql`update contacts set opt_state = 'opted-out' where workspace_id = ${one.workspaceId} and wa_id = ${people[1]}`
    await sql`update contacts set marketing_opt_out_at = now() where workspace_id = ${two.workspaceId} and wa_id = ${people[2]}`
    await sql`update conversations set last_inbound_at = now() where workspace_id = ${two.workspaceId}`
    const queries = [one, two].flatMap((tenant) => [
      ...people.map((address) => query(tenant, { address })),
      query(tenant, { idempotencyKey: `of ${people[0]}` }),
      query(tenant, { idempotencyKey: 'of nobody', address: '15557999999' }),
      query(tenant, { templateName: 'other' }),
      query(tenant, { templateName: null, templateLanguage: null }),
      query(tenant, { from: { numberId: one.numberId } }),
      query(tenant, { from: { number: two.number } }),
    ])
    const together = await Promise.all(queries.map((asked) => store.sendContext(asked)))
    for (const [index, asked] of queries.entries())
      assert.deepEqual(together[index], await store.sendContext(asked))
    assert.deepEqual(
      together.map(({ optedOut }, index) => (optedOut ? index : -1)).filter((index) => index >= 0),
      [1],
    )
    assert.deepEqual(
      together
        .map(({ marketingOptedOut }, index) => (marketingOptedOut ? index : -1))
        .filter((at) => at >= 0),
      [11],
    )
    assert.deepEqual(
      together.map(({ number }) => number?.numberId ?? null),
      [
        ...[...Array.from({ length: 7 }, () => one.numberId), one.numberId, null],
        ...[...Array.from({ length: 7 }, () => two.numberId), null, two.numberId],
      ],
    )
  })

  test('of a workspace that is gone fails its own request only', async () => {
    const tenant = await addTenant(sql)
    const asked = [query(tenant), query({ ...tenant, workspaceId: newId('workspace') }), query(tenant)]
    const outcomes = await Promise.allSettled(asked.map((one) => store.sendContext(one)))
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })
})

describe('the statements of a send', () => {
  test('find the rows of one request, and of many, by an index, however few rows the tables have', async () => {
    const tenant = await addTenant(sql)
    const { workspaceId, numberId } = tenant
    await sql`
      with person as (
        insert into contacts (id, workspace_id, wa_id)
        select uuidv7(), ${workspaceId}, (15558000000 + n)::text from generate_series(1, 2000) n
        returning id
      ),
      thread as (
        insert into conversations (id, workspace_id, number_id, contact_id)
        select uuidv7(), ${workspaceId}, ${numberId}, id from person
        returning id, contact_id
      )
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text)
      select uuidv7(), ${workspaceId}, id, ${numberId}, contact_id, 'OUTBOUND', 'TEXT', 'READ', 'Hello' from thread`
    await sql`analyze contacts, conversations, messages`
    const messages = await Promise.all(people.map((waId) => newMessage(tenant, waId, `plan ${waId}`)))
    for (const some of [messages.slice(0, 1), messages.slice(1)]) {
      const plans = await plansOf(database.url, async (observed) => {
        const sends = testMessageStore(observed)
        await Promise.all(people.map((address) => sends.sendContext(query(tenant, { address }))))
        assert.deepEqual(
          await Promise.all(some.map((one) => sends.insertOutbound(one))),
          some.map(() => true),
        )
        assert.deepEqual(
          await Promise.all(some.map(({ id }) => sends.startSending(startOf(id)))),
          some.map(() => 1),
        )
        await Promise.all(some.map((one) => sends.finishSend(accepted(one))))
      })
      assert.ok(plans.length >= 8)
      assert.deepEqual(
        plans.flatMap((plan) => scannedWhole(plan, ['messages', 'conversations', 'contacts'])),
        [],
      )
    }
  })

  test('the answer to a send that a status was faster than writes nothing again', async () => {
    const tenant = await addTenant(sql)
    const [message, failed] = [await newMessage(tenant, people[0]), await newMessage(tenant, people[1])]
    const body = new TextEncoder().encode('{}')
    for (const [{ id }, status] of [
      [message, 'SENT'],
      [failed, 'FAILED'],
    ] as const) {
      await store.insertOutbound(id === message.id ? message : failed)
      await sql`update messages set content = '{"type": "text"}' where id = ${id}`
      assert.equal(await store.startSending(startOf(id)), 1)
      const providerMessageId = `wamid.${encodeId('message', id)}`
      const told = { messageId: id, recipientId: null, providerMessageId, at: new Date(), error: null }
      await store.changeStatuses([{ ...told, status, eventId: newId('event'), body }])
    }
    const rowOf = async ({ id }: NewMessage) => {
      const [row] = await sql`
        select xmin::text as version, send_state, send_due_at, handed_at is not null as is_handed, content from messages
        where id = ${id}`
      return row
    }
    const before = await rowOf(message)
    const { version, ...shown } = before ?? {}
    assert.deepEqual(shown, { sendState: 'ACCEPTED', sendDueAt: null, isHanded: true, content: null })
    await Promise.all([message, failed].map((one) => store.finishSend(accepted(one))))
    assert.deepEqual(await rowOf(message), before)
    // What failed says nothing about when it was taken: the answer still does.
    const { version: _, ...after } = (await rowOf(failed)) ?? {}
    assert.deepEqual(after, shown)
  })
})
