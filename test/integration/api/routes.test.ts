import assert from 'node:assert/strict'
import * as v from 'valibot'
import { callView, offerView } from '../../../src/api/schemas/calls.ts'
import { pageOf } from '../../../src/api/schemas/fields.ts'
import { messageView } from '../../../src/api/schemas/messages.ts'
import { scopes } from '../../../src/contract/scopes.ts'
import { connectPool } from '../../../src/platform/postgres/sql.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { call as callRow, message, thread, workspace } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { type Decided, gateway } from './gateway.ts'

const sql = testPool(await testDatabase())
const template = { name: 'order_ready', language: 'en_US' }
const sdp = 'v=0\r\n'

async function party(decided: Partial<Decided> = {}) {
  const { call, keyFor } = gateway(sql, decided)
  const own = await thread(sql, await workspace(sql))
  const key = await keyFor(own.workspaceId, scopes)
  return { own, send: (parts: Parameters<typeof call>[1]) => call(key, parts) }
}

const recordOf = async (id: string, send: Awaited<ReturnType<typeof party>>['send']) =>
  (await send({ path: `/messages/chat/${id}` })).json

describe('POST /messages/chat', () => {
  test('is 202 with the message, and hands on the caller and what was asked for', async () => {
    const asked: unknown[] = []
    const setup = await party({
      send: async (caller, input) => {
        asked.push(caller.workspaceId, caller.keyName, input)
        return { record: await recordOf(encodeId('message', id), setup.send), replayed: false }
      },
    })
    const id = await message(sql, setup.own)
    const body = { to: '+15551230000', template, metadata: { a: 'b' } }
    const { status, json, headers } = await setup.send({ path: '/messages/chat', body })
    assert.equal(status, 202)
    assert.equal(headers['idempotent-replayed'], undefined)
    assert.deepEqual(v.parse(messageView, json), json)
    assert.deepEqual(asked, [
      setup.own.workspaceId,
      'backend',
      {
        to: '15551230000',
        template: { ...template, variables: {} },
        idempotencyKey: null,
        from: null,
        metadata: { a: 'b' },
      },
    ])
  })

  test('a replay is 200 and says so', async () => {
    const setup = await party({
      send: async () => ({
        record: await recordOf(encodeId('message', id), setup.send),
        replayed: true,
      }),
    })
    const id = await message(sql, setup.own)
    const body = { to: '+15551230000', template, idempotencyKey: 'k' }
    const { status, headers } = await setup.send({ path: '/messages/chat', body })
    assert.deepEqual([status, headers['idempotent-replayed']], [200, 'true'])
  })

  test('names the path of what is wrong in its message', async () => {
    const { send } = await party()
    const { status, json } = await send({ path: '/messages/chat', body: { to: '0151', template } })
    assert.equal(status, 400)
    assert.match(json.error.message, /^to must be a phone number in international format/)
    assert.equal(json.error.details[0].path, 'to')
  })
})

describe('reading', () => {
  test('a list is data and nextCursor, and its cursor leads on to the end', async () => {
    const { own, send } = await party()
    const ids = []
    for (let index = 0; index < 5; index += 1) ids.unshift(encodeId('message', await message(sql, own)))
    const seen: string[] = []
    for (let path: string | undefined = '/messages/chat?limit=2'; path; ) {
      const { status, json } = await send({ path })
      assert.equal(status, 200)
      assert.deepEqual(v.parse(pageOf(messageView), json), json)
      seen.push(...json.data.map((record: { id: string }) => record.id))
      path = json.nextCursor === null ? undefined : `/messages/chat?limit=2&cursor=${json.nextCursor}`
    }
    assert.deepEqual(seen, ids)
  })

  test('a cursor of another list, a limit out of bounds and an unknown filter are VALIDATION_ERROR', async () => {
    const { own, send } = await party()
    await message(sql, own)
    await message(sql, own)
    const { json } = await send({ path: '/messages/chat?limit=1' })
    const bad = [
      `/calls?cursor=${json.nextCursor}`,
      '/calls?limit=0',
      '/calls?limit=201',
      '/calls?state=RINGING',
      '/calls?live=1',
      '/calls?conversationId=123',
      '/templates?status=approved',
      '/numbers?name=x',
      '/messages/chat?since=yesterday',
      '/messages/chat?direction=INBOUND&direction=OUTBOUND',
    ]
    for (const path of bad) {
      const answer = await send({ path })
      assert.deepEqual([answer.status, answer.json.error.code], [400, 'VALIDATION_ERROR'], path)
      assert.equal(answer.json.error.details.length, 1, path)
    }
  })

  test("another workspace's id, an unknown one and a malformed one are the same NOT_FOUND", async () => {
    const { send } = await party()
    const theirs = await thread(sql, await workspace(sql))
    const templateId = newId('template')
    await sql`
      insert into templates (id, workspace_id, name, language, category, status, components)
      values (${templateId}, ${theirs.workspaceId}, 'order_ready', 'en_US', 'UTILITY', 'APPROVED', '[]')`
    const paths = [
      `/messages/chat/${encodeId('message', await message(sql, theirs))}`,
      `/messages/chat/${encodeId('message', newId('message'))}`,
      `/calls/${encodeId('call', await callRow(sql, theirs))}`,
      `/calls/${encodeId('call', newId('call'))}`,
      `/conversations/${encodeId('conversation', theirs.conversationId)}`,
      `/conversations/${encodeId('conversation', newId('conversation'))}`,
      `/templates/${encodeId('template', templateId)}`,
      `/templates/${encodeId('template', newId('template'))}`,
      `/numbers/${encodeId('number', theirs.numberId)}`,
      `/numbers/${encodeId('number', newId('number'))}`,
    ]
    for (const path of paths) {
      const { status, json } = await send({ path })
      const { message: text, ...rest } = json.error
      const docs = 'http://gateway.test/docs/errors/NOT_FOUND'
      assert.deepEqual([status, rest], [404, { code: 'NOT_FOUND', requestId: 'req-1', docs }])
      assert.match(text, /there is no such (message|call|conversation|template|number) in this workspace/)
    }
    for (const id of ['x', encodeId('call', newId('call')), '%00', "'"]) {
      assert.equal((await send({ path: `/messages/chat/${id}` })).json.error.code, 'NOT_FOUND', id)
    }
  })

  test('a call is read singly and in the list', async () => {
    const { own, send } = await party()
    const id = encodeId('call', await callRow(sql, own))
    const single = (await send({ path: `/calls/${id}` })).json
    assert.deepEqual(v.parse(callView, single), single)
    assert.deepEqual((await send({ path: `/calls?live=true&contact=%2B${own.waId}` })).json.data, [single])
  })
})

