// Postgres comes back in the state that it had some time ago, while an endpoint has events in memory.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { createRestoreWatch } from '../../../src/platform/postgres/restore-watch.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant, emitEvent } from '../../support/rows.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { eventually } from '../platform/cluster/gateway.ts'
import { Engine, endpointAt, receiver } from './engine.ts'

test('a fence holds while Postgres has what it had, and until another process has found that it has not', async (t) => {
  const sql = testPool(await testDatabase())
  const restores = createRestoreWatch({
    // It looks only when it is asked to.
    ...{ sql, clock: new SimulatedClock(0), log: { warn: () => undefined }, count: () => undefined },
  })
  t.after(() => restores.stop())
  const holds = async () => (await sql`select ${restores.fence(sql)} as holds`)[0]?.['holds']
  assert.equal(await holds(), false)
  await restores.check()
  assert.equal(await holds(), true)
  await sql`update database_era set id = gen_random_uuid(), restored_at = now()`
  assert.equal(await holds(), false)
  await restores.check()
  assert.equal(await holds(), true)
})

describe('after a restore of Postgres', () => {
  test('an endpoint keeps its owner, and what its owner holds is sent, although the rows are gone', async (t) => {
    const sql = testPool(await testDatabase())
    await sql`select setval('actor_epoch', 1000)`
    const { workspaceId } = await addTenant(sql)
    const arrived: string[] = []
    const held: ServerResponse[] = []
    let isHeld = true
    const url = await receiver(t, (_path, body, response) => {
      arrived.push(body)
      if (isHeld) held.push(response)
      else response.writeHead(200).end()
    })
    const endpointId = await endpointAt(sql, workspaceId, url)
    const counted = { rewritten: 0, lost: 0 }
    const restores = createRestoreWatch({
      ...{ sql, clock: systemClock, log: { warn: () => undefined } },
      count: (result, rows) => {
        counted[result] += rows
      },
    })
    t.after(() => restores.stop())
    const engine = new Engine(sql)
    const node = engine.join(restores)
    t.after(() => engine.close())
    const key = newId('conversation')
    for (let number = 1; number <= 5; number += 1)
      node.dispatch(await emitEvent(sql, workspaceId, { key, body: String(number) }))
    await eventually(() => arrived.length === 1)
    const epochOf = async () =>
      (await sql<{ epoch: number }[]>`select owner_epoch as epoch from endpoints where id = ${endpointId}`)[0]
        ?.epoch
    const epoch = (await epochOf()) ?? 0
    await sql.begin(async (tx) => {
      await tx`delete from deliveries`
      await tx`delete from events`
      await tx`update endpoints set owner_epoch = 7, owner_sid = null`
      // Seen with the rest, unlike what setval does.
      await tx`alter sequence actor_epoch restart with 900`
    })
    await eventually(() => counted.rewritten === 1)
    assert.equal(await epochOf(), epoch)
    assert.deepEqual(counted, { rewritten: 1, lost: 0 })
    isHeld = false
    for (const response of held) response.writeHead(200).end()
    await eventually(() => arrived.length === 5)
    assert.deepEqual(arrived, ['1', '2', '3', '4', '5'])
    const [row] = await sql<{ last: number }[]>`select nextval('actor_epoch') as last`
    assert.ok((row?.last ?? 0) > epoch)
  })
})
