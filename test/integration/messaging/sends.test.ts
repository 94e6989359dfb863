// A send whose statements, or whose answers, come otherwise than they should.
import assert from 'node:assert/strict'
import { personAt } from '../../../src/contract/person.ts'
import { createMessageUpdates } from '../../../src/messaging/apply-message-updates.ts'
import type { Claim } from '../../../src/messaging/identity.ts'
import type { NewMessage } from '../../../src/messaging/ports.ts'
import { createTransmitter } from '../../../src/messaging/transmit-message.ts'
import type { Pool, Sql } from '../../../src/platform/postgres/sql.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { encodeId, type KeyId, newId } from '../../../src/shared/ids.ts'
import { eventually } from '../../e2e/scene.ts'
import { describe, test } from '../../support/harness.ts'
import { startOf, testConsent, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant } from '../../support/rows.ts'

const sql = testPool(await testDatabase(), 8)
const store = testMessageStore(sql)
const tenant = await addTenant(sql)
const contacts = testContacts(sql)

async function newMessage(idempotencyKey: string | null = null, to = '15557000001'): Promise<NewMessage> {
  const { contactId, conversationId } = await contacts.partiesOf(tenant, { person: personAt(to) })
  return {
    ...{ id: newId('message'), workspaceId: tenant.workspaceId, numberId: tenant.numberId },
    ...{ contactId, conversationId, text: 'Hello' },
    template: { name: 'hello', language: 'en_US', variables: {} },
    ...{ metadata: {}, keyId: null as unknown as KeyId },
    ...{ idempotencyKey, idempotencyHash: idempotencyKey === null ? null : 'aa', createdAt: new Date() },
  }
}

async function overdue({ id }: NewMessage) {
  await sql`update messages set send_due_at = now() - interval '1 second' where id = ${id}`
  return (await store.overdueSends(1_000)).filter((outgoing) => outgoing.id === id)
}

const failed = ({ id }: NewMessage) =>
  store.changeStatuses([
    {
      ...{ messageId: id, recipientId: null, providerMessageId: `wamid.${encodeId('message', id)}` },
      ...{ status: 'FAILED', at: new Date(), error: null },
      ...{ eventId: newId('event'), body: new TextEncoder().encode('{}') },
    },
  ])

const ofSingle = ({ id: messageId }: NewMessage) =>
  ({ messageId, recipientId: null, by: 'single', failure: null }) as const

const rowOf = async ({ id }: NewMessage) => {
  const [row] = await sql`select status, send_state, send_due_at from messages where id = ${id}`
  return row ?? assert.fail()
}

const dropped = (): Error => Object.assign(new Error('the connection is gone'), { code: 'CONNECTION_CLOSED' })

describe('a message whose insert has no reply', () => {
  test('is written once, with a key and without', async () => {
    for (const message of [await newMessage(), await newMessage('once')]) {
      assert.equal(await store.insertOutbound(message), true)
      assert.equal(await store.insertOutbound(message), true)
    }
  })

  test('is known although the first insert is not committed when it is repeated', async () => {
    const [message, next] = [await newMessage(), await newMessage()]
    const repeated = await sql.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`
      assert.equal(await testMessageStore(tx as unknown as Pool).insertOutbound(message), true)
      const [me] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      const both = Promise.all([message, next].map((one) => store.insertOutbound(one)))
      await eventually('the repeated insert waits', async () => {
        const waiting = await sql`
          select from pg_stat_activity where ${me?.pid ?? 0}::integer = any(pg_blocking_pids(pid))`
        return waiting.count > 0
      })
      return { both }
    })
    assert.deepEqual(await repeated.both, [true, true])
  })

  test('is not written where its key has another message', async () => {
    assert.equal(await store.insertOutbound(await newMessage('taken')), true)
    assert.equal(await store.insertOutbound(await newMessage('taken')), false)
  })

  test('waits for nobody who writes the message that has its key, and so for no conversation of theirs', async () => {
    const [first, second] = [await newMessage('at once'), await newMessage('at once')]
    await store.insertOutbound(first)
    await sql.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`
      // As a status does: its message first.
      await tx`update messages set status = 'SENT' where id = ${first.id}`
      assert.equal(await store.insertOutbound(second), false)
      await tx`select from conversations where id = ${first.conversationId} for no key update nowait`
    })
  })
})

describe('somebody who has locked', () => {
  for (const [what, lock] of [
    [
      'a contact',
      (tx: Sql, { contactId }: NewMessage) => tx`select from contacts where id = ${contactId} for update`,
    ],
    [
      'a conversation',
      (tx: Sql, { conversationId }: NewMessage) =>
        tx`select from conversations where id = ${conversationId} for update`,
    ],
  ] as const)
    test(`${what} holds up no send to others`, async () => {
      const [held, ...others] = [
        await newMessage(null, '15557000101'),
        await newMessage(null, '15557000102'),
        await newMessage(null, '15557000103'),
      ]
      const holding = await sql.begin(async (tx) => {
        await tx`set local idle_in_transaction_session_timeout = 0`
        await lock(tx as unknown as Sql, held)
        const waiting = store.insertOutbound(held)
        const written = await Promise.all(others.map((one) => store.insertOutbound(one)))
        assert.deepEqual(written, [true, true])
        return { waiting }
      })
      assert.equal(await holding.waiting, true)
    })
})

