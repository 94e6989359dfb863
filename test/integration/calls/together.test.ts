// Calls that begin and change at the same time share statements: each has what it would have alone.
import assert from 'node:assert/strict'
import type { Change } from '../../../src/calls/call.messages.ts'
import { type CallRow, statusBody } from '../../../src/calls/call.ts'
import type { BegunHere, InboundCall } from '../../../src/calls/ports.ts'
import { createCallBeginStore } from '../../../src/calls/store/call-begin.store.ts'
import { createCallTimelineStore } from '../../../src/calls/store/call-timeline.store.ts'
import { createCallsStore } from '../../../src/calls/store/calls.store.ts'
import type { CallStatus } from '../../../src/contract/records/call.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { type Begun, begun, callsOf, isBegun } from './begins.ts'
import { addWorkspace, type Workspace } from './rows.ts'

const sql = testPool(await testDatabase(), 6)
const at = new Date()

const full = (row: CallRow, workspace: Workspace): CallRow => ({
  ...row,
  version: 2,
  forwardState: 'FAILED',
  forwardStartedAt: at,
  lastForwardError: {
    code: 'TIMEOUT',
    message: 'none',
    endpointId: workspace.endpointId,
    at: at.toISOString(),
  },
  ...{ pendingAction: 'ANSWER', actionId: newId('attempt'), actionAt: at },
  ...{ answerHash: 'ab'.repeat(32), doubtHash: 'cd'.repeat(32), endReason: 'TIMEOUT' },
  error: { code: '138021', title: 'Media "lost"' },
  ...{ acceptedAt: at, endedAt: at, durationSeconds: 3, heardAt: at, wakeAt: at },
})

const changed = (row: CallRow, status: CallStatus): Change => {
  const next = { ...row, status, version: row.version + 1 }
  return { row: next, body: statusBody(next, at), notes: [{ at, kind: 'status', detail: { status } }] }
}

const timelineOf = async ({ workspaceId, id }: CallRow) =>
  (await createCallTimelineStore(sql).list(workspaceId, id)).map(({ kind }) => kind)

describe('calls that begin together', () => {
  test('have rows, owners, events and routes of their own', async () => {
    const { workspace, calls, results } = await begun(sql)
    const store = createCallsStore(sql)
    for (const [index, result] of results.entries()) {
      const { row, epoch, route, deliveries } = isBegun(result)
      assert.equal(row.id, calls[index]?.ringing.row.id)
      assert.deepEqual(
        { ...(await store.find(row.workspaceId, row.id)), wakeAt: null },
        { ...row, wakeAt: null },
      )
      assert.deepEqual([row.forwardState, route], ['ATTEMPTING', [workspace.endpointId]])
      assert.deepEqual(
        [row.forwardStartedAt, Number(row.createdAt) - Number(row.ringingAt)],
        [row.createdAt, 5_000],
      )
      assert.deepEqual(await store.confirm([{ id: row.id, epoch }]), new Map())
      assert.deepEqual(await timelineOf(row), ['provider.connect'])
      const [delivery, ...others] = deliveries
      assert.equal(Buffer.from(delivery?.body ?? []).toString(), calls[index]?.ringing.body)
      assert.deepEqual([delivery?.key, delivery?.endpointId, others], [row.id, workspace.endpointId, []])
    }
    assert.equal(new Set(results.map((result) => isBegun(result).epoch)).size, results.length)
  })

  test('are written where nobody listens or forwards, too', async () => {
    const { results } = await begun(sql, 8, false)
    for (const result of results)
      assert.deepEqual([isBegun(result).row.forwardState, isBegun(result).route], [null, []])
  })

  test('exist once, and not where they have ended before', async () => {
    const workspace = await addWorkspace(sql)
    const begins = createCallBeginStore(sql)
    const calls = await callsOf(sql, workspace, 12)
    const ended = calls.at(-1)?.ringing.row.wacid ?? ''
    await createCallsStore(sql).addEarlyTerminate({
      ...{ wacid: ended, workspaceId: workspace.workspaceId, at, durationSeconds: null, error: null },
    })
    const again = calls.map((call): InboundCall => {
      const row = { ...call.ringing.row, id: newId('call') }
      return { ...call, ringing: { ...call.ringing, row } }
    })
    // Two gateways, in different orders, and each call twice in one of them.
    const other = createCallBeginStore(sql)
    const results = await Promise.all([
      ...calls.map((call) => begins.inbound(call, 'sid-1')),
      ...again.toReversed().map((call) => other.inbound(call, 'sid-2')),
      ...again.map((call) => begins.inbound(call, 'sid-1')),
    ])
    const count = (type: BegunHere['type']) => results.filter((result) => result.type === type).length
    assert.deepEqual([count('begun'), count('exists'), count('endedBeforeStart')], [11, 22, 3])
    const [rows] =
      await sql`select count(*)::int as count from calls where workspace_id = ${workspace.workspaceId}`
    assert.equal(rows?.['count'], 11)
  })

  test('do not wait for one whose contact is locked', async () => {
    const workspace = await addWorkspace(sql)
    const begins = createCallBeginStore(sql)
    const calls = await callsOf(sql, workspace, 12)
    const contactId = calls[0]?.ringing.row.contactId ?? ''
    let isFree = false
    const results: Promise<BegunHere>[] = []
    await sql.begin(async (tx) => {
      await tx`select from contacts where id = ${contactId} for update`
      results.push(
        ...calls.map((call) =>
          begins
            .inbound(call, 'sid-1')
            .finally(() => assert.ok(isFree || call.ringing.row.contactId !== contactId)),
        ),
      )
      await Promise.all(results.filter((_, index) => calls[index]?.ringing.row.contactId !== contactId))
      isFree = true
    })
    await Promise.all(results)
  })

  test('are written without one whose contact was erased meanwhile', async () => {
    const workspace = await addWorkspace(sql)
    const begins = createCallBeginStore(sql)
    const calls = await callsOf(sql, workspace, 12)
    const contactId = calls[1]?.ringing.row.contactId ?? ''
    await sql`update contacts set erased_at = now() where id = ${contactId}`
    const results = await Promise.all(calls.map((call) => begins.inbound(call, 'sid-1')))
    const expected = calls.map(({ ringing }) => (ringing.row.contactId === contactId ? 'gone' : 'begun'))
    assert.deepEqual(
      results.map(({ type }) => type),
      expected,
    )
    const { ringing } = calls[1] ?? assert.fail()
    assert.equal((await begins.ended(ringing)).type, 'gone')
  })

  test('are not harmed by one that cannot be written', async () => {
    const workspace = await addWorkspace(sql)
    const begins = createCallBeginStore(sql)
    const calls = await callsOf(sql, workspace, 12)
    const bad = 7
    const results = await Promise.allSettled(
      calls.map((call, index) => {
        const row = { ...call.ringing.row, ...(index === bad && { fromName: 'I\u0000' }) }
        return begins.inbound({ ...call, ringing: { ...call.ringing, row } }, 'sid-1')
      }),
    )
    const states = results.map(({ status }) => status)
    assert.deepEqual(
      states,
      calls.map((_, index) => (index === bad ? 'rejected' : 'fulfilled')),
    )
  })
})

