import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { findPostgres } from './postgres-binaries.ts'
import { isClusterReady, prepareCluster } from './postgres-cluster.ts'
import { findFooting } from './postgres-footing.ts'
import { type EmbeddedServer, type Launch, startPrivate } from './private-server.ts'
import { sharedSecret } from './secret.ts'

export type PostgresOptions = Readonly<{
  dataDir: string
  mode: 'development' | 'test'
  port?: number
  binDir?: string
  /** Called with one line that says which server is used. */
  onLog?: (line: string) => void
}>

export type EmbeddedPostgres = EmbeddedServer & Readonly<{ databaseUrl(database: string): string }>

/** Starts a real PostgreSQL, private to a data directory. It stops with this process, however that ends. */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  mkdirSync(options.dataDir, { recursive: true })
  const dataDir = realpathSync(options.dataDir)
  const server = await startPrivate({
    name: 'postgres',
    dataDir,
    ...(options.port === undefined ? {} : { port: options.port }),
    prepare: () => prepare({ ...options, dataDir }),
  })
  return {
    ...server,
    databaseUrl: (database) => Object.assign(new URL(server.url), { pathname: database }).href,
  }
}

async function prepare(options: PostgresOptions): Promise<Launch> {
  const binaries = await findPostgres(options)
  const footing = await findFooting(binaries, options.dataDir)
  options.onLog?.(`PostgreSQL ${binaries.major} from ${binaries.via}, run as ${footing.name}`)
  const password = sharedSecret(options.dataDir)
  const cluster = await prepareCluster(footing, {
    major: binaries.major,
    password,
    mode: options.mode,
    onWork: options.onLog,
  })
  const settings = options.mode === 'test' ? [...COMMON_SETTINGS, ...TEST_SETTINGS] : COMMON_SETTINGS
  return {
    command: (port) => ({
      ...footing.identity,
      stopSignal: 'INT',
      argv: [
        ...footing.prefix,
        ...[join(footing.binDir, 'postgres'), '-D', cluster, '-p', String(port)],
        ...settings.flatMap((setting) => ['-c', setting]),
      ],
    }),
    isReady: async (_port, pid) => isClusterReady(cluster, pid),
    url: (port) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
  }
}

const COMMON_SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'timezone=UTC',
  'log_timezone=UTC',
  'max_connections=300',
]

// Transactions work as usual. Only what protects against a power failure is off.
const TEST_SETTINGS = [
  'fsync=off',
  'synchronous_commit=on',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
  'shared_buffers=128MB',
]
