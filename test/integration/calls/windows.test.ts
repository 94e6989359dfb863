// Calls open the 24 hours in which a customer may be answered: with the statement that begins them, or after it.
import assert from 'node:assert/strict'
import type { InboundCall } from '../../../src/calls/ports.ts'
import { createCallBeginStore } from '../../../src/calls/store/call-begin.store.ts'
import { createCallWindowStore } from '../../../src/calls/store/call-windows.store.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { begun, callsOf, isBegun } from './begins.ts'
import { addWorkspace } from './rows.ts'

const sql = testPool(await testDatabase(), 6)
const at = new Date()

describe('calls that begin', () => {
  const lastCalls = async (calls: readonly InboundCall[]) => {
    const ids = calls.map(({ ringing: { row } }) => row.conversationId)
    const rows = await sql<{ id: string; lastCallAt: Date | null }[]>`
      select id, last_call_at from conversations where id = any(${ids}::uuid[])`
    const byId = new Map(rows.map(({ id, lastCallAt }) => [id, lastCallAt?.getTime()]))
    return calls.map(({ ringing: { row } }) => byId.get(row.conversationId))
  }
  const calledAfter = (calls: readonly InboundCall[], seconds: (index: number) => number) =>
    calls.map((call, index) => ({ ...call, calledAt: new Date(at.getTime() + 1_000 * seconds(index)) }))

  test('open the time to answer, alone and together, at the latest of them', async () => {
    const workspace = await addWorkspace(sql)
    const begins = createCallBeginStore(sql)
    const calls = calledAfter(await callsOf(sql, workspace, 12), (index) => index)
    const results = await Promise.all(calls.map((call) => begins.inbound(call, 'sid-1')))
    // Those of one person may meet: whoever finds the conversation locked opens its time afterwards, as below.
    assert.ok(results.some((result) => isBegun(result).isOpen))
    const windows = createCallWindowStore(sql)
    for (const [index, result] of results.entries())
      if (!isBegun(result).isOpen) await windows.opened(isBegun(result).row.id, calls[index]?.calledAt ?? at)
    const latest = calls.map((_, index) => at.getTime() + 1_000 * (9 + (index % 3)))
    assert.deepEqual(await lastCalls(calls), latest)
    // Told late, it is no step back.
    const [late] = calledAfter(await callsOf(sql, workspace, 1), () => -60)
    assert.ok(isBegun(await begins.inbound(late ?? assert.fail(), 'sid-1')).isOpen)
    assert.deepEqual(await lastCalls(calls), latest)
  })

  test('do not wait for a locked conversation: its time is opened later', async () => {
    const workspace = await addWorkspace(sql)
    const begins = createCallBeginStore(sql)
    const calls = await callsOf(sql, workspace, 13)
    const held = calls[0]?.ringing.row.conversationId ?? assert.fail()
    await sql.begin(async (tx) => {
      await tx`select from conversations where id = ${held} for update`
      const together = await Promise.all(calls.slice(1).map((call) => begins.inbound(call, 'sid-1')))
      const alone = await begins.inbound(calls[0] ?? assert.fail(), 'sid-1')
      assert.deepEqual(
        [alone, ...together].map((result) => isBegun(result).isOpen),
        calls.map(({ ringing: { row } }) => row.conversationId !== held),
      )
    })
    assert.equal((await lastCalls(calls))[0], undefined)
  })
})

describe('calls that open the time to answer together', () => {
  test('each open that of their own conversation, the latest of them', async () => {
    const { calls } = await begun(sql)
    const windows = createCallWindowStore(sql)
    const timeOf = (index: number) => new Date(at.getTime() + 1_000 * index)
    await Promise.all(calls.map(({ ringing: { row } }, index) => windows.opened(row.id, timeOf(index))))
    const ids = calls.map(({ ringing: { row } }) => row.conversationId)
    const rows = await sql<{ id: string; lastCallAt: Date }[]>`
      select id, last_call_at from conversations where id = any(${ids}::uuid[])`
    assert.equal(rows.length, 3)
    for (const { id, lastCallAt } of rows) assert.deepEqual(lastCallAt, timeOf(ids.lastIndexOf(id as never)))
  })

  test('do not wait for one whose conversation is locked', async () => {
    const { calls } = await begun(sql)
    const windows = createCallWindowStore(sql)
    const rows = calls.map(({ ringing: { row } }) => row)
    const held = rows[0]?.conversationId ?? assert.fail()
    const opened: Promise<void>[] = []
    await sql.begin(async (tx) => {
      await tx`select from conversations where id = ${held} for update`
      opened.push(...rows.map(({ id }) => windows.opened(id, at)))
      await Promise.all(opened.filter((_, index) => rows[index]?.conversationId !== held))
    })
    await Promise.all(opened)
  })
})
