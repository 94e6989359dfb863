import assert from 'node:assert/strict'
import { wakeOverdueCalls } from '../../../src/calls/host/wake-overdue-calls.ts'
import { createCallSessions } from '../../../src/calls/store/call-sessions.ts'
import { createCallsStore } from '../../../src/calls/store/calls.store.ts'
import { personAt } from '../../../src/contract/person.ts'
import { connectPool } from '../../../src/platform/postgres/sql.ts'
import { closeRedis, connectRedis } from '../../../src/platform/redis/client.ts'
import { keys } from '../../../src/platform/redis/keys.ts'
import { type CallId, decodeId } from '../../../src/shared/ids.ts'
import { after, describe, test } from '../../support/harness.ts'
import { testContacts } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { testRedis } from '../../support/redis.ts'
import {
  answerOf,
  Cluster,
  connectUpdate,
  type Node,
  offerSdp,
  providerError,
  providerOk,
  terminateUpdate,
  until,
} from './gateway.ts'
import { addWorkspace, type Workspace } from './rows.ts'

const database = await testDatabase()
const sql = testPool(database)
const server = await testRedis()
const redis = await connectRedis({ url: server.url, role: 'commands', onError: () => undefined })
after(async () => {
  await closeRedis(redis)
  await server.stop()
})
const sessions = createCallSessions(redis)

const reaper = ({ directory }: Node) => ({
  calls: createCallsStore(sql),
  router: { tell: (_kind: 'call', id: string, message: { type: 'wake' }) => directory.tell(id, message) },
})

const never = () => new Promise<never>(() => undefined)
const idOf = async (wacid: string): Promise<CallId> => {
  const [row] = await sql<{ id: CallId }[]>`select id from calls where wacid = ${wacid}`
  if (!row) throw new Error('no such call')
  return row.id
}
const fieldsOf = async (id: string) => Object.keys(await redis.hGetAll(keys.callState(id))).sort()

async function place(node: Node, { workspaceId, phoneNumberId }: Workspace) {
  const from = { phoneNumberId, person: personAt('15551230000') }
  const parties = await testContacts(sql).resolveParties(from)
  if (!parties) throw new Error('no such number')
  const session = { sdpType: 'offer', sdp: offerSdp } as const
  const caller = { workspaceId, apiKeyId: null }
  const input = { session, idempotencyKey: null }
  return (await node.commands.place(caller, parties.conversationId, input)).record
}

async function ringing(forward: boolean) {
  const workspace = await addWorkspace(sql, { forward })
  const cluster = new Cluster(sql, { sessions })
  const [first, second] = [cluster.node(), cluster.node()]
  const update = connectUpdate(workspace)
  await first.applyCallUpdate(update)
  const id = await idOf(update.wacid)
  await until(async () => (await sessions.read(id)).session !== null)
  return { workspace, cluster, first, second, update, id }
}

describe('the SDP of a call in Redis', () => {
  test('is there while it rings and gone once it is answered', async () => {
    const { workspace, first, id } = await ringing(false)
    assert.deepEqual((await sessions.read(id)).session, { sdpType: 'offer', sdp: offerSdp })
    const ttl = await redis.pTTL(keys.callState(id))
    assert.ok(ttl > 0 && ttl <= 180_000)
    await first.commands.answer(workspace.workspaceId, id, answerOf(1))
    await until(async () => (await fieldsOf(id)).join() === 'e')
  })

  test('is gone once it has ended', async () => {
    const { first, update, id } = await ringing(false)
    await first.applyCallUpdate(terminateUpdate(update))
    await until(async () => (await fieldsOf(id)).join() === 'e')
  })

  test('is saved while the call is written, and forgotten where another gateway has begun it', async () => {
    const written: string[] = []
    const cluster = new Cluster(sql, {
      sessions: {
        ...sessions,
        save: async (id, epoch) => void written.push(`save ${id} ${epoch}`),
        drop: async (id, epoch) => void written.push(`drop ${id} ${epoch}`),
      },
    })
    const [first, second] = [cluster.node(), cluster.node()]
    const update = connectUpdate(await addWorkspace(sql, { forward: false }))
    await first.applyCallUpdate(update)
    const id = await idOf(update.wacid)
    assert.deepEqual(written.splice(0), [`save ${id} 0`])
    await second.applyCallUpdate(update)
    const [other = ''] = written
    assert.deepEqual(written.slice(0, 2), [other, other.replace('save', 'drop')])
    assert.doesNotMatch(other, new RegExp(id))
  })

  test('is fenced for each call of those that are written together', async () => {
    const kept = { session: { sdpType: 'offer', sdp: offerSdp }, ownSdp: null } as const
    const none = { session: null, ownSdp: null }
    const ids = ['one', 'two', 'three']
    await Promise.all(ids.map((id, index) => sessions.save(id, index, kept)))
    await Promise.all(ids.map((id) => sessions.save(id, 1, { ...kept, ownSdp: 'mine' })))
    const own = async (id: string) => (await sessions.read(id)).ownSdp
    assert.deepEqual(await Promise.all(ids.map(own)), ['mine', 'mine', null])
    await Promise.all(ids.map((id) => sessions.drop(id, 1)))
    assert.deepEqual(await Promise.all(ids.map((id) => sessions.read(id))), [none, none, kept])
  })

  test('is not written by a former owner after its successor, nor dropped by it', async () => {
    const kept = { session: { sdpType: 'offer', sdp: offerSdp }, ownSdp: 'mine' } as const
    await sessions.save('fence', 7, kept)
    await sessions.save('fence', 6, { session: null, ownSdp: null })
    await sessions.drop('fence', 6)
    assert.deepEqual(await sessions.read('fence'), kept)
    await sessions.save('fence', 8, { ...kept, ownSdp: null })
    assert.equal((await sessions.read('fence')).ownSdp, null)
    await sessions.drop('fence', 8)
    await sessions.save('fence', 7, kept)
    assert.deepEqual(await sessions.read('fence'), { session: null, ownSdp: null })
  })
})