describe('calls', () => {
  test('answer, action, offer and place hand on what was asked, with their own status', async () => {
    const asked: unknown[] = []
    const setup = await party({
      answer: async (...args) => note('answer', args),
      act: async (...args) => note('act', args),
      offer: async (ws, id) => {
        asked.push(['offer', ws, id])
        return {
          callId: encodeId('call', id),
          session: { sdpType: 'offer', sdp },
          fetchedAt: new Date().toISOString(),
        }
      },
      place: async ({ workspaceId }, ...args) => ({
        record: await note('place', [workspaceId, ...args]),
        replayed: args[1].idempotencyKey === 'again',
      }),
    })
    const { own, send } = setup
    const callId = await callRow(sql, own)
    const id = encodeId('call', callId)
    const record = (await send({ path: `/calls/${id}` })).json
    async function note(name: string, args: unknown[]) {
      asked.push([name, ...args])
      return record
    }
    const answer = { sdpType: 'answer', sdp }
    const offer = { sdpType: 'offer', sdp }
    const place = `/conversations/${encodeId('conversation', own.conversationId)}/call`
    const answers = [
      await send({ path: `/calls/${id}/answer`, body: { session: answer } }),
      await send({ path: `/calls/${id}/action`, body: { action: 'PRE_ACCEPT', session: answer } }),
      await send({ path: `/calls/${id}/action`, body: { action: 'HANG_UP' } }),
      await send({ path: place, body: { session: offer } }),
      await send({ path: place, body: { session: offer }, headers: { 'idempotency-key': 'again' } }),
    ]
    assert.deepEqual(
      answers.map(({ status, json }) => [status, json]),
      [200, 200, 200, 202, 200].map((status) => [status, record]),
    )
    const offered = await send({ path: `/calls/${id}/offer` })
    assert.deepEqual(v.parse(offerView, offered.json), offered.json)
    const ws = own.workspaceId
    assert.deepEqual(asked, [
      ['answer', ws, callId, answer],
      ['act', ws, callId, { action: 'PRE_ACCEPT', session: answer }],
      ['act', ws, callId, { action: 'HANG_UP' }],
      ['place', ws, own.conversationId, { session: offer, idempotencyKey: null }],
      ['place', ws, own.conversationId, { session: offer, idempotencyKey: 'again' }],
      ['offer', ws, callId],
    ])
  })

  test('an id of another kind is NOT_FOUND before the body is judged', async () => {
    const { own, send } = await party()
    const conversation = encodeId('conversation', own.conversationId)
    const { status, json } = await send({ path: `/calls/${conversation}/answer`, body: {} })
    assert.deepEqual([status, json.error.code], [404, 'NOT_FOUND'])
  })
})

describe('trouble', () => {
  test('a database that is not there is UNAVAILABLE with Retry-After', async () => {
    const gone = connectPool({ url: 'postgres://nobody@127.0.0.1:1/none', max: 1, name: 'test' })
    const { call } = gateway(gone)
    const key = await gateway(sql).keyFor(await workspace(sql), ['CATALOG_READ'])
    const { status, json, headers } = await call(key, { path: '/numbers' })
    await gone.end({ timeout: 0 })
    assert.deepEqual([status, json.error.code, headers['retry-after']], [503, 'UNAVAILABLE', '2'])
  })

  test('what a domain throws unforeseen is INTERNAL', async () => {
    const { own, send } = await party()
    const id = encodeId('call', await callRow(sql, own))
    const { status, json } = await send({ path: `/calls/${id}/offer` })
    assert.deepEqual([status, json.error.code], [500, 'INTERNAL'])
    assert.doesNotMatch(JSON.stringify(json), /decides nothing/)
  })
})
