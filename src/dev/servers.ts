// The Postgres and the Redis of a development start, where none are configured.
import { resolve } from 'node:path'
import type { Settings } from '../platform/config/settings.ts'
import { startPostgres } from './embedded/postgres.ts'
import type { EmbeddedServer } from './embedded/private-server.ts'
import { startRedis } from './embedded/redis.ts'

/** Each address is known when its server is ready. */
export interface BegunServers {
  readonly settings: Settings
  readonly dataDir: string
  readonly databaseUrl: Promise<string>
  readonly redisUrl: Promise<string>
  /** Stops the servers that are ready. One that is still being prepared ends with this process. */
  stop(): Promise<void>
}

const onLog = (line: string) => process.stdout.write(`  ${line}\n`)

/** Does not wait: an address rejects when its server does not start. */
export function beginServers(settings: Settings): BegunServers {
  const dataDir = resolve(settings.DATA_DIR)
  const running: EmbeddedServer[] = []
  const addressOf = async (configured: string | undefined, start: () => Promise<EmbeddedServer>) => {
    if (configured !== undefined) return configured
    const server = await start()
    running.push(server)
    return server.url
  }
  const databaseUrl = addressOf(settings.DATABASE_URL, () =>
    startPostgres({
      ...{ dataDir, mode: 'development', onLog },
      ...(settings.POSTGRES_BIN_DIR && { binDir: settings.POSTGRES_BIN_DIR }),
    }),
  )
  const redisUrl = addressOf(settings.REDIS_URL, () =>
    startRedis({
      ...{ dataDir, mode: 'development', cacheDir: resolve(dataDir, 'apt'), onLog },
      ...(settings.REDIS_SERVER_BIN && { serverBin: settings.REDIS_SERVER_BIN }),
    }),
  )
  // Whoever waits for an address hears of a failure, also when that comes before the wait begins.
  for (const address of [databaseUrl, redisUrl]) address.catch(() => undefined)
  const stop = async () => void (await Promise.all(running.map((server) => server.stop())))
  return { settings, dataDir, databaseUrl, redisUrl, stop }
}
