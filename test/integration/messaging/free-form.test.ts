// Replies at the edge of the 24 hours, and files that end while they are sent: real rows, a clock of the test.
import assert from 'node:assert/strict'
import { personAt } from '../../../src/contract/person.ts'
import type { MessageRecord } from '../../../src/contract/records/message.ts'
import type { SendInput } from '../../../src/messaging/check-send.ts'
import { templateRendering } from '../../../src/messaging/messaging.module.ts'
import type { Outgoing } from '../../../src/messaging/ports.ts'
import { createSendMessage } from '../../../src/messaging/send-message.ts'
import { deleteFiles } from '../../../src/messaging/store/delete-files.ts'
import { createMessageReader } from '../../../src/messaging/store/messages-read.store.ts'
import type { Sql } from '../../../src/platform/postgres/sql.ts'
import { createRetentionStore } from '../../../src/privacy/store/retention.store.ts'
import { newId, type UploadId, type Uuid } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { startOf, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant, type Tenant } from '../../support/rows.ts'
import { eventually } from '../platform/cluster/gateway.ts'

const sql = testPool(await testDatabase())
const day = 24 * 3_600_000
const waId = '15557000001'
const opened = new Date('2026-11-22T10:00:00.000Z')

/** What one process sends with. */
function sender(clock: { now(): number }) {
  const sent: Outgoing[] = []
  const store = testMessageStore(sql)
  const contacts = testContacts(sql)
  const send = createSendMessage({
    store,
    templates: {
      ...templateRendering,
      providerComponents: () => [],
    },
    parties: (number, address, isFresh) => contacts.partiesOf(number, { person: personAt(address), isFresh }),
    find: createMessageReader(sql).find,
    transmit: (outgoing) => sent.push(outgoing),
    clock,
  })
  return { store, contacts, send, sent }
}

async function conversationOf(tenant: Tenant, times: { lastInboundAt?: Date; lastCallAt?: Date }) {
  const { conversationId, contactId } = await testContacts(sql).partiesOf(tenant, { person: personAt(waId) })
  await sql`
    update conversations
    set last_inbound_at = ${times.lastInboundAt ?? null}, last_call_at = ${times.lastCallAt ?? null}
    where id = ${conversationId}`
  return { conversationId, contactId }
}

const reply = (patch: Partial<SendInput> = {}): SendInput =>
  ({
    to: waId,
    from: null,
    metadata: {},
    idempotencyKey: null,
    free: { content: { kind: 'text', body: 'Hi', previewUrl: false }, about: null },
    ...patch,
  }) as SendInput

const caller = ({ workspaceId }: Tenant) => ({ workspaceId, keyId: null, keyName: null })

const codeOf = async (sending: Promise<unknown>): Promise<string> => {
  try {
    await sending
    return 'sent'
  } catch (error) {
    return (error as { code: string }).code
  }
}

async function addUpload(tenant: Tenant, expiresAt = new Date(Date.now() + day)): Promise<UploadId> {
  const id = newId('upload')
  const upload = {
    ...{ id, workspaceId: tenant.workspaceId, numberId: tenant.numberId, providerMediaId: '1037' },
    ...{
      mimeType: 'image/png',
      fileName: 'a.png',
      sizeBytes: 3,
      sha256: 'ab',
      blobKey: `x/upload-${id}`,
      expiresAt,
    },
  }
  await sql`insert into uploads ${sql(upload as never)}`
  return id
}

const picture = (uploadId: UploadId) =>
  reply({
    free: {
      content: { kind: 'media', media: { kind: 'image', file: { uploadId }, caption: null, fileName: null } },
      about: null,
    },
  })

const messagesOf = async ({ workspaceId }: Tenant) =>
  (await sql`select id from messages where workspace_id = ${workspaceId}`).length

/** The person as another process sees them, with the window open. */
async function seenElsewhere(tenant: Tenant, userId: string) {
  const person = { ...personAt(waId), userId }
  const { phoneNumberId } = tenant
  const parties = (await testContacts(sql).resolveParties({ phoneNumberId, person })) ?? assert.fail()
  await sql`update conversations set last_inbound_at = ${opened} where id = ${parties.conversationId}`
  return parties
}