test('a call that is loaded again because its commit was slow does not ring again', async () => {
  const workspace = await addWorkspace(sql, { forward: true })
  const impatient = connectPool({ url: database.url, max: 2, name: 'impatient', lockTimeoutMs: 150 })
  after(() => impatient.end({ timeout: 1 }))
  const cluster = new Cluster(sql, { sessions })
  const node = cluster.node(impatient)
  const update = connectUpdate(workspace)
  let ring: () => void = () => undefined
  const [rung, begun] = [new Promise<void>((resolve) => (ring = resolve)), node.applyCallUpdate(update)]
  cluster.beforeDirect = () => rung
  await begun
  const id = await idOf(update.wacid)
  const forwardOf = async () =>
    (
      await sql<{ forwardState: string; error: unknown }[]>`
      select forward_state, last_forward_error as error from calls where id = ${id}`
    )[0]
  const epoch = async () =>
    (await sql<{ epoch: number }[]>`select owner_epoch as epoch from calls where id = ${id}`)[0]?.epoch
  await until(() => cluster.direct.length === 1)
  const first = await epoch()
  const connection = await sql.reserve()
  await connection`begin`
  await connection`select from calls where id = ${id} for update`
  // The receiver takes the call, and the provider tells something: neither can be written.
  ring()
  await assert.rejects(node.applyCallUpdate(terminateUpdate(update)))
  // Longer than a successor would leave a forward alone that may still run.
  await connection`update calls set forward_started_at = forward_started_at - interval '3 seconds' where id = ${id}`
  await connection`commit`
  connection.release()
  await until(async () => {
    await wakeOverdueCalls(reaper(node))
    await node.directory.tell(id, { type: 'wake' })
    return (await forwardOf())?.forwardState === 'OK'
  })
  assert.notEqual(await epoch(), first, 'the call was loaded again')
  assert.equal((await forwardOf())?.error, null)
  assert.equal(cluster.direct.length, 1)
})

test('the provider is answered once the SDP of a call is where a successor finds it, whichever node owns the call', async () => {
  const workspace = await addWorkspace(sql, { events: ['call.status', 'call.accepted'] })
  let finishSaving: () => void = () => undefined
  const slow = {
    ...sessions,
    save: async (...saved: Parameters<typeof sessions.save>) => {
      await new Promise<void>((resolve) => (finishSaving = resolve))
      await sessions.save(...saved)
    },
  }
  const cluster = new Cluster(sql, { sessions: slow })
  const [owner, other] = [cluster.node(), cluster.node()]
  const placed = await place(owner, workspace)
  const named = { wacid: placed.wacid ?? '', opaque: placed.id, direction: 'OUTBOUND' } as const
  const session = { sdpType: 'answer', sdp: offerSdp } as const
  let isAnswered = false
  const applied = other.applyCallUpdate(connectUpdate(workspace, { ...named, session })).then(() => {
    isAnswered = true
  })
  const id = decodeId('call', placed.id) as CallId
  await until(
    async () =>
      (await sql`select from calls where id = ${id} and timeline::text like '%provider.connect%'`).count > 0,
  )
  // The update is committed, but its SDP is not saved yet. Gives a premature answer time to show.
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.deepEqual([isAnswered, (await sessions.read(id)).session], [false, null])
  finishSaving()
  await applied
  assert.deepEqual((await sessions.read(id)).session, session)
})

