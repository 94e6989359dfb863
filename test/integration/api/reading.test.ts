import assert from 'node:assert/strict'
import * as v from 'valibot'
import { conversationView } from '../../../src/api/schemas/conversations.ts'
import { pageOf } from '../../../src/api/schemas/fields.ts'
import { messageView } from '../../../src/api/schemas/messages.ts'
import type { ProviderError, ProviderResult } from '../../../src/contract/provider.ts'
import { scopes } from '../../../src/contract/scopes.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { message, type Thread, thread, workspace } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { gateway } from './gateway.ts'

const sql = testPool(await testDatabase())

const error: ProviderError = {
  code: '131009',
  title: 'Parameter value is not valid',
  details: null,
  httpStatus: 400,
  class: 'permanent',
  retryAfterMs: null,
}

/** A workspace, and a provider that records its requests and gives this answer. */
async function party(answer: ProviderResult<null> = { type: 'ok', value: null }) {
  const asked: unknown[] = []
  const { call, keyFor } = gateway(sql, {
    provider: {
      markRead: async (account, providerMessageId, options) => {
        asked.push([account.phoneNumberId, providerMessageId, ...(options ? [options] : [])])
        return answer
      },
    },
  })
  const own = await thread(sql, await workspace(sql))
  const key = await keyFor(own.workspaceId, scopes)
  return { own, asked, send: (parts: Parameters<typeof call>[1]) => call(key, parts) }
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

/** Inserts an unread message as an incoming one: the row and the unread count of its conversation, together. */
async function inbound(own: Thread, minutes = 1, row: Record<string, unknown> = {}) {
  const providerMessageId = `wamid.${newId('message')}`
  const createdAt = minutesAgo(minutes)
  const id = await sql.begin(async (transaction) => {
    await transaction`update conversations set unread_count = unread_count + 1 where id = ${own.conversationId}`
    return message(transaction, own, {
      ...{ direction: 'INBOUND', type: 'TEXT', status: 'RECEIVED', providerMessageId, createdAt },
      ...row,
    })
  })
  return { id: encodeId('message', id), providerMessageId }
}

const unread = async ({ conversationId }: Thread): Promise<number> => {
  const [row] = await sql`
    select c.unread_count, (select count(*) from messages where conversation_id = c.id and status = 'RECEIVED') as rows
    from conversations c
    where c.id = ${conversationId}`
  assert.equal(row?.['unreadCount'], Number(row?.['rows']), 'the count is that of the rows')
  return Number(row?.['rows'])
}

const post = (path: string, body?: unknown) => ({ method: 'POST', path, body })
const conversation = (own: Thread, action: string) =>
  post(`/conversations/${encodeId('conversation', own.conversationId)}/${action}`)

describe('POST /messages/chat/:id/read', () => {
  test('tells the provider once, marks it and what came before it, and gives the message', async () => {
    const { own, asked, send } = await party()
    const phoneNumberId = `pn-${own.numberId}`
    // The latest message arrives first.
    const last = await inbound(own, 1)
    const first = await inbound(own, 3)
    const middle = await inbound(own, 2)
    const read = await send(post(`/messages/chat/${middle.id}/read`))
    assert.deepEqual([read.status, read.json.id, read.json.status], [200, middle.id, 'READ'])
    assert.ok(Date.parse(read.json.readAt) > Date.now() - 60_000)
    assert.deepEqual(v.parse(messageView, read.json), read.json)
    const statusOf = async (id: string) => (await send({ path: `/messages/chat/${id}` })).json.status
    assert.deepEqual([await statusOf(first.id), await statusOf(last.id)], ['READ', 'RECEIVED'])
    assert.equal(await unread(own), 1)
    const again = await send(post(`/messages/chat/${middle.id}/read`, {}))
    assert.deepEqual([again.status, again.json], [200, read.json])
    assert.equal((await send(post(`/messages/chat/${first.id}/read`))).status, 200)
    assert.deepEqual(asked, [[phoneNumberId, middle.providerMessageId]])
  })

  test('is INVALID_STATE for an outbound one and NOT_FOUND for what is not there', async () => {
    const { own, asked, send } = await party()
    const outbound = encodeId('message', await message(sql, own))
    const { status, json } = await send(post(`/messages/chat/${outbound}/read`))
    assert.deepEqual([status, json.error.code], [409, 'INVALID_STATE'])
    assert.match(json.error.message, /OUTBOUND/)
    const theirs = await inbound(await thread(sql, await workspace(sql)))
    for (const id of [theirs.id, encodeId('message', newId('message'))]) {
      const answer = await send(post(`/messages/chat/${id}/read`))
      assert.deepEqual([answer.status, answer.json.error.code], [404, 'NOT_FOUND'])
    }
    assert.deepEqual(asked, [])
  })

  test('takes no fields', async () => {
    const { own, send } = await party()
    const { id } = await inbound(own)
    const { status, json } = await send(post(`/messages/chat/${id}/read`, { typing: true }))
    assert.deepEqual([status, json.error.details[0].path], [400, 'typing'])
    assert.equal(await unread(own), 1)
  })

  for (const type of ['refused', 'notSent'] as const)
    test(`is PROVIDER_ERROR and leaves it unread when the provider's word is ${type}`, async () => {
      const { own, send } = await party({ type, error })
      const { id } = await inbound(own)
      const { status, json } = await send(post(`/messages/chat/${id}/read`))
      assert.deepEqual([status, json.error.code], [502, 'PROVIDER_ERROR'])
      assert.deepEqual(json.error.details, [
        { path: 'provider.code', message: '131009' },
        { path: 'provider.title', message: 'Parameter value is not valid' },
      ])
      assert.equal(await unread(own), 1)
    })

  test('counts as done when the answer of the provider was lost', async () => {
    const { own, send } = await party({ type: 'unknown', error })
    const { id } = await inbound(own)
    assert.equal((await send(post(`/messages/chat/${id}/read`))).json.status, 'READ')
  })

  test('asks nobody about a message that is older than the provider takes', async () => {
    const { own, asked, send } = await party({ type: 'refused', error })
    const { id } = await inbound(own, 31 * 24 * 60)
    assert.equal((await send(post(`/messages/chat/${id}/read`))).json.status, 'READ')
    assert.deepEqual([await unread(own), asked], [0, []])
  })
})

describe('POST /conversations/:id/read', () => {
  test('reads all of it with one request, on the newest; repeated, there is nothing left', async () => {
    const { own, asked, send } = await party()
    await inbound(own, 3)
    const newest = await inbound(own, 1)
    await inbound(own, 2)
    const conversationId = encodeId('conversation', own.conversationId)
    const { status, json } = await send(conversation(own, 'read'))
    assert.deepEqual([status, json], [200, { conversationId, markedRead: 3 }])
    assert.equal(await unread(own), 0)
    assert.deepEqual((await send(conversation(own, 'read'))).json, { conversationId, markedRead: 0 })
    assert.deepEqual(asked, [[`pn-${own.numberId}`, newest.providerMessageId]])
  })

  test('of two at once each message is counted by one, and what arrives meanwhile stays unread', async () => {
    const { own, send } = await party()
    for (let index = 0; index < 20; index += 1) await inbound(own, 30 - index)
    const [one, other] = await Promise.all([
      send(conversation(own, 'read')),
      send(conversation(own, 'read')),
      inbound(own, 0),
    ])
    const marked = one?.json.markedRead + other?.json.markedRead
    assert.equal(marked + (await unread(own)), 21)
  })

  test("is NOT_FOUND for another workspace's", async () => {
    const { send } = await party()
    const theirs = await thread(sql, await workspace(sql))
    for (const action of ['read', 'typing']) {
      const { status, json } = await send(conversation(theirs, action))
      assert.deepEqual([status, json.error.code], [404, 'NOT_FOUND'])
    }
  })
})

describe('POST /conversations/:id/typing', () => {
  test('shows it below the newest inbound message, and that marks as read', async () => {
    const { own, asked, send } = await party()
    await inbound(own, 2)
    const newest = await inbound(own, 1)
    await message(sql, own)
    const conversationId = encodeId('conversation', own.conversationId)
    const first = await send(conversation(own, 'typing'))
    assert.deepEqual([first.status, first.json], [202, { conversationId, markedRead: 2 }])
    assert.equal(await unread(own), 0)
    const second = await send(conversation(own, 'typing'))
    assert.deepEqual([second.status, second.json], [202, { conversationId, markedRead: 0 }])
    const request = [`pn-${own.numberId}`, newest.providerMessageId, { typing: true }]
    assert.deepEqual(asked, [request, request])
  })

  test('is INVALID_STATE where the customer wrote nothing within 30 days', async () => {
    const { own, asked, send } = await party()
    await message(sql, own)
    const code = async () => (await send(conversation(own, 'typing'))).json.error.code
    assert.equal(await code(), 'INVALID_STATE')
    await inbound(own, 31 * 24 * 60)
    assert.equal(await code(), 'INVALID_STATE')
    assert.deepEqual([await unread(own), asked], [1, []])
  })

  test('is PROVIDER_ERROR when the provider refuses', async () => {
    const { own, send } = await party({ type: 'refused', error })
    await inbound(own)
    assert.equal((await send(conversation(own, 'typing'))).json.error.code, 'PROVIDER_ERROR')
    assert.equal(await unread(own), 1)
  })
})

describe('GET /conversations', () => {
  const touch = ({ conversationId }: Thread, minutes: number) =>
    sql`update conversations set updated_at = ${minutesAgo(minutes)} where id = ${conversationId}`

  test('has every field of the record', async () => {
    const { own, send } = await party()
    const { id } = await inbound(own, 1, { text: 'Is it open?' })
    const callPermission = { response: 'accept', granted: true, isPermanent: true, source: 'user_action' }
    await sql`
      update conversations
      set last_message_id = (select id from messages where conversation_id = ${own.conversationId}),
        last_inbound_at = '2026-11-20T14:21:03.127Z', call_permission = ${sql.json(callPermission)}
      where id = ${own.conversationId}`
    const { status, json } = await send({ path: '/conversations' })
    assert.equal(status, 200)
    assert.deepEqual(v.parse(pageOf(conversationView), json), json)
    const [{ createdAt, updatedAt, lastMessage, ...rest }] = json.data
    assert.ok(createdAt <= updatedAt)
    assert.deepEqual(
      { ...lastMessage, at: undefined },
      { id, direction: 'INBOUND', type: 'TEXT', text: 'Is it open?', at: undefined },
    )
    assert.deepEqual(rest, {
      id: encodeId('conversation', own.conversationId),
      numberId: encodeId('number', own.numberId),
      number: own.number,
      contact: {
        waId: own.waId,
        number: `+${own.waId}`,
        userId: null,
        username: null,
        name: 'Ines',
        optedOut: false,
        marketingOptedOut: false,
      },
      group: null,
      unreadCount: 1,
      lastInboundAt: '2026-11-20T14:21:03.127Z',
      windowExpiresAt: '2026-11-21T14:21:03.127Z',
      callPermission: { ...callPermission, expiresAt: null },
    })
  })

  test('pages show nothing twice and miss nothing that stands still, while others become active', async () => {
    const { own, send } = await party()
    const all = [own]
    for (let index = 0; index < 6; index += 1) all.push(await thread(sql, own.workspaceId))
    // Two conversations have the same time: the id decides their order.
    for (const [index, one] of all.entries()) await touch(one, index === 3 ? 12 : 10 + index)
    const [shown, ahead] = [own, all[6] ?? assert.fail()]
    const first = (await send({ path: '/conversations?limit=2' })).json
    await Promise.all([touch(shown, 0), touch(ahead, 0)])
    const pages = [first.data]
    for (let { nextCursor } = first; nextCursor !== null; ) {
      const { json } = await send({ path: `/conversations?limit=2&cursor=${nextCursor}` })
      pages.push(json.data)
      nextCursor = json.nextCursor
    }
    const seen: string[] = pages.flat().map(({ id }) => id)
    assert.equal(new Set(seen).size, seen.length)
    const still = all.slice(0, 6).map(({ conversationId }) => encodeId('conversation', conversationId))
    assert.deepEqual(seen.toSorted(), still.toSorted())
  })

  test('every filter keeps what it names', async () => {
    const { own, send } = await party()
    const other = await thread(sql, own.workspaceId)
    await touch(own, 10)
    await touch(other, 20)
    await inbound(own)
    const list = async (query: string) => {
      const { json } = await send({ path: `/conversations?${query}` })
      return json.data.map((one: { id: string }) => one.id)
    }
    const [mine, theirs] = [own, other].map((one) => encodeId('conversation', one.conversationId))
    assert.deepEqual(await list('unread=true'), [mine])
    assert.deepEqual(await list('unread=false'), [theirs])
    assert.deepEqual(await list(`numberId=${encodeId('number', own.numberId)}`), [mine])
    assert.deepEqual(await list(`contact=%2B${other.waId}`), [theirs])
    assert.deepEqual(await list(`since=${minutesAgo(15).toISOString()}`), [mine])
    assert.deepEqual(await list(`until=${minutesAgo(15).toISOString()}`), [theirs])
    assert.deepEqual(await list(''), [mine, theirs])
  })

  test("takes no other list's cursor and no unknown filter", async () => {
    const { own, send } = await party()
    await Promise.all([message(sql, own), message(sql, own)])
    const { json } = await send({ path: '/messages/chat?limit=1' })
    for (const query of [`cursor=${json.nextCursor}`, 'unread=1', 'status=RECEIVED', 'numberId=x']) {
      const answer = await send({ path: `/conversations?${query}` })
      assert.deepEqual([answer.status, answer.json.error.code], [400, 'VALIDATION_ERROR'], query)
    }
  })
})
