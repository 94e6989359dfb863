// What the installation mends in the driver (src/platform/postgres/patches).
import assert from 'node:assert/strict'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { before, describe, test } from '../../../support/harness.ts'
import { type TestDatabase, testDatabase, testPool } from '../../../support/postgres.ts'

const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0

test('statements are prepared up to a number, and run all the same beyond it', async () => {
  const pool = testPool(await testDatabase(), 1)
  for (let index = 0; index < 600; index += 1) {
    const [row] = await pool.unsafe(`select $1::int + ${index} as sum`, [1], { prepare: true })
    assert.equal(row?.['sum'], index + 1)
  }
  const [kept] = await pool`select count(*)::int as count from pg_prepared_statements`
  assert.ok(kept?.['count'] > 400 && kept?.['count'] <= 501, JSON.stringify(kept))
})

describe('a statement that has been answered', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })

  // It is all of what a gateway leaves to the full collector, if each of its texts does.
  test('is gone with the next collection of the young generation', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void
    const pool = testPool(database, 1)
    const ask = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        const values = Array.from({ length: 1_000 }, () => index)
        await pool`select ${values}::integer[]`
        if (index % 4 === 0) collect({ type: 'minor' })
      }
    }
    await ask(100)
    const before = oldBytes()
    await ask(200)
    const bytes = (oldBytes() - before) / 200
    assert.ok(bytes < 4_000, `${bytes} bytes of each statement stayed`)
  })
})
