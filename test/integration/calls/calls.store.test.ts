import assert from 'node:assert/strict'
import { inboundCall } from '../../../src/calls/begin-call.ts'
import type { Note } from '../../../src/calls/call.messages.ts'
import { type CallRow, statusBody } from '../../../src/calls/call.ts'
import { createCallBeginStore } from '../../../src/calls/store/call-begin.store.ts'
import { noteForwarded } from '../../../src/calls/store/call-forwards.store.ts'
import { createCallTimelineStore } from '../../../src/calls/store/call-timeline.store.ts'
import { createCallsStore } from '../../../src/calls/store/calls.store.ts'
import { personAt } from '../../../src/contract/person.ts'
import type { CallStatus } from '../../../src/contract/records/call.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testContacts } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { connectUpdate } from './gateway.ts'
import { addWorkspace } from './rows.ts'

const sql = testPool(await testDatabase())
const store = createCallsStore(sql)
const begins = createCallBeginStore(sql)
const timing = { ringTimeoutMs: 90_000, callTimeoutMs: 1, reforwardOnCrash: true }

async function begun(forward = false, events = ['call.status', 'call.ringing']) {
  const workspace = await addWorkspace(sql, { forward, events })
  const update = connectUpdate(workspace)
  const { phoneNumberId } = workspace
  const parties = await testContacts(sql).resolveParties({
    phoneNumberId,
    person: personAt('15551230000', 'I'),
  })
  if (!parties) throw new Error('no such number')
  const call = inboundCall(parties, update, new Date(), timing)
  const result = await begins.inbound(call, 'sid-1')
  if (result.type !== 'begun') throw new Error('it exists')
  return { ...result, workspace, call }
}

const at = new Date()
const changed = (row: CallRow, status: CallStatus, version: number) => {
  const next = { ...row, status, version }
  return { row: next, body: statusBody(next, at), notes: [{ at, kind: 'status', detail: { status } }] }
}
const silence = { exclusive: false, silenceMs: 3_000 }

describe('a call that begins', () => {
  test('is what the database then holds, with its event, delivery and owner', async () => {
    const { row, epoch, deliveries, workspace, route } = await begun(true)
    const found = await store.find(workspace.workspaceId, row.id)
    assert.deepEqual({ ...found, wakeAt: null }, { ...row, wakeAt: null })
    assert.deepEqual([row.forwardState, route], ['ATTEMPTING', [workspace.endpointId]])
    assert.deepEqual(
      deliveries.map(({ endpointId, kind, key }) => [endpointId, kind, key]),
      [[workspace.endpointId, 'call.status', row.id]],
    )
    assert.deepEqual(await store.confirm([{ id: row.id, epoch }]), new Map())
  })

  test('is confirmed unless it has another epoch, or is not there', async () => {
    const [{ row, epoch }, other] = [await begun(), await begun()]
    const unknown = newId('call')
    const owned = [
      { id: row.id, epoch },
      { id: other.row.id, epoch: other.epoch - 1 },
      { id: unknown, epoch },
    ]
    const others = new Map([
      [other.row.id, other.epoch],
      [unknown, undefined],
    ])
    assert.deepEqual(await store.confirm(owned), others)
  })

  test('is begun once, however often', async () => {
    const { call, row } = await begun()
    const again = { ...call, ringing: { ...call.ringing, row: { ...row, id: newId('call') } } }
    assert.equal((await begins.inbound(again, 'sid-2')).type, 'exists')
    const events = await sql`select 1 from events where key = ${row.id}`
    assert.equal(events.length, 1)
  })

  test('is written without an event where nobody listens to call.status', async () => {
    const { deliveries, row } = await begun(false, ['message.received'])
    assert.deepEqual(deliveries, [])
    assert.equal((await sql`select 1 from events where key = ${row.id}`).length, 0)
  })
})

