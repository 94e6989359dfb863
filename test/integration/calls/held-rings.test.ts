import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { Cluster, connectUpdate, offerSdp, terminateUpdate, until } from './gateway.ts'
import { addWorkspace } from './rows.ts'

const sql = testPool(await testDatabase())

/** As if each call had been saved with this offer. */
const sessions = {
  save: async () => undefined,
  drop: async () => undefined,
  read: async () => ({ session: { sdpType: 'offer', sdp: offerSdp } as const, ownSdp: null }),
}

describe('a ring that the silence of a new owner holds', () => {
  test('does not go out once the call has ended, and is settled for that reason', async () => {
    const workspace = await addWorkspace(sql, { forward: true })
    const clock = new SimulatedClock(Date.now())
    const cluster = new Cluster(sql, { sessions, clock, confirmEveryMs: 60_000, silenceMs: 3_000 })
    const [first, second] = [cluster.node(), cluster.node()]
    const update = connectUpdate(workspace, { at: new Date(clock.now()) })
    cluster.beforeDirect = () => new Promise<never>(() => undefined)
    await first.applyCallUpdate(update)
    await until(() => cluster.direct.length === 1)
    first.kill()
    await clock.advance(1_000)
    const callNow = async () =>
      (
        await sql<{ id: string; status: string; forward: string; code: string; owner: string | null }[]>`
        select id, status, forward_state as forward, last_forward_error ->> 'code' as code, owner_sid as owner
        from calls where wacid = ${update.wacid}`
      )[0] ?? assert.fail()
    const { id } = await callNow()
    await second.directory.tell(id, { type: 'wake' })
    await until(async () => (await callNow()).code === 'RESTARTED')
    await second.applyCallUpdate(terminateUpdate(update))
    assert.deepEqual([(await callNow()).status, cluster.direct.length], ['MISSED', 1])
    await clock.advance(3_000)
    await until(async () => {
      // The epoch is confirmed again until the answer comes in time.
      await clock.advance(250)
      return (await callNow()).forward !== 'ATTEMPTING' || cluster.direct.length > 1
    })
    const settled = { id, status: 'MISSED', forward: 'FAILED', code: 'CALL_ENDED', owner: null }
    assert.deepEqual([await callNow(), cluster.direct.length], [settled, 1])
  })
})
