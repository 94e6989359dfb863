import assert from 'node:assert/strict'
import { createBacklogStore } from '../../../src/delivery/store/backlog.store.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'

const sql = testPool(await testDatabase())
const { sample } = createBacklogStore(sql)

const age = (id: string, state: string, { replay = false, seconds = 0 }) => sql`
  update deliveries
  set state = ${state}, replay = ${replay}, created_at = now() - ${seconds} * interval '1 second',
    next_attempt_at = now() - ${seconds} * interval '1 second'
  where id = ${id}`

describe('the backlog', () => {
  test('of nothing is nothing', async () => {
    assert.deepEqual(await sample(), {
      oldest: { first: 0, retry: 0 },
      held: 0,
      disabled: { byFailures: 0, byOperator: 0 },
    })
  })

  test('tells the oldest of each lane, what is held, and which endpoints are off by whom', async () => {
    const { workspaceId } = await addTenant(sql)
    const [first, second] = [await addEndpoint(sql, workspaceId), await addEndpoint(sql, workspaceId)]
    const written = [...(await emitEvent(sql, workspaceId)), ...(await emitEvent(sql, workspaceId))]
    const fresh = (await sample()).oldest
    assert.ok(fresh.first > 0 && fresh.first < 60, `${fresh.first}`)
    assert.equal(fresh.retry, 0)
    const [a, b, c, d] = written.map(({ deliveryId }) => deliveryId)
    await age(a ?? '', 'PENDING', { seconds: 50 })
    await age(b ?? '', 'RETRYING', { seconds: 40 })
    await age(c ?? '', 'PENDING', { seconds: 60, replay: true })
    // Not due yet, so it does not count as waiting.
    await age(d ?? '', 'RETRYING', { seconds: -500 })
    const aged = (await sample()).oldest
    assert.ok(Math.abs(aged.first - 50) < 5 && Math.abs(aged.retry - 60) < 5, JSON.stringify(aged))
    await sql`update endpoints set enabled = false, disabled_reason = 'FAILURES' where id = ${first}`
    await sql`update endpoints set enabled = false, disabled_reason = 'OPERATOR' where id = ${second}`
    await sql`update deliveries set state = 'HELD' where workspace_id = ${workspaceId}`
    assert.deepEqual(await sample(), {
      oldest: { first: 0, retry: 0 },
      held: 4,
      disabled: { byFailures: 1, byOperator: 1 },
    })
  })
})
