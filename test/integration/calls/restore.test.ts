// Postgres comes back in the state that it had some time ago, while calls are live.

import assert from 'node:assert/strict'
import { personAt } from '../../../src/contract/person.ts'
import { connectPool, type Pool } from '../../../src/platform/postgres/sql.ts'
import type { CallId } from '../../../src/shared/ids.ts'
import { after, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { answerOf, Cluster, connectUpdate, type Node, terminateUpdate, until } from './gateway.ts'
import { addWorkspace } from './rows.ts'

/** A database, whose state a test keeps and restores: of every table that a call touches. */
async function openDatabase() {
  const database = await testDatabase()
  const sql = testPool(database, 8)
  // A sequence that was never used cannot be told from one that gave its first number.
  await sql`select setval('actor_epoch', 1000)`
  const tables = ['contacts', 'conversations', 'calls', 'call_timeline', 'events', 'deliveries']
  const kept = async (): Promise<(also?: (tx: Pool) => Promise<unknown>) => Promise<void>> => {
    for (const table of tables) await sql`create table ${sql(`kept_${table}`)} as select * from ${sql(table)}`
    const last = await lastEpoch(sql)
    return async (also) => {
      await sql.begin(async (tx) => {
        for (const table of [...tables].reverse()) await tx`delete from ${tx(table)}`
        for (const table of tables) await tx`insert into ${tx(table)} select * from ${tx(`kept_${table}`)}`
        await setEpoch(tx as unknown as Pool, last)
        await also?.(tx as unknown as Pool)
      })
    }
  }
  return { ...database, sql, kept }
}

const idOf = async (sql: Pool, wacid: string): Promise<CallId> =>
  (await sql<{ id: CallId }[]>`select id from calls where wacid = ${wacid}`)[0]?.id ?? assert.fail()

const statusOf = async (sql: Pool, id: CallId) =>
  (
    await sql<{ status: string; epoch: number }[]>`
    select status, owner_epoch as epoch from calls where id = ${id}`
  )[0]

const lastEpoch = async (sql: Pool) =>
  (await sql<{ last: number }[]>`select last_value as last from actor_epoch`)[0]?.last ?? 0

/**
 * A restore is seen as a whole. What setval does is seen before its transaction ends: whoever looked in between would
 * find nothing missing, and look no more.
 */
const setEpoch = (sql: Pool, last: number) => sql.unsafe(`alter sequence actor_epoch restart with ${last}`)

async function ring(sql: Pool, cluster: Cluster, node: Node) {
  const workspace = await addWorkspace(sql, { forward: true })
  const update = connectUpdate(workspace, { person: personAt(`1555${Math.floor(Math.random() * 1e7)}`) })
  return {
    workspace,
    update,
    async begin() {
      await node.applyCallUpdate(update)
      const id = await idOf(sql, update.wacid)
      await until(() => cluster.direct.some(({ body }) => body.toString().includes(update.wacid)))
      return id
    },
  }
}

describe('after a restore of Postgres', () => {
  test('a live call that the restored state lacks is there again, with its statuses, and goes on', async () => {
    const { sql, kept } = await openDatabase()
    const cluster = new Cluster(sql, { watchesRestores: true })
    const node = cluster.node()
    const call = await ring(sql, cluster, node)
    const restore = await kept()
    const id = await call.begin()
    const { epoch = 0 } = (await statusOf(sql, id)) ?? {}
    await restore()
    await node.applyCallUpdate(terminateUpdate(call.update))
    assert.deepEqual(cluster.statuses(), ['RINGING', 'RINGING', 'MISSED'])
    assert.deepEqual(await statusOf(sql, id), { status: 'MISSED', epoch })
    assert.ok((await lastEpoch(sql)) > epoch, 'no epoch is given twice')
    await until(() => cluster.restored.rewritten === 1)
    assert.equal(cluster.restored.lost, 0)
  })

  for (const [owner, epochsBehind] of [
    ['an owner before', 1],
    ['the same owner', 0],
  ] as const)
    test(`a call that is restored in an older state, of ${owner}, gets the status that memory holds`, async () => {
      const { sql, kept } = await openDatabase()
      const cluster = new Cluster(sql, { watchesRestores: true })
      const node = cluster.node()
      const call = await ring(sql, cluster, node)
      const id = await call.begin()
      await until(async () => (await sql`select from calls where forward_state = 'OK'`).count === 1)
      const restore = await kept()
      await node.commands.answer(call.workspace.workspaceId, id, answerOf(1))
      await until(() => cluster.statuses().includes('ACCEPTED'))
      const { epoch = 0 } = (await statusOf(sql, id)) ?? {}
      await restore()
      await sql.begin(async (tx) => {
        await tx`update calls set owner_epoch = owner_epoch - ${epochsBehind}`
        await setEpoch(tx as unknown as Pool, epoch - 1)
      })
      await until(async () => (await statusOf(sql, id))?.status === 'ACCEPTED')
      // The row is there a moment before its owner hears so.
      await until(() => cluster.statuses().length >= 3)
      assert.deepEqual(cluster.statuses(), ['RINGING', 'ACCEPTED', 'ACCEPTED'])
      await node.applyCallUpdate(terminateUpdate(call.update, { durationSeconds: 3 }))
      assert.equal((await statusOf(sql, id))?.status, 'COMPLETED')
    })

  test('every gateway writes its own calls, whichever notices first', async () => {
    const { sql, kept } = await openDatabase()
    const cluster = new Cluster(sql, { watchesRestores: true })
    const nodes = [cluster.node(), cluster.node()]
    const calls = await Promise.all(nodes.map((node) => ring(sql, cluster, node)))
    const restore = await kept()
    const ids: CallId[] = []
    for (const { begin } of calls) ids.push(await begin())
    await until(async () => (await sql`select from calls where forward_state = 'OK'`).count === 2)
    // Each knows the era before, from which it can tell the one that the first to notice begins.
    await Promise.all(cluster.watches.map((watch) => watch.check()))
    await restore()
    await until(async () => (await sql`select from calls`).count === 2)
    for (const [index, { update }] of calls.entries())
      await nodes[index]?.applyCallUpdate(terminateUpdate(update))
    for (const id of ids) assert.equal((await statusOf(sql, id))?.status, 'MISSED')
    assert.equal(cluster.restored.lost, 0)
  })

  test('a call whose row is locked when it is to be written again is neither lost nor given up', async () => {
    const { url, sql, kept } = await openDatabase()
    const impatient = connectPool({ url, max: 4, name: 'impatient', lockTimeoutMs: 300 })
    after(() => impatient.end({ timeout: 1 }))
    const clock = new SimulatedClock(Date.now())
    const cluster = new Cluster(sql, { watchesRestores: true, clock })
    const node = cluster.node(impatient)
    const call = await ring(sql, cluster, node)
    const id = await call.begin()
    await until(async () => (await sql`select from calls where forward_state = 'OK'`).count === 1)
    const { epoch = 0 } = (await statusOf(sql, id)) ?? {}
    const restore = await kept()
    await restore(async (tx) => {
      await tx`update calls set owner_epoch = ${epoch - 1}`
      await setEpoch(tx, epoch - 1)
    })
    const other = await sql.reserve()
    await other`begin`
    await other`select from calls where id = ${id} for update`
    void cluster.watches[0]?.check().catch(() => undefined)
    const waits = new Set<number>()
    // The first wait has failed when there is a second.
    await until(async () => {
      const [waiting] = await sql<{ since: Date }[]>`
        select query_start as since from pg_stat_activity
        where application_name = 'impatient' and wait_event_type = 'Lock'`
      if (waiting) waits.add(waiting.since.getTime())
      await clock.advance(250)
      return waits.size > 1 || cluster.restored.lost > 0
    })
    // Meanwhile its owner has asked for its epoch, and got no answer that counts.
    assert.ok(node.directory.has(id))
    await other`commit`
    other.release()
    await until(async () => {
      await clock.advance(250)
      return cluster.restored.rewritten + cluster.restored.lost > 0
    })
    assert.deepEqual(cluster.restored, { rewritten: 1, lost: 0 })
    await node.applyCallUpdate(terminateUpdate(call.update))
    assert.deepEqual(await statusOf(sql, id), { status: 'MISSED', epoch })
  })

  test('a call whose number is gone is reported', async () => {
    const { sql, kept } = await openDatabase()
    const restore = await kept()
    const cluster = new Cluster(sql, { watchesRestores: true })
    const node = cluster.node()
    const call = await ring(sql, cluster, node)
    await call.begin()
    await restore((tx) => tx`delete from numbers where phone_number_id = ${call.workspace.phoneNumberId}`)
    await until(() => cluster.restored.lost === 1)
  })
})