describe('a start whose reply is lost', () => {
  test('is known to whoever made it and to nobody else, until its attempt is over', async () => {
    const message = await newMessage()
    await store.insertOutbound(message)
    const [mine, other] = [startOf(message.id), startOf(message.id)]
    assert.equal(await store.startSending(mine), 1)
    assert.equal(await store.startSending(other), null)
    assert.equal(await store.startSending(mine), 1)
    const again = { type: 'again', delayMs: 0, counts: true, slow: null, error: null } as const
    await store.finishSend({ ...ofSingle(message), attempt: 1, verdict: again })
    assert.equal(await store.startSending(other), 2)
    assert.equal(await store.startSending(mine), null)
    await sql`update messages set send_due_at = now() - interval '1 second' where id = ${message.id}`
    await store.lostSends(100)
    assert.equal(await store.startSending(other), null)
  })

  test('is repeated, and the provider is asked once', async () => {
    const message = await newMessage()
    await store.insertOutbound(message)
    const asked: number[] = []
    let losses = 0
    const [outgoing] = await overdue(message)
    const transmitter = createTransmitter({
      store: {
        async startSending(start) {
          const attempt = await store.startSending(start)
          losses += 1
          if (losses <= 2) throw dropped()
          return attempt
        },
      },
      async attemptSend({ attempt }) {
        asked.push(attempt)
        return { type: 'accepted', providerMessageId: 'wamid.1', held: false, recipientPhone: null }
      },
      clock: { ...systemClock, after: (_, run) => systemClock.after(0, run) },
      ...{ spent: () => undefined, log: { info: () => undefined, warn: () => undefined } },
    })
    transmitter.start(outgoing ?? assert.fail())
    await transmitter.drain()
    assert.deepEqual(asked, [1])
  })
})

test('a status of a message whose contact became part of another names no address that is none', async () => {
  const message = await newMessage(null, '15557000201')
  await store.insertOutbound(message)
  await sql`update contacts set wa_id = 'merged:' || id where id = ${message.contactId}`
  const claims: Claim[] = []
  const { applyStatus } = createMessageUpdates({
    ...{ store, clock: systemClock, consent: testConsent(sql), dispatch: () => undefined },
    contacts: {
      ...contacts,
      async learn(_, claim) {
        claims.push(claim)
      },
    },
    ...{ ignored: () => assert.fail(), campaignSendFailed: () => undefined },
  })
  await applyStatus({
    ...{ type: 'messageStatus', phoneNumberId: tenant.phoneNumberId, status: 'SENT', at: new Date() },
    ...{ providerMessageId: `wamid.${message.id}`, opaque: encodeId('message', message.id), error: null },
    recipient: personAt('15557000201'),
  })
  assert.deepEqual(
    claims.map(({ person, also }) => [person.phone, also]),
    [['15557000201', []]],
  )
})

describe('after a restore of Postgres, a send that nobody has made', () => {
  test('is left alone until the restore is known', async () => {
    const message = await newMessage()
    await store.insertOutbound(message)
    await sql`update messages set send_due_at = now() - interval '1 second' where id = ${message.id}`
    const unsure = testMessageStore(sql, (statement) => statement`false`)
    assert.deepEqual(await unsure.overdueSends(1_000), [])
    assert.equal((await overdue(message)).length, 1)
  })

  test('is made where it was due afterwards, and may have been made where it was due before', async (t) => {
    const [before, after] = [await newMessage(), await newMessage()]
    for (const message of [before, after]) await store.insertOutbound(message)
    await sql`update messages set send_due_at = now() - interval '2 seconds' where id = ${before.id}`
    await sql`update messages set send_due_at = now() - interval '10 milliseconds' where id = ${after.id}`
    await sql`update database_era set restored_at = now() - interval '1 second'`
    t.after(() => sql`update database_era set restored_at = null`)
    const taken = (await store.overdueSends(1_000)).map(({ id }) => id)
    assert.deepEqual([taken.includes(before.id), taken.includes(after.id)], [false, true])
    await store.lostSends(1_000)
    assert.equal((await rowOf(before))['sendState'], 'UNKNOWN')
    assert.equal((await rowOf(after))['sendState'], 'PENDING')
    assert.equal(await store.startSending(startOf(before.id)), null)
  })
})

describe('a failure that the provider reports', () => {
  test('of an attempt that seemed to be for nothing ends the send', async () => {
    const message = await newMessage()
    await store.insertOutbound(message)
    const attempt = (await store.startSending(startOf(message.id))) ?? assert.fail()
    const verdict = { type: 'again', delayMs: 0, counts: true, slow: null, error: null } as const
    await store.finishSend({ ...ofSingle(message), attempt, verdict })
    await failed(message)
    assert.equal(await store.startSending(startOf(message.id)), null)
    assert.equal((await rowOf(message))['status'], 'FAILED')
  })

  test('leaves no send under way whose process died', async () => {
    const message = await newMessage()
    await store.insertOutbound(message)
    await store.startSending(startOf(message.id))
    await failed(message)
    await sql`
      update messages set send_due_at = now() - interval '1 second'
      where id = ${message.id} and send_due_at is not null`
    await store.lostSends(100)
    assert.deepEqual(await rowOf(message), { status: 'FAILED', sendState: 'UNKNOWN', sendDueAt: null })
  })
})
