import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { Cluster, connectUpdate, terminateUpdate, until } from './gateway.ts'
import { addWorkspace } from './rows.ts'

const sql = testPool(await testDatabase())

/** Two nodes of which the second owns the endpoint; a call of the number has rung before. */
async function scene() {
  const workspace = await addWorkspace(sql, { forward: true })
  const cluster = new Cluster(sql)
  const [a, b] = [cluster.node(), cluster.node()]
  cluster.endpointOwner = b.sid
  const first = connectUpdate(workspace)
  await a.applyCallUpdate(first)
  // Its ring is not awaited by its webhook.
  await until(async () => cluster.direct.length === 1)
  return { workspace, cluster, a, b, first }
}

const rowOf = async (wacid: string) => {
  const rows = await sql<{ ownerSid: string | null; status: string; forwardState: string | null }[]>`
    select owner_sid, status, forward_state from calls where wacid = ${wacid}`
  assert.equal(rows.length, 1)
  return rows[0]
}

describe('a call whose endpoint is owned by another gateway', () => {
  test('lives there, from its connect to its end, and the one before it where it began', async () => {
    const { workspace, cluster, a, b, first } = await scene()
    const update = connectUpdate(workspace)
    assert.equal(await a.applyCallUpdate(update), 'applied')
    assert.equal((await rowOf(first.wacid))?.ownerSid, a.sid)
    assert.deepEqual([(await rowOf(update.wacid))?.ownerSid, b.directory.size], [b.sid, 1])
    await until(async () => (await rowOf(update.wacid))?.forwardState === 'OK')
    for (const connect of [update, first])
      await a.applyCallUpdate(terminateUpdate(connect, { endedAt: new Date() }))
    assert.equal((await rowOf(update.wacid))?.status, 'MISSED')
    assert.equal((await rowOf(first.wacid))?.status, 'MISSED')
    assert.equal(cluster.direct.length, 2)
    assert.deepEqual(cluster.statuses().sort(), ['MISSED', 'MISSED', 'RINGING', 'RINGING'])
  })

  test('rings once where both begin it, because that gateway is slow, and ends by a terminate after it', async () => {
    const { workspace, cluster, a } = await scene()
    cluster.losesAnswers = true
    const update = connectUpdate(workspace)
    assert.equal(await a.applyCallUpdate(update), 'applied')
    await until(async () => (await rowOf(update.wacid))?.forwardState === 'OK')
    assert.equal(await a.applyCallUpdate(terminateUpdate(update)), 'applied')
    assert.equal((await rowOf(update.wacid))?.status, 'MISSED')
    assert.equal(cluster.direct.length, 2)
  })

  test('begins here where that gateway is dead or gives its actors up', async () => {
    for (const end of ['kill', 'cutOff'] as const) {
      const { workspace, cluster, a, b } = await scene()
      if (end === 'kill') b.kill()
      else b.directory.cutOff()
      const update = connectUpdate(workspace)
      assert.equal(await a.applyCallUpdate(update), 'applied')
      assert.equal((await rowOf(update.wacid))?.ownerSid, a.sid)
      await until(async () => cluster.direct.length === 2)
    }
  })
})
