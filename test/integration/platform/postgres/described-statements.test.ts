// What the installation mends in the driver (src/platform/postgres/patches): a statement that is described first.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { eventually } from '../../../e2e/scene.ts'
import { before, describe, test } from '../../../support/harness.ts'
import { type TestDatabase, testDatabase, testPool } from '../../../support/postgres.ts'
import { behind, listen } from './lines.ts'

/** A line to the database whose client hears nothing more once it is deaf. */
async function deafLine(database: TestDatabase) {
  const { hostname, port } = new URL(database.url)
  const open: Socket[] = []
  let isDeaf = false
  const ownPort = await listen((near) => {
    const far = connect(Number(port), hostname)
    far.on('error', () => undefined)
    near.pipe(far)
    far.on('data', (bytes) => isDeaf || near.write(bytes))
    near.on('close', () => far.destroy())
    open.push(near)
  })
  return {
    database: behind(database, ownPort),
    deafen() {
      isDeaf = true
    },
    end() {
      for (const near of open) near.destroy()
    },
  }
}

describe('a statement that is sent for the first time', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })

  test('waits for its values outside of a statement, so that a client that vanishes is timed out', async () => {
    const line = await deafLine(database)
    const [pool, other] = [testPool(line.database, 1), testPool(database, 1)]
    let pid: number | undefined
    const lost = pool.begin(async (tx) => {
      const [backend] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      pid = backend?.pid ?? assert.fail('no pid')
      line.deafen()
      await tx`select ${1}::integer as not_heard`
    })
    await Promise.all([
      assert.rejects(lost, { code: 'CONNECTION_CLOSED' }),
      eventually('the server waits for the transaction', async () => {
        if (pid === undefined) return false
        const [backend] = await other`select state, query from pg_stat_activity where pid = ${pid}`
        // On a slow machine it may have been timed out already.
        if (backend === undefined) return true
        return backend['state'] === 'idle in transaction' && String(backend['query']).includes('not_heard')
      }).finally(line.end),
    ])
  })

  test('goes to a server that notices within 20 s when its client has vanished', async () => {
    const pool = testPool(database, 1)
    const [limits] = await pool`
      select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_keepalives_interval') as interval,
        current_setting('tcp_keepalives_count') as count, current_setting('tcp_user_timeout') as unread`
    assert.deepEqual({ ...limits }, { idle: '10', interval: '5', count: '2', unread: '20000' })
  })

  test('may have values that cannot be sent, and those after it are answered', async () => {
    const pool = testPool(database, 1)
    const unsendable = { toString: () => assert.fail('no text') }
    await assert.rejects(async () => pool`select ${unsendable as never}::text as answer`, /no text/)
    for (let answer = 1; answer <= 3; answer += 1)
      assert.deepEqual([...(await pool`select ${answer}::integer as answer`)], [{ answer }])
  })

  test('may be refused, and those after it are answered', async () => {
    const pool = testPool(database, 1)
    await assert.rejects(async () => pool`select ${1}::integer from nowhere`, { code: '42P01' })
    assert.deepEqual([...(await pool`select ${2}::integer as answer`)], [{ answer: 2 }])
  })
})

describe('a statement whose result has other columns than when it was prepared', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })

  test('is prepared again, and each statement after it has its own answer', async () => {
    const [pool, other] = [testPool(database, 1), testPool(database, 1)]
    await other`create table grown as select 1 as a`
    const grown = () => pool`select *, ${{ kept: true } as never}::jsonb as given from grown where a > ${0}`
    const echo = (answer: number) => pool`select ${answer}::integer as answer`
    assert.deepEqual([...(await grown())], [{ a: 1, given: { kept: true } }])
    await echo(0)
    await other`alter table grown add column b integer default 7`
    const again = grown()
    const answers = [again.execute().then((rows) => [...rows])]
    for (let answer = 1; answer <= 200; answer += 1) {
      answers.push(
        echo(answer)
          .execute()
          .then((rows) => [...rows]),
      )
      await nextTurn()
    }
    const [first, ...others] = await Promise.all(answers)
    assert.deepEqual(first, [{ a: 1, b: 7, given: { kept: true } }])
    assert.deepEqual(
      others,
      others.map((_, index) => [{ answer: index + 1 }]),
    )
  })
})
