// What the installation mends in the driver (src/platform/postgres/patches).
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import type { Pool, Sql } from '../../../../src/platform/postgres/sql.ts'
import { eventually } from '../../../e2e/scene.ts'
import { before, describe, test } from '../../../support/harness.ts'
import { type TestDatabase, testDatabase, testPool } from '../../../support/postgres.ts'
import { behind, listen } from './lines.ts'

const refusingPort = 1

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

describe('a connection that is reset', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })

  test('fails also what is asked in the same moment, and leaves each statement its own answer', async () => {
    const target = new URL(database.url)
    const open: Socket[] = []
    const port = await listen((socket) => {
      const onward = connect(Number(target.port), target.hostname)
      socket.pipe(onward).pipe(socket)
      socket.on('close', () => onward.destroy())
      open.push(socket)
    })
    const other = testPool(database, 1)
    const breakIn = async (pool: Pool, round: number, name: string) => {
      let outcome: unknown
      // The connection has had its error, and may not have ended yet.
      pool
        .unsafe(`select pg_sleep(60) as ${name}`)
        .catch(() => pool`select ${round}::integer as answer`)
        .then(
          ([row]) => (outcome = row?.['answer']),
          (error: { code?: string }) => (outcome = error.code),
        )
      await eventually('the statement runs', async () => {
        const [row] = await other`
          select from pg_stat_activity where query = ${`select pg_sleep(60) as ${name}`}`
        return row !== undefined
      })
      for (const socket of open.splice(0)) socket.resetAndDestroy()
      await eventually('it is settled', async () => outcome !== undefined)
      assert.ok(outcome === round || outcome === 'CONNECTION_CLOSED', String(outcome))
      assert.deepEqual([...(await pool`select ${round + 10}::integer as answer`)], [{ answer: round + 10 }])
    }
    for (const ports of [[port], [port, refusingPort]]) {
      const pool = testPool(behind(database, ...ports), 1)
      for (let round = 0; round < 3; round += 1) await breakIn(pool, round, `s_${ports.length}_${round}`)
    }
  })
})

describe('a connection that is lost with statements that wait for one before them', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })
  const lose = async (sql: Sql) => {
    const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    const other = testPool(database, 1)
    return () => other`select pg_terminate_backend(${backend?.pid ?? 0})`
  }

  test('fails them all in a transaction', async () => {
    const pool = testPool(database, 1)
    const outcomes: PromiseSettledResult<unknown>[] = []
    const lost = pool.begin(async (tx) => {
      const end = await lose(tx)
      // The first one has parameters that are described first: the others are not written yet.
      const asked = [1, 2, 3].map((number) => tx`select ${number}::integer, pg_sleep(60)`.execute())
      await end()
      outcomes.push(...(await Promise.allSettled(asked)))
    })
    await assert.rejects(lost)
    await eventually('all are settled', async () => outcomes.length === 3)
    assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  })

  test('fails them all, and what comes later, where it is reserved', async () => {
    const pool = testPool(database, 1)
    await pool`select 1`
    const connection = await pool.reserve()
    const end = await lose(connection)
    const asked = [1, 2, 3].map((number) => connection`select ${number}::integer, pg_sleep(60)`.execute())
    await end()
    const outcomes = await Promise.allSettled(asked)
    assert.ok(outcomes.every(({ status }) => status === 'rejected'))
    for (const number of [4, 5]) await assert.rejects(async () => connection`select ${number}::integer`)
    connection.release()
    assert.equal((await pool`select 6 as answer`)[0]?.['answer'], 6)
  })
})

describe('a connection that never gets to its first statement', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })

  // Proxies do this whose Postgres is away.
  test('is told, when the server accepts it and ends it', async () => {
    let connections = 0
    const port = await listen((socket) => {
      connections += 1
      socket.end()
    })
    const pool = testPool(behind(database, port), 1)
    for (let tries = 1; tries <= 3; tries += 1) {
      await assert.rejects(async () => pool`select 1`, { code: 'CONNECTION_CLOSED' })
      assert.equal(connections, tries)
    }
  })

  test('goes on to the next host, and is told when there is no other', async () => {
    const own = Number(new URL(database.url).port)
    const ending = await listen((socket) => socket.end())
    for (const away of [refusingPort, ending]) {
      for (const ports of [
        [away, own],
        [own, away],
      ]) {
        const pool = testPool(behind(database, ...ports), 1)
        assert.equal((await pool`select 3 as answer`)[0]?.['answer'], 3)
      }
      const nowhere = testPool(behind(database, away, refusingPort), 1)
      await assert.rejects(async () => nowhere`select 1`, { code: 'ECONNREFUSED' })
    }
  })
})
