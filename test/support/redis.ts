import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type RedisOptions, startRedis } from '../../src/dev/embedded/redis.ts'
import { closeRedis, connectRedis, type Redis } from '../../src/platform/redis/client.ts'
import { lastingPort } from '../e2e/processes.ts'
import { ownFolder, packageCache } from './embedded.ts'
import { afterFile } from './harness.ts'

/** A new Redis. `pid` is that of the current process; address and port survive a restart. */
export type TestRedis = Readonly<{
  url: string
  port: number
  pid: number
  stop(): Promise<void>
  /** Stops the server, if it still runs, and starts it on the same files and port. */
  restart(): Promise<void>
  /** SIGKILL at once, like a crash. */
  kill(): void
}>

/**
 * Ends with the test process at the latest. `persistent`: an append-only file keeps the data over a restart.
 */
export async function testRedis(options: { persistent?: boolean } = {}): Promise<TestRedis> {
  const dataDir = mkdtempSync(join(ownFolder(), 'redis-'))
  const port = await lastingPort()
  const start = () => startRedis(settings(dataDir, options.persistent ?? false, port))
  let server = await start()
  const { url } = server
  return {
    url,
    port,
    get pid() {
      return server.pid
    },
    async stop() {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
    async restart() {
      await server.stop()
      server = await start()
    },
    kill: () => process.kill(server.pid, 'SIGKILL'),
  }
}

/** A new Redis, and a client of it. Both end with the file that asks for them while it loads. */
export async function redisOfFile(): Promise<{ readonly server: TestRedis; readonly redis: Redis }> {
  const server = await testRedis()
  const redis = await connectRedis({ url: server.url, role: 'commands', onError: () => {} })
  afterFile(async () => {
    await closeRedis(redis)
    await server.stop()
  })
  return { server, redis }
}

function settings(dataDir: string, persistent: boolean, port: number): RedisOptions {
  const { TEST_REDIS_BIN: serverBin } = process.env as Record<string, string | undefined>
  return {
    dataDir,
    mode: 'test',
    cacheDir: packageCache,
    persistent,
    port,
    ...(serverBin ? { serverBin } : {}),
  }
}
