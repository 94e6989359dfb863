// npm start: everything in one terminal. Embedded servers where none are given, migrations, a demo workspace, the
// simulator, a gateway and a worker, stopped together.
import { resolve } from 'node:path'
import { loadSettings } from '../config/config.ts'
import type { Settings } from '../config/settings.ts'
import { decodeId, encodeId, type WorkspaceId } from '../shared/ids.ts'
import { migrate } from '../store/migrate.ts'
import { connectPool, type Pool } from '../store/sql.ts'
import { developmentSecretsKey } from '../wiring/secrets.ts'
import { announce } from './announce.ts'
import { type Child, startChild, waitUntilReady } from './child.ts'
import { type DevFile, readDevFile, writeDevFile } from './demo.ts'
import { startPostgres } from './embedded/postgres.ts'
import { startRedis } from './embedded/redis.ts'
import { provider, syncDemoCatalog } from './provider.ts'
import { type Demo, demoNumbers, seedWorkspace, workspaceExists } from './seed.ts'

interface Servers {
  readonly databaseUrl: string
  readonly redisUrl: string
  stop(): Promise<void>
}

const say = (text: string) => process.stdout.write(`${text}\n`)
const readyTimeoutMs = 30_000
const demoPassword = 'switchboard-demo'

async function startServers(settings: Settings, dataDir: string): Promise<Servers> {
  const onLog = (line: string) => say(`  ${line}`)
  const postgres = settings.DATABASE_URL
    ? undefined
    : await startPostgres({
        dataDir,
        mode: 'development',
        onLog,
        ...(settings.POSTGRES_BIN_DIR && { binDir: settings.POSTGRES_BIN_DIR }),
      })
  const redis = settings.REDIS_URL
    ? undefined
    : await startRedis({
        dataDir,
        mode: 'development',
        cacheDir: resolve(dataDir, 'apt'),
        onLog,
        ...(settings.REDIS_SERVER_BIN && { serverBin: settings.REDIS_SERVER_BIN }),
      })
  return {
    databaseUrl: settings.DATABASE_URL ?? postgres?.url ?? '',
    redisUrl: settings.REDIS_URL ?? redis?.url ?? '',
    async stop() {
      await Promise.all([redis?.stop(), postgres?.stop()])
    },
  }
}

/** The workspace of the last start where it is still there, else a new one. */
async function demoOf(sql: Pool, dataDir: string): Promise<Demo> {
  const known = readDevFile(dataDir)
  const workspaceId = known && decodeId('workspace', known.workspaceId)
  if (known && workspaceId && (await workspaceExists(sql, workspaceId))) return { ...known, workspaceId }
  const suffix = Date.now().toString(36)
  const [taken] = await sql`select 1 from operators where lower(email) = 'demo@example.com'`
  return seedWorkspace(sql, {
    wabaId: provider.wabaId,
    workspaceName: 'Demo',
    email: taken ? `demo-${suffix}@example.com` : 'demo@example.com',
    password: demoPassword,
  })
}

function environment(
  settings: Settings,
  servers: Servers,
  dataDir: string,
): Record<string, string | undefined> {
  const { PORT, SIM_PORT } = settings
  return {
    ...process.env,
    PORT: String(PORT),
    SIM_PORT: String(SIM_PORT),
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    DATA_DIR: dataDir,
    DRAIN_GRACE: '0s',
    // The demo's password is printed for everybody to read: this machine only, unless it is asked for.
    HOST: process.env['HOST'] ?? '127.0.0.1',
    SECRETS_KEY: process.env['SECRETS_KEY'] ?? developmentSecretsKey(dataDir),
    PROVIDER_BASE_URL: `http://127.0.0.1:${SIM_PORT}`,
    PROVIDER_ACCESS_TOKEN: provider.accessToken,
    PROVIDER_APP_SECRET: provider.appSecret,
    PROVIDER_VERIFY_TOKEN: provider.verifyToken,
    SIM_APP_SECRET: provider.appSecret,
    SIM_VERIFY_TOKEN: provider.verifyToken,
    SIM_ACCESS_TOKEN: provider.accessToken,
    SIM_WABA_ID: provider.wabaId,
    SIM_WEBHOOK_URL: `http://127.0.0.1:${PORT}/provider/webhooks`,
  }
}

