import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { connectPool } from '../../../../src/platform/postgres/sql.ts'
import { watchPostgres } from '../../../../src/platform/postgres/watch.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { eventually } from '../../../e2e/scene.ts'
import { after, before, describe, test } from '../../../support/harness.ts'
import { type TestDatabase, testDatabase } from '../../../support/postgres.ts'

/** Between a pool and Postgres: while it is silent nothing passes, and nobody is told. */
async function startLine(url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => isSilent || to.write(bytes))
      from.on('error', () => undefined)
      from.on('close', () => to.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: Object.assign(new URL(url), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href,
    silence: (silent: boolean) => {
      isSilent = silent
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('a watch over Postgres', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })
  after(() => database.drop())

  test('says when Postgres goes silent and comes back, and ends statements that would hang for long', async () => {
    const line = await startLine(database.url)
    const pool = connectPool({ url: line.url, max: 2, name: 'test' })
    const logged: string[] = []
    const note = (_fields: unknown, message: string) => void logged.push(message)
    const log = { info: note, warn: note } as never
    const watch = watchPostgres({ url: line.url, pools: [pool], clock: systemClock, log })
    await pool`select 1`
    assert.equal(watch.awayMs(), 0)
    line.silence(true)
    const hanging = pool`select 2 as answer`.then(
      () => 'answered',
      (error: { code?: string }) => error.code,
    )
    await eventually('it is found out', async () => watch.awayMs() > 0)
    assert.equal(await hanging, 'CONNECTION_CLOSED')
    assert.ok(watch.awayMs() >= 2_000, 'a short silence ends nothing')
    line.silence(false)
    await eventually('it is back', async () => watch.awayMs() === 0)
    assert.equal((await pool`select 3 as answer`)[0]?.['answer'], 3)
    assert.deepEqual(logged, ['postgres.away', 'postgres.back'])
    await Promise.all([watch.stop(), pool.end({ timeout: 1 }), line.stop()])
  })
})