describe('calls that change together', () => {
  test('keep every column as it was given, and tell of it', async () => {
    const { workspace, results } = await begun(sql)
    const store = createCallsStore(sql)
    const all = results.map(isBegun)
    const nexts = all.map(({ row }, index) => (index % 2 === 0 ? full(row, workspace) : row))
    const committed = await Promise.all(
      all.map(({ row, epoch }, index) =>
        store.change(row.id, epoch, [changed(nexts[index] ?? row, 'MISSED')]),
      ),
    )
    for (const [index, { row, deliveries: rung }] of all.entries()) {
      const result = committed[index]
      assert.ok(result?.type === 'committed')
      const next = { ...(nexts[index] ?? row), status: 'MISSED', version: (nexts[index]?.version ?? 0) + 1 }
      assert.deepEqual({ ...(await store.find(row.workspaceId, row.id)) }, next)
      const [delivery, ...others] = result.deliveries
      assert.equal(JSON.parse(Buffer.from(delivery?.body ?? []).toString()).data.status, 'MISSED')
      assert.deepEqual([delivery?.key, delivery?.after, others], [row.id, rung[0]?.eventId, []])
      assert.deepEqual((await timelineOf(row)).toSorted(), ['provider.connect', 'status'])
    }
  })

  test('are fenced one by one: by their epochs, and by statuses that do not follow', async () => {
    const { results } = await begun(sql)
    const store = createCallsStore(sql)
    const all = results.map(isBegun)
    const [over, moved] = [all[5], all[8]]
    assert.ok(over && moved)
    await store.change(over.row.id, over.epoch, [changed(over.row, 'MISSED')])
    const taken = await store.take(moved.row.id, { sid: 'sid-2', exclusive: false, silenceMs: 0 })
    assert.ok(taken)
    const changes = all.map(({ row, epoch }) => store.change(row.id, epoch, [changed(row, 'ACCEPTED')]))
    // Its new owner, in the same statement.
    changes.push(store.change(moved.row.id, taken.epoch, [changed(moved.row, 'DECLINED')]))
    const types = (await Promise.all(changes)).map(({ type }) => type)
    const expected = all.map((one) => (one === over || one === moved ? 'fenced' : 'committed'))
    assert.deepEqual(types, [...expected, 'committed'])
    const status = async ({ row }: Begun) => (await store.find(row.workspaceId, row.id))?.status
    assert.deepEqual([await status(over), await status(moved)], ['MISSED', 'DECLINED'])
    const [first] = all
    assert.equal(first && (await status(first)), 'ACCEPTED')
    const events = await sql`select from events where key = ${moved.row.id}`
    assert.equal(events.count, 2)
  })

  test('do not wait for one whose row is locked', async () => {
    const { results } = await begun(sql)
    const store = createCallsStore(sql)
    const all = results.map(isBegun)
    const locked = [0, 7].map((index) => all[index]?.row.id ?? '')
    const waiting: Promise<unknown>[] = []
    await sql.begin(async (tx) => {
      await tx`select from calls where id = any(${locked}::uuid[]) for update`
      const changes = all.map(({ row, epoch }) => store.change(row.id, epoch, [changed(row, 'MISSED')]))
      waiting.push(...changes)
      await Promise.all(changes.filter((_, index) => !locked.includes(all[index]?.row.id ?? '')))
      const ended = await tx`select from calls where id = any(${locked}::uuid[]) and status = 'MISSED'`
      assert.equal(ended.count, 0)
    })
    await Promise.all(waiting)
  })

  test('release their rows with the last change', async () => {
    const { workspace, results } = await begun(sql)
    const store = createCallsStore(sql)
    const all = results.map(isBegun)
    await Promise.all(
      all.map(({ row, epoch }, index) =>
        store.change(row.id, epoch, [{ ...changed(row, 'MISSED'), isLast: index % 2 === 0 }]),
      ),
    )
    const rows = await sql<{ id: string; ownerSid: string | null }[]>`
      select id, owner_sid from calls where workspace_id = ${workspace.workspaceId}`
    const owners = new Map(rows.map(({ id, ownerSid }) => [id, ownerSid]))
    assert.deepEqual(
      all.map(({ row }) => owners.get(row.id)),
      all.map((_, index) => (index % 2 === 0 ? null : 'sid-1')),
    )
  })
})
