import assert from 'node:assert/strict'
import * as v from 'valibot'
import { messageView } from '../../../src/api/schemas/messages.ts'
import type { MessageFilter } from '../../../src/contract/filters.ts'
import type { Page } from '../../../src/contract/page.ts'
import type { MessageRecord, MessageStatus } from '../../../src/contract/records/message.ts'
import { createMessageReader } from '../../../src/messaging/store/messages-read.store.ts'
import { decodeId, encodeId, idFloor, newId } from '../../../src/shared/ids.ts'
import { apiKey, message, type Thread, thread, workspace } from '../../support/fixtures.ts'
import { before, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'

const sql = testPool(await testDatabase())
const reader = createMessageReader(sql)
const ids = (page: Page<MessageRecord>) => page.data.map(({ id }) => id)

describe('one message', () => {
  test('outbound: every field of the record, joined from where it lives', async () => {
    const party = await thread(sql, await workspace(sql))
    const key = await apiKey(sql, party.workspaceId, ['CHAT_SEND'])
    const template = { name: 'order_ready', language: 'en_US', variables: { first_name: 'Ines' } }
    const id = await message(sql, party, {
      status: 'FAILED',
      template: sql.json(template),
      metadata: sql.json({ order: 'A-1', first_name: 'kept as it is' }),
      error: sql.json({ code: '131026', title: 'Undeliverable' }),
      providerMessageId: `wamid.${newId('message')}`,
      apiKeyId: key.id,
      idempotencyKey: 'order-1',
      createdAt: new Date('2026-11-20T10:00:00.123Z'),
      failedAt: new Date('2026-11-20T10:00:01.456Z'),
    })
    const record = await reader.find(party.workspaceId, id)
    const { providerMessageId, ...rest } = record ?? assert.fail('not found')
    assert.match(String(providerMessageId), /^wamid\./)
    assert.deepEqual(rest, {
      id: encodeId('message', id),
      conversationId: encodeId('conversation', party.conversationId),
      direction: 'OUTBOUND',
      type: 'TEMPLATE',
      status: 'FAILED',
      text: 'Hello',
      template,
      from: party.number,
      fromName: null,
      to: party.waId,
      userId: null,
      username: null,
      numberId: encodeId('number', party.numberId),
      error: { code: '131026', title: 'Undeliverable' },
      media: null,
      details: null,
      metadata: { order: 'A-1', first_name: 'kept as it is' },
      caller: {
        apiKeyId: encodeId('key', key.id),
        apiKeyName: 'backend',
        idempotencyKey: 'order-1',
        campaignId: null,
      },
      createdAt: '2026-11-20T10:00:00.123Z',
      sentAt: null,
      deliveredAt: null,
      readAt: null,
      failedAt: '2026-11-20T10:00:01.456Z',
    })
  })

  test('inbound: from the customer as digits to the number with a plus, with its attachment and no caller', async () => {
    const party = await thread(sql, await workspace(sql))
    const callPermission = { response: 'accept', granted: true, isPermanent: false, source: 'user_action' }
    const id = await message(sql, party, {
      direction: 'INBOUND',
      type: 'IMAGE',
      status: 'RECEIVED',
      fromName: 'Ines',
      details: sql.json({ callPermission }),
    })
    await sql`
      insert into media (message_id, workspace_id, provider_media_id, mime_type, file_name, size_bytes, sha256)
      values (${id}, ${party.workspaceId}, 'm1', 'image/png', 'a.png', 5000000000, 'ab')`
    const record = (await reader.find(party.workspaceId, id)) ?? assert.fail('not found')
    assert.deepEqual(
      [record.from, record.to, record.fromName, record.caller],
      [party.waId, party.number, 'Ines', null],
    )
    assert.deepEqual(record.media, {
      mimeType: 'image/png',
      fileName: 'a.png',
      sizeBytes: 5_000_000_000,
      sha256: 'ab',
    })
    assert.deepEqual(record.details, { callPermission: { ...callPermission, expiresAt: null } })
    assert.deepEqual(v.parse(messageView, record), record)
  })

  test('of another workspace is not found', async () => {
    const party = await thread(sql, await workspace(sql))
    const id = await message(sql, party)
    assert.equal(await reader.find(await workspace(sql), id), undefined)
    assert.equal(await reader.find(party.workspaceId, newId('message')), undefined)
  })
})

test('a message that the provider delivers days late is listed by its own time, in the place of its arrival', async () => {
  const party = await thread(sql, await workspace(sql))
  const day = 86_400_000
  const at = (days: number) => new Date(Date.now() - days * day)
  const early = await message(sql, party, { direction: 'INBOUND', createdAt: at(0) })
  const late = await message(sql, party, { direction: 'INBOUND', createdAt: at(6) })
  const listed = async (filter: MessageFilter) =>
    ids(await reader.list(party.workspaceId, filter, { limit: 10 }))
  assert.deepEqual(await listed({}), [encodeId('message', late), encodeId('message', early)])
  assert.deepEqual(await listed({ since: at(7), until: at(5) }), [encodeId('message', late)])
})

describe('messages up to a time', () => {
  const minute = 60_000
  const hour = 60 * minute
  const day = 24 * hour
  const end = Date.UTC(2026, 10, 1)
  const written: { id: string; createdAt: Date; shop: string; status: MessageStatus }[] = []
  const kindsOf = [
    { status: 'READ', shop: 'North' },
    { status: 'RECEIVED', shop: 'South' },
    { status: 'RECEIVED', shop: 'North' },
  ] as const
  let party: Thread

  before(async () => {
    party = await thread(sql, await workspace(sql))
    const moments = [-day, -5 * minute, -minute, -1, 0, 1, minute, 5 * minute, day]
    // After more than a week it was kept, and applied again.
    const delays = [0, minute - 1, minute, minute + 1, 3 * hour, day, 7 * day, 25 * day]
    for (const [count, [at, delay]] of moments
      .flatMap((at) => delays.map((delay) => [at, delay] as const))
      .entries()) {
      const id = `${idFloor(end + at + delay).slice(0, -12)}${String(count).padStart(12, '0')}`
      const kind = kindsOf[count % kindsOf.length] ?? assert.fail()
      const row = { id, createdAt: new Date(end + at), ...kind }
      written.push(row)
      const metadata = sql.json({ shop: row.shop })
      await message(sql, party, {
        id,
        status: row.status,
        direction: 'INBOUND',
        createdAt: row.createdAt,
        metadata,
      })
    }
  })

  async function pagesOf(filter: MessageFilter): Promise<string[]> {
    const found: string[] = []
    let after: readonly string[] | undefined
    do {
      const page: Page<MessageRecord> = await reader.list(party.workspaceId, filter, { limit: 3, after })
      found.push(...page.data.map(({ id }) => decodeId('message', id) ?? id))
      after = page.next
    } while (after)
    return found
  }

  const kinds: Readonly<Record<string, MessageFilter>> = {
    'of all kinds': {},
    'of a state': { status: 'READ' },
    'of two states': { status: ['READ', 'RECEIVED'] },
    'of a direction': { direction: 'INBOUND' },
    'with a pair of metadata': { metadata: { shop: 'North' } },
    'with a pair and a state': { metadata: { shop: 'North' }, status: 'READ' },
  }
  for (const [name, filter] of Object.entries(kinds))
    for (const since of [undefined, new Date(end - 2 * minute)])
      test(`${name}${since ? ' since another' : ''} are those created before it, however late they came`, async () => {
        const { status = [], metadata } = filter
        const states = [status].flat()
        const expected = written
          .filter(({ createdAt }) => createdAt.getTime() < end && (!since || createdAt >= since))
          .filter((one) => states.length === 0 || states.includes(one.status))
          .filter(({ shop }) => metadata === undefined || metadata['shop'] === shop)
        assert.ok(expected.length > 2)
        assert.deepEqual(
          await pagesOf({ ...filter, since, until: new Date(end) }),
          expected
            .map(({ id }) => id)
            .sort()
            .reverse(),
        )
      })

  test('of a conversation are read from its own index', async () => {
    const filter = { conversationId: party.conversationId, until: new Date(end) }
    assert.deepEqual(await pagesOf(filter), await pagesOf({ until: new Date(end) }))
  })
})

describe('the log', () => {
  test('pages hold every message once, newest first, while more are being written', async () => {
    const party = await thread(sql, await workspace(sql))
    const written = []
    for (let index = 0; index < 7; index += 1) written.push(await message(sql, party))
    const seen: string[] = []
    let after: readonly string[] | undefined
    do {
      const page: Page<MessageRecord> = await reader.list(party.workspaceId, {}, { limit: 3, after })
      seen.push(...ids(page))
      after = page.next
      await message(sql, party)
    } while (after)
    assert.deepEqual(seen, written.map((id) => encodeId('message', id)).reverse())
  })

  test('every filter keeps what it names and nothing else', async () => {
    const ws = await workspace(sql)
    const one = await thread(sql, ws)
    const other = await thread(sql, ws)
    const campaignId = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, template_name, template_language)
      values (${campaignId}, ${ws}, 'c', 't', 'en')`
    const wanted = await message(sql, one, {
      direction: 'INBOUND',
      type: 'TEXT',
      status: 'READ',
      campaignId,
      createdAt: new Date('2026-11-20T10:00:00Z'),
    })
    await message(sql, other, { createdAt: new Date('2026-11-20T12:00:00Z') })
    await message(sql, await thread(sql, await workspace(sql)), {
      direction: 'INBOUND',
      type: 'TEXT',
      status: 'READ',
    })
    const filters: MessageFilter[] = [
      { direction: 'INBOUND' },
      { type: 'TEXT' },
      { status: 'READ' },
      { conversationId: one.conversationId },
      { contact: one.waId },
      { numberId: one.numberId },
      { campaignId },
      { direction: 'INBOUND', contact: one.waId, type: 'TEXT' },
    ]
    for (const filter of filters)
      assert.deepEqual(
        ids(await reader.list(ws, filter, { limit: 50 })),
        [encodeId('message', wanted)],
        JSON.stringify(filter),
      )
    assert.deepEqual(ids(await reader.list(ws, { contact: '15550009999' }, { limit: 50 })), [])
  })

  test('a key or an id of the provider finds its own message and none of another workspace', async () => {
    const [mine, theirs] = [await thread(sql, await workspace(sql)), await thread(sql, await workspace(sql))]
    const idempotencyKey = 'order-1'
    const [providerMessageId, theirId] = [`wamid.${newId('message')}`, `wamid.${newId('message')}`]
    const wanted = await message(sql, mine, { idempotencyKey, providerMessageId })
    await message(sql, mine, { idempotencyKey: 'order-2' })
    await message(sql, theirs, { idempotencyKey, providerMessageId: theirId })
    const found = async (filter: MessageFilter) =>
      ids(await reader.list(mine.workspaceId, filter, { limit: 50 }))
    const one = [encodeId('message', wanted)]
    for (const filter of [{ idempotencyKey }, { providerMessageId }, { idempotencyKey, providerMessageId }])
      assert.deepEqual(await found(filter), one, JSON.stringify(filter))
    for (const filter of [{ providerMessageId: theirId }, { idempotencyKey, status: 'FAILED' as const }])
      assert.deepEqual(await found(filter), [], JSON.stringify(filter))
  })

  test('since takes its instant in, until leaves it out', async () => {
    const party = await thread(sql, await workspace(sql))
    const id = await message(sql, party, { createdAt: new Date() })
    const record = (await reader.find(party.workspaceId, id)) ?? assert.fail('not found')
    const at = new Date(record.createdAt)
    const later = new Date(at.getTime() + 1)
    const count = async (filter: MessageFilter) =>
      (await reader.list(party.workspaceId, filter, { limit: 50 })).data.length
    assert.deepEqual(
      [
        await count({ since: at }),
        await count({ since: later }),
        await count({ until: at }),
        await count({ until: later }),
      ],
      [1, 0, 0, 1],
    )
    assert.equal(await count({ since: at, until: later }), 1)
  })

  test('a contact of the same number in another workspace is another contact', async () => {
    const mine = await thread(sql, await workspace(sql))
    const theirs = await thread(sql, await workspace(sql))
    await message(sql, theirs)
    assert.deepEqual(ids(await reader.list(mine.workspaceId, { contact: theirs.waId }, { limit: 50 })), [])
  })
})