async function main(): Promise<void> {
  const startedAt = performance.now()
  const settings = loadSettings()
  const dataDir = resolve(settings.DATA_DIR)
  const children: Child[] = []
  const stopping = { now: false }
  say('Switchboard is starting...')
  const servers = await startServers(settings, dataDir)
  const stop = async (code: number): Promise<never> => {
    stopping.now = true
    const [simulator, ...ours] = children
    await Promise.all(ours.map((child) => child.stop(30_000)))
    await simulator?.stop(5_000)
    await servers.stop()
    process.exit(code)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping.now) return
      say('\nstopping...')
      void stop(0)
    })
  }
  try {
    const dev = await bringUp({ settings, servers, dataDir, children })
    announce(dev, { say, seconds: (performance.now() - startedAt) / 1000, logDir: resolve(dataDir, 'log') })
    const ended = await Promise.race(children.map(async (child) => `${child.name}: ${await child.exited}`))
    if (!stopping.now) {
      say(`a process ended by itself (${ended}); its log is in ${resolve(dataDir, 'log')}`)
      await stop(1)
    }
  } catch (error) {
    if (stopping.now) return
    say(`the start failed: ${error instanceof Error ? error.message : String(error)}`)
    await stop(1)
  }
}

async function bringUp(start: {
  readonly settings: Settings
  readonly servers: Servers
  readonly dataDir: string
  readonly children: Child[]
}): Promise<DevFile> {
  const { settings, servers, dataDir, children } = start
  const env = environment(settings, servers, dataDir)
  const logDir = resolve(dataDir, 'log')
  const launch = (name: string, script: string): Child => {
    const child = startChild({ name, script, env, logDir })
    children.push(child)
    return child
  }
  const simulatorUrl = `http://127.0.0.1:${settings.SIM_PORT}`
  const apiUrl = `http://localhost:${settings.PORT}`
  const simulator = launch('simulator', 'src/simulator/main.ts')
  const sql = connectPool({
    url: servers.databaseUrl,
    max: 2,
    name: 'switchboard-start',
    statementTimeoutMs: 60_000,
  })
  try {
    await migrate(sql)
    const demo = await demoOf(sql, dataDir)
    const gateway = launch('gateway', 'src/main.ts')
    const worker = launch('worker', 'workers/main.ts')
    await waitUntilReady(simulator, `${simulatorUrl}/sim/health`, readyTimeoutMs)
    await syncDemoCatalog(sql, demo.workspaceId, simulatorUrl)
    await waitUntilReady(gateway, `http://127.0.0.1:${settings.PORT}/readyz`, readyTimeoutMs)
    const dev = await describe(sql, { demo, apiUrl, simulatorUrl, servers })
    writeDevFile(dataDir, dev)
    await notEnded(worker)
    return dev
  } finally {
    await sql.end({ timeout: 2 })
  }
}

async function notEnded(child: Child): Promise<void> {
  const ended = await Promise.race([child.exited, Promise.resolve(undefined)])
  if (ended) throw new Error(`${child.name} ended (${ended}); its log is ${child.logFile}`)
}

async function describe(
  sql: Pool,
  start: { demo: Demo; apiUrl: string; simulatorUrl: string; servers: Servers },
): Promise<DevFile> {
  const { demo, apiUrl, simulatorUrl, servers } = start
  return {
    apiUrl,
    consoleUrl: `${apiUrl}/console`,
    simulatorUrl,
    databaseUrl: servers.databaseUrl,
    redisUrl: servers.redisUrl,
    workspaceId: encodeId('workspace', demo.workspaceId as WorkspaceId),
    apiKey: demo.apiKey,
    operator: demo.operator,
    numbers: await demoNumbers(sql, demo.workspaceId),
    provider: {
      webhookUrl: `${apiUrl}/provider/webhooks`,
      appSecret: provider.appSecret,
      verifyToken: provider.verifyToken,
    },
  }
}

void main()
