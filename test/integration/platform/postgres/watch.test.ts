import assert from 'node:assert/strict'
import { connectPool } from '../../../../src/platform/postgres/sql.ts'
import { watchPostgres } from '../../../../src/platform/postgres/watch.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { eventually } from '../../../e2e/scene.ts'
import { after, afterFile, before, describe, test } from '../../../support/harness.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'
import { startProxy } from '../../../torture/faults/proxy.ts'

describe('a watch over Postgres', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })
  after(() => database.drop())

  test('says when Postgres goes silent and comes back, and ends statements that would hang for long', async () => {
    const line = await startProxy(Number(new URL(database.url).port))
    const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${line.port}` }).href
    const pool = connectPool({ url, max: 2, name: 'test' })
    afterFile(() => Promise.all([pool.end({ timeout: 1 }), line.close()]))
    const logged: string[] = []
    const note = (_fields: unknown, message: string) => void logged.push(message)
    const log = { info: note, warn: note } as never
    const watch = watchPostgres({ url, clock: systemClock, log })
    afterFile(() => watch.stop())
    watch.cover(pool)
    await pool`select 1`
    // On a busy machine even the first question may go without an answer for a second.
    await eventually('it is there', async () => watch.awayMs() === 0)
    logged.length = 0
    await line.become('silent')
    const hanging = pool`select 2 as answer`.then(
      () => 'answered',
      (error: { code?: string }) => error.code,
    )
    await eventually('it is found out', async () => watch.awayMs() > 0)
    assert.equal(await hanging, 'CONNECTION_CLOSED')
    assert.ok(watch.awayMs() >= 2_000, 'a short silence ends nothing')
    await assert.rejects(pool`select 4`.execute(), ({ code }) => code === 'CONNECT_TIMEOUT')
    await line.become('open')
    await eventually('it is back', async () => watch.awayMs() === 0)
    assert.equal((await pool`select 3 as answer`)[0]?.['answer'], 3)
    assert.deepEqual(logged, ['postgres.away', 'postgres.back'])
  })

  test('ends what is silent where Postgres has moved, and answers at its new place at once', async () => {
    const line = await startProxy(Number(new URL(database.url).port))
    const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${line.port}` }).href
    const pool = connectPool({ url, max: 1, name: 'test', statementTimeoutMs: 1_000 })
    afterFile(() => Promise.all([pool.end({ timeout: 1 }), line.close()]))
    const log = { info: () => undefined, warn: () => undefined } as never
    const watch = watchPostgres({ url, clock: systemClock, log })
    afterFile(() => watch.stop())
    watch.cover(pool)
    await pool`select 1`
    line.silenceOpen()
    await assert.rejects(pool`select 2`.execute(), ({ code }) => code === 'CONNECTION_CLOSED')
    assert.equal((await pool`select 3 as answer`)[0]?.['answer'], 3)
  })
})
