import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type RedisClientType } from 'redis'
import { isTaken } from '../../../src/dev/embedded/ports.ts'
import { isAlive } from '../../../src/dev/embedded/process-table.ts'
import { connectPool, type Pool } from '../../../src/platform/postgres/sql.ts'
import { after, describe, test } from '../../support/harness.ts'
import {
  end,
  isRoot,
  kill,
  killGuard,
  lives,
  NOBODY,
  type Owner,
  startOwner,
  temporaryFolder,
} from './owner-process.ts'

const dataDir = temporaryFolder()
const start = (): Promise<Owner> => startOwner({ kinds: ['postgres', 'redis'], dataDir })

type Cache = Pick<RedisClientType, 'rPush' | 'lRange'>

async function withBoth<T>(owner: Owner, work: (sql: Pool, redis: Cache) => Promise<T>) {
  const [postgres, cache] = owner.servers
  assert.ok(postgres && cache)
  const sql = connectPool({ url: postgres.url, max: 1, name: 'test' })
  const redis = createClient({ url: cache.url })
  // A client without an error listener turns a lost server into an uncaught exception.
  redis.on('error', () => undefined)
  await redis.connect()
  try {
    return await work(sql, redis)
  } finally {
    redis.destroy()
    await sql.end()
  }
}

const write = (owner: Owner, value: number) =>
  withBoth(owner, async (sql, redis) => {
    await sql`create table if not exists kept (value int)`
    await sql`insert into kept values (${value})`
    await redis.rPush('kept', String(value))
  })

const read = (owner: Owner) =>
  withBoth(owner, async (sql, redis) => ({
    rows: (await sql<{ value: number }[]>`select value from kept order by value`).map((row) => row.value),
    keys: (await redis.lRange('kept', 0, -1)).map(Number),
  }))

describe('embedded servers', () => {
  test('a second start keeps addresses and data, and a graceful stop ends every process', async () => {
    const first = await start()
    await write(first, 1)
    const servers = lives(first.servers)
    await kill(first, 'SIGTERM')
    assert.deepEqual(servers.filter(isAlive), [], 'gone when the owner has exited')

    const second = await start()
    assert.deepEqual(await read(second), { rows: [1], keys: [1] })
    for (const [index, { url }] of first.servers.entries()) {
      const { url: later = '' } = second.servers[index] ?? {}
      if (later === url) continue
      // Nobody held the port between the two: another program may have taken it.
      const { port } = new URL(url)
      assert.equal(Object.assign(new URL(later), { port }).href, new URL(url).href)
      assert.ok(await isTaken(Number(port), '127.0.0.1'), `${later} in place of ${url}, whose port is free`)
    }
    await kill(second, 'SIGTERM')
  })

  test('files with passwords are open to their owner only', async () => {
    const owner = await start()
    const [, cache] = owner.servers
    assert.ok(cache)
    for (const name of ['secret', 'postgres.run.json', 'redis.run.json']) {
      assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o600, name)
    }
    const { password } = new URL(cache.url)
    for (const { pid } of owner.servers) {
      assert.ok(!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(password))
    }
    await kill(owner, 'SIGTERM')
  })

  test('no server outlives an owner that is killed', async () => {
    const owner = await start()
    const servers = lives(owner.servers)
    await kill(owner, 'SIGKILL')
    assert.ok(await end(servers))
  })

  test('two starts at once share the servers, and the one that attached leaves them running', async () => {
    const both = await Promise.all([start(), start()])
    const owner = both.find(({ servers }) => servers.every((server) => !server.attached))
    const guest = both.find(({ servers }) => servers.some((server) => server.attached))
    assert.ok(guest)
    assert.deepEqual(
      both[0]?.servers.map(({ url, pid }) => ({ url, pid })),
      both[1]?.servers.map(({ url, pid }) => ({ url, pid })),
    )
    const perServer = [0, 1].map((at) => both.filter(({ servers }) => servers[at]?.attached).length)
    assert.deepEqual(perServer, [1, 1], 'each server has one owner')
    if (owner) {
      await kill(guest, 'SIGTERM')
      assert.deepEqual(await read(owner), { rows: [1], keys: [1] })
    }
    for (const one of both) if (one.process.exitCode === null) await kill(one, 'SIGTERM')
  })

  test('a start after everything was killed finds what was committed', async () => {
    const owner = await start()
    await write(owner, 2)
    // The append-only file is written at once, synced once a second: it survives kills, not power failures.
    for (const { pid } of owner.servers) killGuard(pid)
    const servers = lives(owner.servers)
    for (const { pid } of owner.servers) process.kill(pid, 'SIGKILL')
    await kill(owner, 'SIGKILL')
    assert.ok(await end(servers))

    const next = await start()
    assert.deepEqual(await read(next), { rows: [1, 2], keys: [1, 2] })
    await kill(next, 'SIGTERM')
  })

  test('a start ends the servers that a dead owner left running', async () => {
    const owner = await start()
    await write(owner, 3)
    const servers = lives(owner.servers)
    for (const { pid } of owner.servers) killGuard(pid)
    await kill(owner, 'SIGKILL')
    assert.deepEqual(servers.map(isAlive), [true, true], 'nobody was left to stop them')

    const next = await start()
    assert.deepEqual(servers.map(isAlive), [false, false])
    assert.deepEqual(await read(next), { rows: [1, 2, 3], keys: [1, 2, 3] })
    await kill(next, 'SIGTERM')
  })

  test('a pid file that names a stranger does not stop the next start', async () => {
    const stranger = spawn('sleep', ['600'], isRoot ? { uid: NOBODY, gid: NOBODY } : {})
    after(() => stranger.kill())
    const pidFile = join(dataDir, 'pg-18', 'postmaster.pid')
    assert.ok(!existsSync(pidFile))
    writeFileSync(pidFile, `${stranger.pid}\n`)
    const owner = await start()
    assert.equal(stranger.exitCode, null)
    await kill(owner, 'SIGTERM')
  })
})
