// The Postgres and the Redis of a development start, where none are configured.
import { resolve } from 'node:path'
import { loadSettings } from '../platform/config/config.ts'
import type { Settings } from '../platform/config/settings.ts'
import { startPostgres } from './embedded/postgres.ts'
import { startRedis } from './embedded/redis.ts'

export interface Servers {
  readonly databaseUrl: string
  readonly redisUrl: string
  stop(): Promise<void>
}

export interface BegunServers {
  readonly settings: Settings
  readonly dataDir: string
  readonly ready: Promise<Servers>
}

const onLog = (line: string) => process.stdout.write(`  ${line}\n`)

/** Throws when the settings are wrong. Does not wait: `ready` rejects when a server does not start. */
export function beginServers(): BegunServers {
  const settings = loadSettings()
  const dataDir = resolve(settings.DATA_DIR)
  const ready = startServers(settings, dataDir)
  // Whoever waits for it hears of a failure, also when that comes before the wait begins.
  ready.catch(() => undefined)
  return { settings, dataDir, ready }
}

async function startServers(settings: Settings, dataDir: string): Promise<Servers> {
  const postgres = settings.DATABASE_URL
    ? undefined
    : startPostgres({
        dataDir,
        mode: 'development',
        onLog,
        ...(settings.POSTGRES_BIN_DIR && { binDir: settings.POSTGRES_BIN_DIR }),
      })
  const redis = settings.REDIS_URL
    ? undefined
    : startRedis({
        dataDir,
        mode: 'development',
        cacheDir: resolve(dataDir, 'apt'),
        onLog,
        ...(settings.REDIS_SERVER_BIN && { serverBin: settings.REDIS_SERVER_BIN }),
      })
  const stop = async () => {
    const started = await Promise.allSettled([postgres, redis])
    await Promise.all(started.map((one) => one.status === 'fulfilled' && one.value?.stop()))
  }
  try {
    const [database, memory] = await Promise.all([postgres, redis])
    return {
      databaseUrl: settings.DATABASE_URL ?? database?.url ?? '',
      redisUrl: settings.REDIS_URL ?? memory?.url ?? '',
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
