import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EmbeddedServer, type Launch, startPrivate } from './private-server.ts'
import { findRedis, type RedisBinary } from './redis-binaries.ts'
import { answersPing } from './redis-probe.ts'
import { sharedSecret } from './secret.ts'

export type RedisOptions = Readonly<{
  dataDir: string
  mode: 'development' | 'test'
  /** The folder for unpacked packages, shared by all data directories. */
  cacheDir: string
  port?: number
  serverBin?: string
  /** Default: on in development, off in tests. */
  persistent?: boolean
  /** Called with one line that says which server is used. */
  onLog?: (line: string) => void
}>

/** Starts a Redis, private to a data directory. It stops with this process, however that ends. */
export async function startRedis(options: RedisOptions): Promise<EmbeddedServer> {
  mkdirSync(options.dataDir, { recursive: true })
  const dataDir = realpathSync(options.dataDir)
  return startPrivate({
    name: 'redis',
    dataDir,
    ...(options.port === undefined ? {} : { port: options.port }),
    prepare: () => prepare({ ...options, dataDir }),
  })
}

async function prepare(options: RedisOptions): Promise<Launch> {
  const skipped: string[] = []
  const binary = await findRedis({
    ...options,
    onSkip: (line) => skipped.push(line),
    ...(options.onLog && { onWork: options.onLog }),
  })
  options.onLog?.(describe(binary, skipped))
  return binary.flavour === 'emulated' ? launchEmulation(binary) : launchServer(binary, options)
}

function describe(binary: RedisBinary, skipped: readonly string[]): string {
  if (binary.flavour !== 'emulated') return `${binary.flavour} ${binary.major} from ${binary.via}`
  const warning =
    'no Redis could be had: a slow stand-in without password or persistence runs, for trying out only'
  return [warning, ...skipped].join('\n  ')
}

function launchServer(binary: RedisBinary, options: RedisOptions): Launch {
  const password = sharedSecret(options.dataDir)
  // The folder name contains flavour and major, because an older server refuses the files of a newer one.
  const dir = join(options.dataDir, `redis-${binary.flavour}-${binary.major}`)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const configFile = join(dir, 'redis.conf')
  return {
    command(port) {
      // Use a config file: a password in the arguments would be visible in the process list.
      rmSync(configFile, { force: true })
      writeFileSync(configFile, redisConfig({ port, password, dir, isPersistent: isPersistent(options) }), {
        mode: 0o600,
      })
      return { argv: [...binary.argv, configFile], stopSignal: isPersistent(options) ? 'TERM' : 'KILL' }
    },
    isReady: (port) => answersPing(port, password),
    url: (port) => `redis://:${password}@127.0.0.1:${port}`,
  }
}

function isPersistent(options: RedisOptions): boolean {
  return options.persistent ?? options.mode === 'development'
}

type ConfigValues = Readonly<{ port: number; password: string; dir: string; isPersistent: boolean }>

function redisConfig({ port, password, dir, isPersistent }: ConfigValues): string {
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir "${dir.replaceAll(/["\\]/g, '\\$&')}"`,
    // Redis holds queues and is not a cache: a full server must refuse writes instead of evicting keys.
    'maxmemory-policy noeviction',
    // With the default of 10, a stop and every expiry can wait up to 100 ms.
    'hz 100',
    'save ""',
    ...(isPersistent ? ['appendonly yes', 'appendfsync everysec'] : ['appendonly no']),
  ]
  return `${lines.join('\n')}\n`
}

function launchEmulation(binary: RedisBinary): Launch {
  return {
    command: (port) => ({ argv: [...binary.argv, String(port)], stopSignal: 'KILL' }),
    isReady: (port) => answersPing(port, null),
    url: (port) => `redis://127.0.0.1:${port}`,
  }
}
