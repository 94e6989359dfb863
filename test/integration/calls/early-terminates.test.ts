// The terminate of a call was acknowledged before anybody could see its connect, and the gateway that began the call has
// died since: only the early terminate tells of it.
import assert from 'node:assert/strict'
import { wakeOverdueCalls } from '../../../src/calls/host/wake-overdue-calls.ts'
import { createCallsStore } from '../../../src/calls/store/calls.store.ts'
import { encodeId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { begun, isBegun } from './begins.ts'
import { Cluster, connectUpdate, offerSdp, terminateUpdate, until } from './gateway.ts'

const sql = testPool(await testDatabase())
const store = createCallsStore(sql)
const error = { code: '138019', title: 'Call setup failed' }

async function orphaned(facts: Parameters<typeof store.addEarlyTerminate>[0]['error']) {
  const { workspace, results } = await begun(sql, 1)
  const { row } = isBegun(results[0])
  const { id, wacid, workspaceId } = row
  if (wacid === null) throw new Error('an inbound call has the id of the provider')
  const ended = { wacid, workspaceId, at: new Date(), durationSeconds: null, error: facts }
  await store.addEarlyTerminate(ended)
  const saved = { session: { sdpType: 'offer', sdp: offerSdp }, ownSdp: null } as const
  const cluster = new Cluster(sql, {
    sessions: { save: async () => undefined, drop: async () => undefined, read: async () => saved },
  })
  return { workspace, id, wacid, cluster, node: cluster.node() }
}

const callNow = async (id: string) =>
  (
    await sql<{ status: string; reason: string; forward: string; told: string[] }[]>`
    select c.status, c.end_reason as reason, c.forward_state as forward, array(
      select convert_from(e.body, 'utf8')::jsonb -> 'data' ->> 'status' from events e where e.key = c.id order by e.id) as told
    from calls c where c.id = ${id}`
  )[0]

describe('a call whose end its first owner never heard of', () => {
  test('does not ring again: whoever wakes it finds the end', async () => {
    const { id, cluster, node } = await orphaned(null)
    await sql`
      update calls set forward_started_at = now() - interval '3 seconds', wake_at = now() - interval '3 seconds'
      where id = ${id}`
    const { directory } = node
    await wakeOverdueCalls({
      calls: store,
      router: { tell: (_kind, one, message) => directory.tell(one, message) },
    })
    await until(async () => (await callNow(id))?.forward === 'FAILED')
    const missed = {
      status: 'MISSED',
      reason: 'CALLER_GAVE_UP',
      forward: 'FAILED',
      told: ['RINGING', 'MISSED'],
    }
    assert.deepEqual(await callNow(id), missed)
    assert.deepEqual(cluster.direct, [])
  })

  test('has no effect, and is not asked for again, where the call was erased since', async () => {
    const { workspace, id, wacid, node } = await orphaned(error)
    const connect = connectUpdate(workspace, { wacid })
    assert.equal(await node.applyCallUpdate(connect), 'applied')
    await node.directory.drain(1_000)
    node.directory.resume()
    await sql`delete from calls where id = ${id}`
    assert.equal(await node.applyCallUpdate(terminateUpdate(connect)), 'applied')
    const opaque = encodeId('call', id)
    const other = new Cluster(sql).node()
    assert.equal(await other.applyCallUpdate(terminateUpdate(connect, { opaque })), 'unknownCall')
  })

  test('is over when its connect is repeated', async () => {
    const { workspace, id, wacid, cluster, node } = await orphaned(error)
    await node.applyCallUpdate(connectUpdate(workspace, { wacid }))
    const { status, reason, told } = (await callNow(id)) ?? {}
    assert.deepEqual([status, reason, told], ['FAILED', 'PROVIDER_ERROR', ['RINGING', 'FAILED']])
    assert.deepEqual(cluster.direct, [])
  })
})