describe('a reply', () => {
  test('goes to who has the number now, whoever the process has sent to under it before', async () => {
    const tenant = await addTenant(sql)
    const { send, sent } = sender({ now: () => opened.getTime() + 1 })
    const former = await seenElsewhere(tenant, 'US.1')
    await send(caller(tenant), reply())
    const owner = await seenElsewhere(tenant, 'US.2')
    await send(caller(tenant), reply())
    await testContacts(sql).learn(tenant.workspaceId, {
      person: { phone: '15557000002', userId: 'US.3', parentUserId: null },
      also: [waId, 'US.2'],
      proof: 'statement',
      at: new Date(),
    })
    await send(caller(tenant), reply())
    assert.deepEqual(
      sent.map(({ conversationId, to }) => [conversationId, to]),
      [
        [former.conversationId, waId],
        [owner.conversationId, waId],
        [owner.conversationId, '15557000002'],
      ],
    )
  })

  for (const [what, times] of [
    ['message', { lastInboundAt: opened }],
    ['call', { lastCallAt: opened }],
  ] as const)
    test(`is taken until a day after the customer's ${what}, and not from then on`, async () => {
      const tenant = await addTenant(sql)
      await conversationOf(tenant, times)
      const clock = { now: () => opened.getTime() + day - 1 }
      const { send } = sender(clock)
      assert.equal(await codeOf(send(caller(tenant), reply())), 'sent')
      for (const after of [0, 1]) {
        clock.now = () => opened.getTime() + day + after
        assert.equal(await codeOf(send(caller(tenant), reply())), 'WINDOW_CLOSED')
      }
      assert.equal(await messagesOf(tenant), 1)
    })

  test('to somebody who never wrote or called is refused, and so is one from another number', async () => {
    const tenant = await addTenant(sql)
    const { send, sent } = sender({ now: () => opened.getTime() })
    assert.equal(await codeOf(send(caller(tenant), reply())), 'WINDOW_CLOSED')
    await conversationOf(tenant, {})
    assert.equal(await codeOf(send(caller(tenant), reply())), 'WINDOW_CLOSED')
    assert.deepEqual(sent, [])
  })

  test('that races with the end of the window and with its repeats is one message or none', async () => {
    const tenant = await addTenant(sql)
    await conversationOf(tenant, { lastInboundAt: opened })
    const end = opened.getTime() + day
    let asked = 0
    // The clock passes the end after a third of the questions.
    const clock = { now: () => (asked++ < 33 ? end - 1 : end) }
    const processes = [sender(clock), sender(clock)]
    const told = await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const process = processes[index % 2] ?? assert.fail()
        return codeOf(process.send(caller(tenant), reply({ idempotencyKey: `key ${index % 50}` })))
      }),
    )
    const sent = processes.flatMap((process) => process.sent)
    assert.equal(new Set(sent.map(({ id }) => id)).size, sent.length)
    assert.equal(await messagesOf(tenant), sent.length)
    assert.ok(sent.length > 0 && sent.length <= 33, `${sent.length} were sent`)
    assert.deepEqual([...new Set(told)].sort(), ['WINDOW_CLOSED', 'sent'])
    // A repeat that comes too late gets its message.
    const [row] = await sql`select idempotency_key from messages where workspace_id = ${tenant.workspaceId}`
    const [{ send } = assert.fail()] = processes
    assert.equal(
      await codeOf(send(caller(tenant), reply({ idempotencyKey: row?.['idempotencyKey'] }))),
      'sent',
    )
  })

  test('that nobody sent in time is given to the sweep as it was asked, and its content goes with its outcome', async () => {
    const tenant = await addTenant(sql)
    await conversationOf(tenant, { lastInboundAt: opened })
    const { send, store, sent } = sender({ now: () => opened.getTime() })
    const { record } = await send(caller(tenant), picture(await addUpload(tenant)))
    await sql`update messages set send_due_at = now() - interval '1 second' where workspace_id = ${tenant.workspaceId}`
    const [found] = (await store.overdueSends(1_000)).filter(({ id }) => id === sent[0]?.id)
    assert.deepEqual(found?.free, sent[0]?.free)
    assert.deepEqual(found?.free, {
      content: {
        kind: 'media',
        media: { kind: 'image', file: { providerMediaId: '1037' }, caption: null, fileName: null },
      },
      about: null,
    })
    const attempt = await store.startSending(startOf(found.id))
    const verdict = {
      type: 'accepted',
      providerMessageId: `wamid.${found.id}`,
      held: false,
      recipientPhone: null,
    } as const
    await store.finishSend({
      messageId: found.id,
      recipientId: null,
      attempt: attempt ?? 0,
      by: 'single',
      verdict,
      failure: null,
    })
    const [row] = await sql`select content, details from messages where id = ${found.id}`
    assert.deepEqual([row?.['content'], row?.['details']], [null, record.details])
  })
})

