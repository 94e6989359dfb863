// What the installation mends in the driver (src/platform/postgres/patches).
import assert from 'node:assert/strict'
import { eventually } from '../../../e2e/scene.ts'
import { before, describe, test } from '../../../support/harness.ts'
import { type TestDatabase, testDatabase, testPool } from '../../../support/postgres.ts'

describe('a connection that ends in the middle of its rows', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })

  test('leaves nothing of them to the statements after it', async () => {
    const pool = testPool(database, 1)
    const broken = pool`
      select i, case when i = 20000 then pg_terminate_backend(pg_backend_pid()) end from generate_series(1, 40000) i`
    await assert.rejects(broken)
    for (let answer = 1; answer <= 3; answer += 1)
      assert.deepEqual([...(await pool`select ${answer}::integer as answer`)], [{ answer }])
  })
})

describe('a transaction whose connection ends between two of its statements', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })

  test('fails, writes nothing afterwards, and leaves the pool and the process well', async () => {
    const [pool, other] = [testPool(database, 1), testPool(database, 1)]
    await other`create table written (what text)`
    let later: unknown
    const lost = pool.begin(async (tx) => {
      const [backend] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      const pid = backend?.pid ?? assert.fail('no pid')
      await tx`insert into written values ('before')`
      await other`select pg_terminate_backend(${pid})`
      // The pool has one connection: this is answered when another has taken the place of the one that ended.
      await eventually('the pool answers again', () =>
        pool`select 1`.then(
          () => true,
          () => false,
        ),
      )
      later = await tx`insert into written values ('after')`.catch((error: { code?: string }) => error.code)
    })
    await assert.rejects(lost, (error: { code?: string }) =>
      ['57P01', 'CONNECTION_CLOSED'].includes(error.code ?? ''),
    )
    await eventually('the transaction has gone on', async () => later !== undefined)
    assert.equal(later, 'CONNECTION_CLOSED')
    assert.deepEqual([...(await other`select * from written`)], [])
    assert.equal((await pool`select 2 as answer`)[0]?.['answer'], 2)
  })
})