describe('after a crash of the owner', () => {
  test('the new owner serves the offer and takes the answer', async () => {
    const { workspace, first, second, id } = await ringing(false)
    first.kill()
    const { session } = await second.commands.offer(workspace.workspaceId, id)
    assert.equal(session.sdp, offerSdp)
    const record = await second.commands.answer(workspace.workspaceId, id, answerOf(1))
    assert.equal(record.status, 'ACCEPTED')
  })

  test('an answer under way is finished by the new owner with the same SDP', async () => {
    const { workspace, cluster, first, second, id } = await ringing(false)
    cluster.provider.on('preAccept', never)
    first.commands.answer(workspace.workspaceId, id, answerOf(1)).catch(() => undefined)
    await until(async () => (await sessions.read(id)).ownSdp !== null)
    await until(() => cluster.provider.kinds().length === 1)
    first.kill()
    cluster.provider.on('preAccept', async () => providerOk)
    const record = await second.commands.answer(workspace.workspaceId, id, answerOf(1))
    assert.equal(record.status, 'ACCEPTED')
    assert.deepEqual(cluster.provider.kinds(), ['preAccept', 'preAccept', 'accept'])
    assert.equal(new Set(cluster.provider.requests.map(({ sdp }) => sdp)).size, 1)
  })

  for (const [action, request, from, ended] of [
    ['DECLINE', 'reject', 'RINGING', 'DECLINED'],
    ['HANG_UP', 'terminate', 'ACCEPTED', 'COMPLETED'],
  ] as const)
    test(`${action} under way is put to the provider again, by whoever wakes the call`, async () => {
      const { workspace, cluster, first, second, id } = await ringing(false)
      const { workspaceId } = workspace
      if (from === 'ACCEPTED') await first.commands.answer(workspaceId, id, answerOf(1))
      cluster.provider.on(request, never)
      first.commands.act(workspaceId, id, { action }).catch(() => undefined)
      await until(() => cluster.provider.kinds().at(-1) === request)
      first.kill()
      // The first request took effect; only its answer was lost.
      cluster.provider.on(request, async () => providerError({ class: 'callGone' }))
      await sql`update calls set wake_at = now() - interval '3 seconds' where id = ${id}`
      await wakeOverdueCalls(reaper(second))
      const statusOf = async () => (await sql`select status from calls where id = ${id}`)[0]?.['status']
      await until(async () => (await statusOf()) === ended)
      const again = await second.commands.act(workspaceId, id, { action })
      assert.equal(again.status, ended)
      assert.deepEqual(cluster.provider.kinds().slice(-2), [request, request])
    })

  test('a pre-accept under way is repeated with the same SDP, and the answer follows it', async () => {
    const { workspace, cluster, first, second, id } = await ringing(false)
    const wanted = { action: 'PRE_ACCEPT', session: answerOf(1) } as const
    cluster.provider.on('preAccept', never)
    first.commands.act(workspace.workspaceId, id, wanted).catch(() => undefined)
    await until(async () => (await sessions.read(id)).ownSdp !== null)
    await until(() => cluster.provider.kinds().length === 1)
    first.kill()
    cluster.provider.on('preAccept', async () => providerOk)
    assert.equal((await second.commands.act(workspace.workspaceId, id, wanted)).status, 'RINGING')
    assert.equal((await second.commands.answer(workspace.workspaceId, id, answerOf(1))).status, 'ACCEPTED')
    assert.deepEqual(cluster.provider.kinds(), ['preAccept', 'preAccept', 'accept'])
  })

  test('the former owner can write nothing any more', async () => {
    const { workspace, first, second, update, id } = await ringing(false)
    first.kill()
    await second.commands.answer(workspace.workspaceId, id, answerOf(1))
    // The killed node still acts as the owner: its commit fails at the epoch, and the message goes to the
    // current owner.
    await first.applyCallUpdate(terminateUpdate(update, { durationSeconds: 5 }))
    const versions = await sql`
      select convert_from(body, 'utf8')::jsonb -> 'data' ->> 'status' as status from events where key = ${id} order by id`
    assert.deepEqual(
      versions.map((row) => row['status']),
      ['RINGING', 'ACCEPTED', 'COMPLETED'],
    )
  })

  test('a forward that was under way is repeated once when the reaper wakes the call', async () => {
    const { cluster, first, second, id } = await ringing(true)
    await until(
      async () => (await sql`select 1 from calls where id = ${id} and forward_state = 'OK'`).length === 1,
    )
    first.kill()
    await sql`
      update calls
      set forward_state = 'ATTEMPTING', forward_started_at = now() - interval '3 seconds', wake_at = now() - interval '3 seconds'
      where id = ${id}`
    await wakeOverdueCalls(reaper(second))
    await until(() => cluster.direct.length === 2)
    await until(
      async () => (await sql`select 1 from calls where id = ${id} and forward_state = 'OK'`).length === 1,
    )
    await wakeOverdueCalls(reaper(second))
    assert.equal(cluster.direct.length, 2)
  })
})
