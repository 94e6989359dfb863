// Deadlines of calls, on a clock that the test moves: they outlive the process that set them.
import assert from 'node:assert/strict'
import { wakeOverdueCalls } from '../../../src/calls/host/wake-overdue-calls.ts'
import { createCallsStore } from '../../../src/calls/store/calls.store.ts'
import type { CallId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { answerOf, Cluster, connectUpdate, type Node, until } from './gateway.ts'
import { addWorkspace } from './rows.ts'

const sql = testPool(await testDatabase())
const store = createCallsStore(sql)
const hour = 3_600_000

/** A ringing call on a clock that is `behindMs` behind the clock of the database, which the reaper uses. */
async function ringing(behindMs: number) {
  const workspace = await addWorkspace(sql)
  const clock = new SimulatedClock(Date.now() - behindMs)
  const cluster = new Cluster(sql, { clock, confirmEveryMs: 10 * hour })
  const [first, second] = [cluster.node(), cluster.node()]
  const update = connectUpdate(workspace)
  await first.applyCallUpdate(update)
  const [row] = await sql<{ id: CallId }[]>`select id from calls where wacid = ${update.wacid}`
  if (!row) throw new Error('no such call')
  return { workspace, cluster, clock, first, second, update, id: row.id }
}

async function reap({ directory }: Node): Promise<void> {
  const tell = (_kind: 'call', id: string, message: { type: 'wake' }) => directory.tell(id, message)
  await wakeOverdueCalls({ calls: store, router: { tell } })
}

async function stateOf(id: CallId) {
  const [row] = await sql<{ status: string; endReason: string | null; durationSeconds: number | null }[]>`
    select status, end_reason, duration_seconds from calls where id = ${id}`
  return { ...row }
}

const statusIs = (id: CallId, status: string) => until(async () => (await stateOf(id)).status === status)

describe('a call that the provider goes silent on', () => {
  test('ends after 90 s of ringing, here and at the provider', async () => {
    const { cluster, clock, id } = await ringing(0)
    await clock.advance(89_999)
    assert.equal((await stateOf(id)).status, 'RINGING')
    await clock.advance(1)
    await statusIs(id, 'MISSED')
    assert.deepEqual(await stateOf(id), { status: 'MISSED', endReason: 'TIMEOUT', durationSeconds: null })
    await until(() => cluster.provider.kinds().includes('terminate'))
  })

  test('is found by the reaper where its owner has died, and not before it is overdue', async () => {
    const early = await ringing(90_000)
    early.first.kill()
    await reap(early.second)
    assert.equal(early.second.directory.has(early.id), false)

    const { cluster, clock, first, second, id } = await ringing(100_000)
    first.kill()
    await reap(second)
    await until(() => second.directory.has(id))
    await clock.advance(89_999)
    assert.equal((await stateOf(id)).status, 'RINGING')
    await clock.advance(1)
    await statusIs(id, 'MISSED')
    assert.equal((await stateOf(id)).endReason, 'TIMEOUT')
    assert.deepEqual(cluster.statuses(), ['RINGING', 'MISSED'])
  })

  test('ends after four hours of a conversation, whoever owns it by then', async () => {
    const { workspace, cluster, clock, first, second, id } = await ringing(4 * hour + 60_000)
    await first.commands.answer(workspace.workspaceId, id, answerOf(1))
    await clock.advance(4 * hour - 1)
    first.kill()
    await reap(second)
    await until(() => second.directory.has(id))
    assert.equal((await stateOf(id)).status, 'ACCEPTED')
    await clock.advance(1)
    await statusIs(id, 'COMPLETED')
    const ended = { status: 'COMPLETED', endReason: 'TIMEOUT', durationSeconds: 4 * 3_600 }
    assert.deepEqual(await stateOf(id), ended)
    // The new owner stays silent for a while before it sends any request.
    await clock.advance(100)
    await until(() => cluster.provider.kinds().at(-1) === 'terminate')
    assert.deepEqual(cluster.statuses(), ['RINGING', 'ACCEPTED', 'COMPLETED'])
  })

  test('keeps its place in the row: what the reaper goes by follows every change', async () => {
    const { workspace, clock, first, id } = await ringing(0)
    const dueIn = async () => {
      const [row] = await sql<{ wakeAt: Date | null }[]>`select wake_at from calls where id = ${id}`
      return row?.wakeAt ? row.wakeAt.getTime() - clock.now() : null
    }
    assert.equal(await dueIn(), 90_000)
    await clock.advance(10_000)
    await first.commands.answer(workspace.workspaceId, id, answerOf(1))
    assert.equal(await dueIn(), 4 * hour)
    await first.commands.act(workspace.workspaceId, id, { action: 'HANG_UP' })
    assert.equal(await dueIn(), null)
  })
})
