// The database servers of a world, and what its processes are told of them.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../../src/dev/embedded/postgres.ts'
import { startRedis } from '../../src/dev/embedded/redis.ts'
import { provider } from '../../src/dev/provider.ts'
import type { Closing } from './closing.ts'

export type Environment = Readonly<Record<string, string | undefined>> & { readonly DATA_DIR: string }

const root = fileURLToPath(new URL('../../', import.meta.url))
export const folderOf = (name = 'bench'): string => resolve(root, '.data', name)
/** Of the world that has no name of its own: written by the gateway at the end of a run with --profile. */
export const profilePath = resolve(folderOf(), 'gateway.cpuprofile')

export type Servers = Awaited<ReturnType<typeof openServers>>

// Mode development: fsync stays on, and Redis keeps its append-only file.
export async function openServers(
  { name, say }: { readonly name?: string; readonly say: (text: string) => void },
  closing: Closing,
) {
  const dataDir = folderOf(name)
  const onLog = (line: string) => say(`  ${line}`)
  const postgres = await startPostgres({ dataDir, mode: 'development', onLog })
  closing.push(() => postgres.stop())
  const cacheDir = resolve(root, '.data', 'apt')
  const redis = await startRedis({ dataDir, mode: 'development', cacheDir, onLog })
  closing.push(() => redis.stop())
  if (postgres.attached || redis.attached) throw new Error('another bench is running')
  return {
    ...{ dataDir, pids: { postgres: postgres.pid, redis: redis.pid } },
    ...{ adminUrl: postgres.url, databaseUrl: postgres.databaseUrl, redisUrl: redis.url },
  }
}

export function environment(start: {
  readonly dataDir: string
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly gatewayPort: number
  readonly simulatorPort: number
  readonly secretsKey: Buffer
}): Environment {
  const { PATH, HOME } = process.env
  return {
    PATH,
    HOME,
    HOST: '127.0.0.1',
    PORT: String(start.gatewayPort),
    DATABASE_URL: start.databaseUrl,
    REDIS_URL: start.redisUrl,
    DATA_DIR: start.dataDir,
    SECRETS_KEY: start.secretsKey.toString('hex'),
    WEBHOOK_TARGETS: 'any',
    WEBHOOK_KEEP_OPEN: 'true',
    // A closed loop overloads on purpose, and what is refused fails the run.
    LOAD_SHEDDING: 'false',
    PROVIDER_BASE_URL: `http://127.0.0.1:${start.simulatorPort}`,
    PROVIDER_ACCESS_TOKEN: provider.accessToken,
    PROVIDER_APP_SECRET: provider.appSecret,
    PROVIDER_VERIFY_TOKEN: provider.verifyToken,
    SIM_PORT: String(start.simulatorPort),
    SIM_APP_SECRET: provider.appSecret,
    SIM_ACCESS_TOKEN: provider.accessToken,
    SIM_WABA_ID: provider.wabaId,
  }
}
