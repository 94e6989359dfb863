import assert from 'node:assert/strict'
import { watchLoad } from '../../../src/platform/process/load.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { eventually } from '../../e2e/scene.ts'
import { test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'

test('a pool without a free connection sheds everything but calls, until it is free again', async () => {
  const sql = testPool(await testDatabase(), 1)
  const told: string[] = []
  const note = (_fields: unknown, event: string) => void told.push(event)
  const load = watchLoad({
    ...{ isEnabled: true, sql, clock: systemClock, log: { warn: note, info: note } as never },
    postgresAwayMs: () => 0,
    fullness: () => 0,
  })
  assert.equal(load.admits('list'), true)
  const asleep = sql`select pg_sleep(4.5)`.execute()
  await eventually('sends are shed', async () => !load.admits('send'))
  assert.ok(load.pressure().poolMs >= 500)
  assert.equal(load.admits('call'), true)
  await asleep
  await eventually('nothing is shed', async () => load.level() === 0)
  assert.deepEqual([told[0], told.at(-1)], ['load.shedding', 'load.eased'])
  load.stop()
})

test('without shedding the wait is measured, and nothing is refused', async () => {
  const sql = testPool(await testDatabase(), 1)
  const load = watchLoad({
    ...{ isEnabled: false, sql, clock: systemClock, log: { warn: assert.fail, info: assert.fail } as never },
    postgresAwayMs: () => 0,
    fullness: () => 0,
  })
  const asleep = sql`select pg_sleep(1.5)`.execute()
  await eventually('the wait is seen', async () => load.pressure().poolMs >= 500)
  assert.deepEqual([load.admits('list'), load.level()], [true, 0])
  await asleep
  load.stop()
})
