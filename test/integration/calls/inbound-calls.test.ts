import assert from 'node:assert/strict'
import { createCallTimelineStore } from '../../../src/calls/store/call-timeline.store.ts'
import { personAt } from '../../../src/contract/person.ts'
import { type CallId, encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import {
  answerOf,
  Cluster,
  connectUpdate,
  offerSdp,
  providerError,
  providerOk,
  terminateUpdate,
  until,
} from './gateway.ts'
import { addWorkspace } from './rows.ts'

const database = await testDatabase()
const sql = testPool(database)

const rowOf = async (wacid: string) => {
  const [row] = await sql<
    { id: CallId; status: string; version: number; endReason: string | null; forwardState: string | null }[]
  >`select id, status, version, end_reason, forward_state from calls where wacid = ${wacid}`
  if (!row) throw new Error('no such call')
  return row
}

const code = (wanted: string) => (error: { code?: string }) => error.code === wanted

describe('an inbound call', () => {
  test('rings at the receiver, is answered, and ends: three events, one id, no SDP in the database', async () => {
    const workspace = await addWorkspace(sql, { forward: true })
    const cluster = new Cluster(sql)
    const node = cluster.node()
    const update = connectUpdate(workspace)
    await node.applyCallUpdate(update)
    await node.applyCallUpdate(update)
    const { id } = await rowOf(update.wacid)
    await until(async () => (await rowOf(update.wacid)).forwardState === 'OK')
    assert.equal(cluster.direct.length, 1)
    const [ringing] = cluster.direct
    const { call } = JSON.parse(Buffer.from(ringing?.body ?? []).toString())
    assert.deepEqual([ringing?.endpointId, call.id], [workspace.endpointId, encodeId('call', id)])
    assert.equal(call.session.sdp, offerSdp)
    assert.match(ringing?.headers?.['x-communication-answer-by'] ?? '', /^\d{4}-.*Z$/)

    const offered = await node.commands.offer(workspace.workspaceId, id)
    assert.deepEqual(offered.session, { sdpType: 'offer', sdp: offerSdp })
    const record = await node.commands.answer(workspace.workspaceId, id, answerOf(1))
    assert.deepEqual([record.status, record.from, record.to], ['ACCEPTED', '15551230000', workspace.number])
    assert.deepEqual([cluster.provider.kinds(), cluster.accountReads], [['preAccept', 'accept'], 1])
    await node.applyCallUpdate(terminateUpdate(update, { durationSeconds: 7 }))
    assert.deepEqual(cluster.statuses(), ['RINGING', 'ACCEPTED', 'COMPLETED'])

    const kinds = async () => {
      const notes = await createCallTimelineStore(sql).list(workspace.workspaceId, id)
      return notes.map(({ kind }) => kind)
    }
    // A successful forward is noted later, in a batch. The timeline is ordered by when things happened.
    await until(async () => (await kinds()).includes('forward.delivered'))
    const told = await kinds()
    assert.ok(told.indexOf('forward.delivered') < told.indexOf('answer.posted'), String(told))
    assert.equal(told.at(-1), 'status')
    const everything = await sql`
      select c::text from calls c where id = ${id}
      union all select convert_from(body, 'utf8') from events where key = ${id}`
    assert.doesNotMatch(JSON.stringify(everything), /ice-ufrag|m=audio/)
  })

  test('that is over soon after the forward has it in the same change, in its place', async () => {
    const workspace = await addWorkspace(sql, { forward: true })
    const node = new Cluster(sql).node()
    const update = connectUpdate(workspace)
    await node.applyCallUpdate(update)
    await until(() => [...node.directory.states()].every(({ row }) => row.forwardState === 'OK'))
    await node.applyCallUpdate(terminateUpdate(update))
    const [written] = await sql<{ kinds: string[]; forwardState: string }[]>`
      select jsonb_path_query_array(timeline, '$[*][1]') as kinds, forward_state from calls where wacid = ${update.wacid}`
    const forward = ['forward.attempted', 'forward.delivered']
    assert.deepEqual(written?.kinds, ['provider.connect', ...forward, 'provider.terminate', 'status'])
    assert.equal(written.forwardState, 'OK')
  })

  test('that two nodes answer at once reaches the provider with one SDP only', async () => {
    const workspace = await addWorkspace(sql)
    const cluster = new Cluster(sql)
    const nodes = [cluster.node(), cluster.node()]
    const update = connectUpdate(workspace)
    await nodes[0]?.applyCallUpdate(update)
    const { id } = await rowOf(update.wacid)
    const results = await Promise.allSettled(
      [0, 1, 2, 3].map((index) =>
        nodes[index % 2]?.commands.answer(workspace.workspaceId, id, answerOf(index)),
      ),
    )
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []))
    assert.deepEqual(refusals, Array(3).fill('CALL_ALREADY_ANSWERED'))
    assert.equal(new Set(cluster.provider.requests.map(({ sdp }) => sdp)).size, 1)
    assert.deepEqual(cluster.provider.kinds(), ['preAccept', 'accept'])
    assert.equal((await rowOf(update.wacid)).version, 2)
    const winner = results.findIndex((result) => result.status === 'fulfilled')
    const again = await nodes[1]?.commands.answer(workspace.workspaceId, id, answerOf(winner))
    assert.equal(again?.status, 'ACCEPTED')
  })

  test('whose connect reaches two nodes at the same instant is one call and forwarded once', async () => {
    const workspace = await addWorkspace(sql, { forward: true })
    const cluster = new Cluster(sql)
    // Longer than a new owner waits before it repeats a forward, so that this forward is not repeated.
    cluster.directMs = 800
    const [first, second] = [cluster.node(), cluster.node()]
    const updates = Array.from({ length: 20 }, () => connectUpdate(workspace))
    await Promise.all(
      updates.flatMap((update) => [first.applyCallUpdate(update), second.applyCallUpdate(update)]),
    )
    for (const { wacid } of updates) await until(async () => (await rowOf(wacid)).forwardState === 'OK')
    assert.equal(cluster.direct.length, 20)
    assert.deepEqual(cluster.statuses(), Array(20).fill('RINGING'))
  })

  test('leaves memory with its terminate, and late webhooks of it change nothing', async () => {
    const workspace = await addWorkspace(sql, { forward: true })
    // Its clock stands still: nothing leaves because time has passed.
    const cluster = new Cluster(sql, { clock: new SimulatedClock(Date.now()) })
    const nodes = [cluster.node(), cluster.node()]
    const update = connectUpdate(workspace)
    await nodes[0]?.applyCallUpdate(update)
    const { id } = await rowOf(update.wacid)
    const terminate = terminateUpdate(update)
    await nodes[0]?.applyCallUpdate(terminate)
    const hasLeft = () => until(() => nodes.every((node) => !node.directory.has(id)))
    await hasLeft()
    const ended = await rowOf(update.wacid)
    assert.deepEqual([ended.status, ended.version, ended.endReason], ['MISSED', 2, 'CALLER_GAVE_UP'])
    const answering = nodes[1]?.commands.answer(workspace.workspaceId, id, answerOf(1))
    await assert.rejects(async () => answering, code('CALL_ENDED'))
    await nodes[0]?.applyCallUpdate(update)
    await Promise.all(nodes.map((node) => node.applyCallUpdate(terminate)))
    await hasLeft()
    const { forwardState, ...last } = await rowOf(update.wacid)
    assert.deepEqual({ ...last, forwardState: ended.forwardState }, ended)
    assert.equal(forwardState, 'OK')
    assert.deepEqual([cluster.statuses(), cluster.direct.length], [['RINGING', 'MISSED'], 1])
    const [{ ownerSid } = { ownerSid: '' }] = await sql`select owner_sid from calls where id = ${id}`
    assert.equal(ownerSid, null)
  })

  test('whose terminate came first is MISSED with one event and rings nobody', async () => {
    const workspace = await addWorkspace(sql, { forward: true })
    const cluster = new Cluster(sql)
    const node = cluster.node()
    const [at, endedAt] = [new Date(Date.now() - 30_000), new Date(Date.now() - 20_000)]
    const update = connectUpdate(workspace, { at })
    await node.applyCallUpdate(terminateUpdate(update, { endedAt }))
    await node.applyCallUpdate(update)
    await node.applyCallUpdate(update)
    const times = await sql`select ringing_at, ended_at from calls where wacid = ${update.wacid}`
    assert.deepEqual([...times], [{ ringingAt: at, endedAt }])
    const { status, version, endReason } = await rowOf(update.wacid)
    assert.deepEqual([status, version, endReason], ['MISSED', 1, 'CALLER_GAVE_UP'])
    assert.deepEqual([cluster.statuses(), cluster.direct], [['MISSED'], []])
  })

  test('whose terminate comes at the same instant on another node never stays live', async () => {
    const workspace = await addWorkspace(sql)
    const cluster = new Cluster(sql)
    const [first, second] = [cluster.node(), cluster.node()]
    const updates = Array.from({ length: 25 }, () => connectUpdate(workspace))
    await Promise.all(
      updates.flatMap((update) => [
        first.applyCallUpdate(update),
        second.applyCallUpdate(terminateUpdate(update)),
      ]),
    )
    for (const { wacid } of updates) await until(async () => (await rowOf(wacid)).status === 'MISSED')
  })

  test('whose caller hangs up while the provider accepts answers CALL_ENDED, and is hung up for good', async () => {
    const workspace = await addWorkspace(sql)
    const cluster = new Cluster(sql)
    const node = cluster.node()
    const update = connectUpdate(workspace)
    await node.applyCallUpdate(update)
    const { id } = await rowOf(update.wacid)
    let accept: (result: typeof providerOk) => void = () => undefined
    cluster.provider.on('accept', () => new Promise((resolve) => (accept = resolve)))
    const answering = node.commands.answer(workspace.workspaceId, id, answerOf(1))
    const refused = assert.rejects(answering, code('CALL_ENDED'))
    await until(() => cluster.provider.kinds().includes('accept'))
    await node.applyCallUpdate(terminateUpdate(update))
    await refused
    accept(providerOk)
    await until(() => cluster.provider.kinds().includes('terminate'))
    assert.equal((await rowOf(update.wacid)).status, 'MISSED')
  })

  test('that the provider refuses to accept rings on and can be answered again', async () => {
    const workspace = await addWorkspace(sql)
    const cluster = new Cluster(sql)
    const node = cluster.node()
    const update = connectUpdate(workspace)
    await node.applyCallUpdate(update)
    const { id } = await rowOf(update.wacid)
    const { workspaceId } = workspace
    cluster.provider.on('preAccept', async () => providerError({ class: 'invalidSdp' }))
    await assert.rejects(node.commands.answer(workspaceId, id, answerOf(1)), code('INVALID_SDP'))
    cluster.provider.on('preAccept', async () => providerError({ code: '131000', class: 'retry' }))
    await assert.rejects(node.commands.answer(workspaceId, id, answerOf(2)), code('PROVIDER_ERROR'))
    cluster.provider.on('preAccept', async () => providerOk)
    assert.equal((await node.commands.answer(workspaceId, id, answerOf(3))).status, 'ACCEPTED')
  })

  test('that is stale is MISSED without ringing', async () => {
    const workspace = await addWorkspace(sql, { forward: true })
    const cluster = new Cluster(sql)
    const update = connectUpdate(workspace, { at: new Date(Date.now() - 61_000) })
    await cluster.node().applyCallUpdate(update)
    assert.deepEqual([(await rowOf(update.wacid)).status, cluster.direct], ['MISSED', []])
  })

  test('that is declined and hung up goes through the provider', async () => {
    const workspace = await addWorkspace(sql)
    const cluster = new Cluster(sql)
    const node = cluster.node()
    const update = connectUpdate(workspace)
    await node.applyCallUpdate(update)
    const { id } = await rowOf(update.wacid)
    await assert.rejects(
      node.commands.act(workspace.workspaceId, id, { action: 'HANG_UP' }),
      code('INVALID_STATE'),
    )
    const record = await node.commands.act(workspace.workspaceId, id, { action: 'DECLINE' })
    assert.deepEqual([record.status, cluster.provider.kinds()], ['DECLINED', ['reject']])
    await assert.rejects(node.commands.offer(workspace.workspaceId, id), code('CALL_ENDED'))
  })

  test('of another workspace, or of nobody, does not exist for any command', async () => {
    const [mine, other] = [await addWorkspace(sql), await addWorkspace(sql)]
    const cluster = new Cluster(sql)
    const nodes = [cluster.node(), cluster.node()]
    const update = connectUpdate(other)
    await nodes[0]?.applyCallUpdate(update)
    const { id } = await rowOf(update.wacid)
    // Where it lives, and where it has to be read.
    for (const { commands } of nodes)
      for (const wanted of [id, newId('call')]) {
        await assert.rejects(commands.answer(mine.workspaceId, wanted, answerOf(1)), code('NOT_FOUND'))
        await assert.rejects(commands.act(mine.workspaceId, wanted, { action: 'DECLINE' }), code('NOT_FOUND'))
        await assert.rejects(commands.offer(mine.workspaceId, wanted), code('NOT_FOUND'))
      }
    assert.deepEqual(cluster.provider.requests, [])
  })

  test('to a number of nobody is ignored', async () => {
    const workspace = { ...(await addWorkspace(sql)), phoneNumberId: 'nobody' }
    const update = connectUpdate(workspace)
    const cluster = new Cluster(sql)
    await cluster.node().applyCallUpdate(update)
    await cluster.node().applyCallUpdate(terminateUpdate(update))
    await assert.rejects(rowOf(update.wacid))
  })
})

