import assert from 'node:assert/strict'
import * as v from 'valibot'
import { callView } from '../../../src/api/schemas/calls.ts'
import { createCallReader } from '../../../src/calls/store/calls-read.store.ts'
import type { CallFilter } from '../../../src/contract/filters.ts'
import { callStatuses, liveCallStatuses } from '../../../src/contract/records/call.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { call, endpoint, thread, workspace } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'

const sql = testPool(await testDatabase())
const reader = createCallReader(sql)

describe('one call', () => {
  test('has every field of the record, the customer as from in both directions', async () => {
    const party = await thread(sql, await workspace(sql))
    const endpointId = await endpoint(sql, party.workspaceId)
    const at = '2026-11-20T10:00:00.500Z'
    for (const direction of ['INBOUND', 'OUTBOUND']) {
      const id = await call(sql, party, {
        direction,
        status: 'COMPLETED',
        fromName: 'Ines',
        ringingAt: new Date('2026-11-20T10:00:00.001Z'),
        acceptedAt: new Date('2026-11-20T10:00:02.002Z'),
        endedAt: new Date('2026-11-20T10:01:02.003Z'),
        durationSeconds: 60,
        lastForwardError: sql.json({ code: 'TIMEOUT', message: 'no answer', endpointId, at }),
        createdAt: new Date('2026-11-20T10:00:00.000Z'),
      })
      const record = await reader.find(party.workspaceId, id)
      assert.deepEqual(record, {
        id: encodeId('call', id),
        wacid: `wacid.${id}`,
        direction,
        status: 'COMPLETED',
        from: party.waId,
        fromName: 'Ines',
        to: party.number,
        numberId: encodeId('number', party.numberId),
        phoneNumberId: `pn-${party.numberId}`,
        conversationId: encodeId('conversation', party.conversationId),
        contactWaId: party.waId,
        userId: null,
        username: null,
        ringingAt: '2026-11-20T10:00:00.001Z',
        acceptedAt: '2026-11-20T10:00:02.002Z',
        endedAt: '2026-11-20T10:01:02.003Z',
        durationSeconds: 60,
        endReason: null,
        lastForwardError: {
          code: 'TIMEOUT',
          message: 'no answer',
          endpointId: encodeId('endpoint', endpointId),
          at,
        },
        createdAt: '2026-11-20T10:00:00.000Z',
      })
      assert.deepEqual(v.parse(callView, record), record)
    }
  })

  test('of another workspace is not found', async () => {
    const party = await thread(sql, await workspace(sql))
    const id = await call(sql, party)
    assert.equal(await reader.find(await workspace(sql), id), undefined)
    assert.equal(await reader.find(party.workspaceId, newId('call')), undefined)
  })
})

describe('the log', () => {
  test('live calls are those that have not ended', async () => {
    const party = await thread(sql, await workspace(sql))
    for (const status of callStatuses) await call(sql, party, { status })
    const statuses = async (live?: boolean) => {
      const page = await reader.list(party.workspaceId, { live }, { limit: 50 })
      return page.data.map(({ status }) => status)
    }
    const ended = callStatuses.filter((status) => !(liveCallStatuses as readonly string[]).includes(status))
    assert.deepEqual((await statuses(true)).sort(), [...liveCallStatuses].sort())
    assert.deepEqual((await statuses(false)).sort(), ended.sort())
    assert.equal((await statuses()).length, callStatuses.length)
  })

  test('every filter keeps what it names and nothing else, and pages go on where they ended', async () => {
    const ws = await workspace(sql)
    const one = await thread(sql, ws)
    const other = await thread(sql, ws)
    const long = new Date('2026-01-01T00:00:00Z')
    const wanted = [await call(sql, one, { direction: 'OUTBOUND', status: 'FAILED' })]
    wanted.unshift(await call(sql, one, { direction: 'OUTBOUND', status: 'FAILED' }))
    await call(sql, other, { createdAt: long })
    await call(sql, await thread(sql, await workspace(sql)), { direction: 'OUTBOUND', status: 'FAILED' })
    const filters: CallFilter[] = [
      { direction: 'OUTBOUND' },
      { status: 'FAILED' },
      { live: false },
      { conversationId: one.conversationId },
      { contact: one.waId },
      { numberId: one.numberId },
      { since: new Date(Date.now() - 3_600_000) },
    ]
    for (const filter of filters) {
      const first = await reader.list(ws, filter, { limit: 1 })
      const second = await reader.list(ws, filter, { limit: 1, after: first.next })
      const ids = [...first.data, ...second.data].map(({ id }) => id)
      assert.deepEqual(
        ids,
        wanted.map((id) => encodeId('call', id)),
        JSON.stringify(filter),
      )
      assert.equal(second.next, undefined)
    }
  })
})