describe('an uploaded file', () => {
  test('stays as long as a message shows it, whatever its end', async () => {
    const tenant = await addTenant(sql)
    await conversationOf(tenant, { lastInboundAt: opened })
    const { send } = sender({ now: () => opened.getTime() })
    const [used, unused] = [await addUpload(tenant), await addUpload(tenant)]
    const { record }: { record: MessageRecord } = await send(caller(tenant), picture(used))
    assert.deepEqual(record.media, { mimeType: 'image/png', fileName: 'a.png', sizeBytes: 3, sha256: 'ab' })
    const retention = createRetentionStore(sql)
    const left = async () =>
      (await sql<{ id: UploadId }[]>`select id from uploads where workspace_id = ${tenant.workspaceId}`).map(
        ({ id }) => id,
      )
    await retention.removeUploads()
    assert.deepEqual(new Set(await left()), new Set([used, unused]))
    await sql`update uploads set expires_at = now() - interval '1 second' where workspace_id = ${tenant.workspaceId}`
    await retention.removeUploads()
    assert.deepEqual(await left(), [used])
    const [toLookAt] = await sql`
      select count(*)::int as count from uploads
      where workspace_id = ${tenant.workspaceId} and expires_at > '-infinity' and expires_at < now()`
    assert.equal(toLookAt?.['count'], 0, 'it is not looked at again')
    assert.equal(await codeOf(send(caller(tenant), picture(used))), 'MEDIA_NOT_FOUND')
    // Contents go after a day; with the last message that shows it, the file goes too.
    await sql`update workspaces set content_days = 1 where id = ${tenant.workspaceId}`
    await sql`update messages set send_state = 'ACCEPTED' where workspace_id = ${tenant.workspaceId}`
    await retention.removeContents(Date.now() + 2 * day)
    assert.deepEqual(await left(), [])
    const gone =
      await sql`select key from blob_deletions where key in ${sql([`x/upload-${used}`, `x/upload-${unused}`])}`
    assert.equal(gone.length, 2)
  })

  test('goes with its last message, also where two that show it are emptied at once', async () => {
    const tenant = await addTenant(sql)
    await conversationOf(tenant, { lastInboundAt: opened })
    const { send } = sender({ now: () => opened.getTime() })
    const shown = await addUpload(tenant)
    for (let count = 0; count < 2; count += 1) await send(caller(tenant), picture(shown))
    const { workspaceId } = tenant
    const [one, other] = await sql<
      { id: Uuid }[]
    >`select id from messages where workspace_id = ${workspaceId}`
    const empty = (tx: Sql, message: { readonly id: Uuid } | undefined) =>
      deleteFiles(tx, workspaceId, { ids: [message?.id ?? assert.fail()], jobId: null })
    const { second } = await sql.begin(async (tx) => {
      await empty(tx, one)
      const second = sql.begin((later) => empty(later, other))
      await eventually(async () => {
        const [me] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
        const waiting = await sql`
          select from pg_stat_activity where ${me?.pid ?? 0}::integer = any(pg_blocking_pids(pid))`
        return waiting.length > 0
      })
      return { second }
    })
    await second
    assert.equal((await sql`select from uploads where id = ${shown}`).length, 0)
    assert.equal((await sql`select from blob_deletions where key = ${`x/upload-${shown}`}`).length, 1)
  })

  test('that ends between the look and the write is told, and costs no other message of the batch', async () => {
    const tenant = await addTenant(sql)
    const ids = await conversationOf(tenant, { lastInboundAt: opened })
    const { store } = sender({ now: () => opened.getTime() })
    const gone = newId('upload')
    const row = (uploadId: UploadId | null) => ({
      ...{ id: newId('message'), workspaceId: tenant.workspaceId, numberId: tenant.numberId, ...ids },
      ...{ text: '', template: null, metadata: {}, keyId: null, idempotencyKey: null, idempotencyHash: null },
      createdAt: new Date(),
      free: {
        message: { content: { kind: 'text', body: 'x', previewUrl: false }, about: null },
        ...{ type: 'TEXT' as const, text: '', details: null },
        upload: uploadId && ({ id: uploadId } as never),
      } as const,
    })
    assert.deepEqual(await Promise.all([store.insertOutbound(row(gone)), store.insertOutbound(row(null))]), [
      false,
      true,
    ])
  })
})