describe('a change', () => {
  test('of a former owner writes nothing at all', async () => {
    const { row, epoch } = await begun()
    const taken = await store.take(row.id, { ...silence, sid: 'sid-2' })
    assert.ok(taken && taken.epoch > epoch)
    const result = await store.change(row.id, epoch, [changed(row, 'MISSED', 2)])
    assert.equal(result.type, 'fenced')
    const two = await store.change(row.id, epoch, [changed(row, 'ACCEPTED', 2), changed(row, 'COMPLETED', 3)])
    assert.equal(two.type, 'fenced')
    const [now] = await sql`
      select status, version,
        (select count(*) from events where key = ${row.id}) as events,
        jsonb_array_length(timeline) as notes
      from calls where id = ${row.id}`
    assert.deepEqual({ ...now }, { status: 'RINGING', version: 1, events: 1, notes: 1 })
  })

  test('of two transitions writes both events in their order, or none', async () => {
    const { row, epoch } = await begun()
    const both = [changed(row, 'ACCEPTED', 2), changed(row, 'COMPLETED', 3)]
    const result = await store.change(row.id, epoch, both)
    assert.ok(result.type === 'committed')
    const statuses = result.deliveries.map(({ body }) => JSON.parse(Buffer.from(body).toString()).data.status)
    assert.deepEqual(statuses, ['ACCEPTED', 'COMPLETED'])
    const ids = result.deliveries.map(({ deliveryId }) => deliveryId)
    assert.deepEqual(ids, [...ids].sort())
  })

  test('names the event before it, also where the owner of that one is gone', async () => {
    const { row, deliveries: rung } = await begun()
    const taken = await store.take(row.id, { ...silence, sid: 'sid-2' })
    assert.ok(taken)
    const silent = { ...changed(row, 'RINGING', 2), body: null }
    assert.deepEqual(await store.change(row.id, taken.epoch, [silent]), { type: 'committed', deliveries: [] })
    const ended = await store.change(row.id, taken.epoch, [
      changed(row, 'ACCEPTED', 3),
      changed(row, 'COMPLETED', 4),
    ])
    assert.ok(ended.type === 'committed')
    const [accepted, completed] = ended.deliveries
    assert.deepEqual(
      [rung[0]?.after, accepted?.after, completed?.after],
      [null, rung[0]?.eventId, accepted?.eventId],
    )
  })

  test('keeps every column of the row as it was given', async () => {
    const { row, epoch, workspace } = await begun()
    const next: CallRow = {
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
      pendingAction: 'ANSWER',
      actionId: newId('attempt'),
      actionAt: at,
      answerHash: 'ab'.repeat(32),
      endReason: 'TIMEOUT',
      error: { code: '138021', title: 'Media' },
      acceptedAt: at,
      endedAt: at,
      durationSeconds: 3,
      wakeAt: at,
    }
    await store.change(row.id, epoch, [{ row: next, body: null, notes: [] }])
    assert.deepEqual({ ...(await store.find(workspace.workspaceId, row.id)) }, next)
  })
})

describe('taking a call over', () => {
  test('needs silence after a silent owner, and it outlasts a second take', async () => {
    const { row } = await begun()
    const first = await store.take(row.id, { ...silence, sid: 'sid-2' })
    assert.ok(first && first.silentMs > 2_000 && first.silentMs <= 3_001)
    const second = await store.take(row.id, { ...silence, sid: 'sid-2' })
    assert.ok(second && second.silentMs > 0 && second.silentMs <= first.silentMs)
  })

  test('needs none after a release, a known death, or by the same session', async () => {
    const { row, epoch } = await begun()
    assert.equal((await store.take(row.id, { ...silence, sid: 'sid-1' }))?.silentMs, 0)
    const dead = await store.take(row.id, { ...silence, sid: 'sid-2', deadSid: 'sid-1' })
    assert.equal(dead?.silentMs, 0)
    await store.release([{ id: row.id, epoch }], 'sid-2')
    assert.equal(await store.take(row.id, { ...silence, sid: 'sid-3', exclusive: true }), undefined)
    await store.release([{ id: row.id, epoch: dead?.epoch ?? 0 }], 'sid-2')
    assert.equal((await store.take(row.id, { ...silence, sid: 'sid-3', exclusive: true }))?.silentMs, 0)
  })

  test('finds the route of now: a Forward that was switched off forwards nothing', async () => {
    const { row, workspace } = await begun(true)
    await sql`update numbers set forward_calls = false where id = ${workspace.numberId}`
    assert.deepEqual((await store.take(row.id, { ...silence, sid: 'sid-2' }))?.route, [])
  })
})

