import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createClient } from 'redis'
import { identify } from '../../../src/dev/embedded/process-table.ts'
import { startRedis } from '../../../src/dev/embedded/redis.ts'
import { packageCache } from '../../support/embedded.ts'
import { after, before, describe, test } from '../../support/harness.ts'
import { type TestRedis, testRedis } from '../../support/redis.ts'
import { end, kill, startOwner, temporaryFolder } from './owner-process.ts'

async function ask(url: string, ...command: string[]): Promise<unknown> {
  const client = createClient({ url, socket: { reconnectStrategy: false } })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}

describe('an embedded Redis', () => {
  let redis: TestRedis
  before(async () => {
    redis = await testRedis()
  })
  after(() => redis.stop())

  test('refuses whoever does not know the password', async () => {
    await assert.rejects(ask(`redis://127.0.0.1:${redis.port}`, 'PING'), /NOAUTH/)
    assert.equal(await ask(redis.url, 'PING'), 'PONG')
  })

  test('refuses writes when it is full instead of forgetting', async () => {
    assert.match(String(await ask(redis.url, 'INFO', 'memory')), /maxmemory_policy:noeviction/)
  })

  test('is empty after a restart, at the same address, unless it is persistent', async () => {
    await ask(redis.url, 'SET', 'a', '1')
    redis.kill()
    await redis.restart()
    assert.equal(await ask(redis.url, 'GET', 'a'), null)
  })

  test('finds its data again after a kill when it is persistent', async () => {
    const persistent = await testRedis({ persistent: true })
    await ask(persistent.url, 'SET', 'a', '1')
    const { pid } = persistent
    persistent.kill()
    await persistent.restart()
    assert.notEqual(persistent.pid, pid)
    assert.equal(await ask(persistent.url, 'GET', 'a'), '1')
    await persistent.stop()
  })

  test('does not outlive a test process that is killed', async () => {
    const support = fileURLToPath(new URL('../../support/redis.ts', import.meta.url))
    const script = `import { testRedis } from ${JSON.stringify(support)}
      const redis = await testRedis(); console.log(redis.pid); setInterval(() => undefined, 60_000)`
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    })
    after(() => child.kill('SIGKILL'))
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const server = identify(Number(line))
    assert.ok(server)
    child.kill('SIGKILL')
    assert.ok(await end([server]))
  })
})

describe('the search for a Redis', () => {
  test('takes an explicit server or refuses to start, with the reason and the remedy', async () => {
    const options = {
      dataDir: temporaryFolder(),
      cacheDir: packageCache,
      mode: 'test',
      serverBin: '/nowhere/redis',
    } as const
    await assert.rejects(startRedis(options), /\/nowhere\/redis: not found\nSet REDIS_URL, or install Redis/)
  })

  test('ends at a stand-in that says so, where nothing else can be had', async () => {
    // Without PATH there is no server and no apt-get; the npm binary runs where the C library is new enough.
    const dataDir = temporaryFolder()
    const owner = await startOwner({
      ...{ kinds: ['redis'], dataDir, cacheDir: temporaryFolder() },
      env: { ...(process.env as Record<string, string>), PATH: '/nowhere' },
    })
    const log = owner.log.filter((line) => !line.endsWith('...')).join()
    if (!/^redis \d+ from @falkordblite/.test(log)) {
      assert.match(log, /^no Redis could be had/)
      assert.match(
        log,
        /valkey-server on PATH: not found\n {2}redis-server on PATH: not found\n {2}npm @falkordblite: ./,
      )
      assert.match(log, /Debian package, unpacked: no apt-get here/)
    }
    assert.equal(await ask(owner.servers[0]?.url ?? '', 'SET', 'a', '1'), 'OK')
    await kill(owner, 'SIGTERM')
  })
})