describe('calls of one webhook', () => {
  test('ring all, open the conversations of their callers, and none is attached to one that was erased', async () => {
    const workspace = await addWorkspace(sql, { forward: true })
    const cluster = new Cluster(sql)
    const node = cluster.node()
    const callers = Array.from({ length: 10 }, (_, index) => personAt(`1555777000${index}`, 'Ines'))
    const connects = () =>
      callers.flatMap((person) => [
        connectUpdate(workspace, { person }),
        connectUpdate(workspace, { person }),
      ])
    await Promise.all(connects().map((update) => node.applyCallUpdate(update)))
    const { workspaceId } = workspace
    // As an erasure does, behind the back of what the gateway remembers.
    const [erased] = await sql<{ id: string }[]>`
      update contacts set erased_at = now(), wa_id = 'erased'
      where workspace_id = ${workspaceId} and wa_id = '15557770003' returning id`
    await sql`delete from contact_aliases where contact_id = ${erased?.id ?? ''}`
    const later = connects()
    await Promise.all(later.map((update) => node.applyCallUpdate(update)))
    await until(() => cluster.direct.length === 40)
    const wacids = later.map(({ wacid }) => wacid)
    const rows = await sql<{ contactId: string; lastCallAt: Date | null }[]>`
      select c.contact_id, v.last_call_at
      from calls c
      join conversations v on v.id = c.conversation_id
      where c.wacid = any(${wacids})`
    assert.equal(rows.length, 20)
    assert.ok(rows.every(({ contactId, lastCallAt }) => contactId !== erased?.id && lastCallAt !== null))
    assert.equal(new Set(rows.map(({ contactId }) => contactId)).size, 10)
  })
})