describe('the timeline', () => {
  const timelines = createCallTimelineStore(sql)
  const kinds = async ({ workspaceId, id }: CallRow) =>
    (await timelines.list(workspaceId, id)).map(({ kind }) => kind)
  const noted = (ms: number, kind: string) => ({ at: new Date(at.getTime() + 60_000 + ms), kind })
  const silent = (row: CallRow, ...notes: readonly Note[]) => ({ row, body: null, notes })

  test('is in the order of time, then in that in which it was written, rows of the release before included', async () => {
    const { row, epoch } = await begun()
    const change = silent(row, noted(3, 'late'), noted(1, 'first'), noted(1, 'second'))
    await store.change(row.id, epoch, [change])
    await sql`
      insert into call_timeline (id, workspace_id, call_id, at, kind, detail)
      values (new_uuid(), ${row.workspaceId}, ${row.id}, ${noted(2, '').at}, 'older', '{"ms": 12}')`
    const entries = await timelines.list(row.workspaceId, row.id)
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ['provider.connect', 'first', 'second', 'older', 'late'],
    )
    assert.equal(typeof entries[0]?.detail['sentAt'], 'string')
    assert.deepEqual(entries[1], { at: noted(1, '').at, kind: 'first', detail: {} })
    assert.deepEqual(entries[3]?.detail, { ms: 12 })
    assert.equal((await timelines.list(newId('workspace'), row.id)).length, 0)
  })

  test('continues in a row that the release before has begun', async () => {
    const { row, epoch } = await begun()
    await sql`update calls set timeline = null where id = ${row.id}`
    await store.change(row.id, epoch, [silent(row)])
    await store.change(row.id, epoch, [silent(row, noted(1, 'next'))])
    assert.deepEqual(await kinds(row), ['next'])
  })

  test('does not grow without an end, however often the provider repeats itself', async () => {
    const { row, epoch } = await begun()
    const repeats = Array.from({ length: 150 }, (_, index) => noted(index, 'repeated'))
    for (let index = 0; index < 3; index += 1) await store.change(row.id, epoch, [silent(row, ...repeats)])
    assert.equal((await kinds(row)).length, 301)
  })

  test('has the forward also where a later owner has the call, whose facts stay', async () => {
    const [mine, theirs] = [await begun(true), await begun(true)]
    const taken = await store.take(theirs.row.id, { ...silence, sid: 'sid-2' })
    assert.ok(taken)
    const notes = [noted(1, 'forward.attempted'), noted(2, 'forward.delivered')]
    const wakeAt = new Date(at.getTime() + 90_000)
    await noteForwarded(
      sql,
      [mine, theirs].map(({ row: { id, workspaceId }, epoch }) => ({
        id,
        workspaceId,
        epoch,
        wakeAt,
        notes,
        isLast: true,
      })),
    )
    for (const { row } of [mine, theirs])
      assert.deepEqual((await kinds(row)).toSorted(), [
        'forward.attempted',
        'forward.delivered',
        'provider.connect',
      ])
    const found = async ({ row }: typeof mine) => store.find(row.workspaceId, row.id)
    assert.deepEqual([(await found(mine))?.forwardState, (await found(mine))?.wakeAt], ['OK', wakeAt])
    assert.equal((await found(theirs))?.forwardState, 'ATTEMPTING')
    assert.notDeepEqual((await found(theirs))?.wakeAt, wakeAt)
    const owners = [await store.ownerOf(mine.row.id), await store.ownerOf(theirs.row.id)]
    assert.deepEqual(owners, [null, 'sid-2'], 'the last note releases the row of its owner alone')
  })
})
