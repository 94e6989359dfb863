// Runs everything in one terminal. It starts embedded servers if none are configured, migrates,
// creates a demo workspace, starts the simulator, a gateway and a worker, and stops all of them together.
import { resolve } from 'node:path'
import { developmentSecretsKey } from '../accounts/host/secrets.ts'
import { loadSettings } from '../platform/config/config.ts'
import { type DevFile, readDevFile, writeDevFile } from '../platform/config/dev-file.ts'
import type { Settings } from '../platform/config/settings.ts'
import { migrate } from '../platform/postgres/migrate.ts'
import { connectPool, type Pool } from '../platform/postgres/sql.ts'
import { decodeId, encodeId, type WorkspaceId } from '../shared/ids.ts'
import { announce } from './announce.ts'
import { type Child, startChild, waitUntilReady } from './child.ts'
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

/** The workspace of the last start if it still exists, otherwise a new one. */
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
    // The demo password is public, so listen on this machine only, unless HOST is set.
    HOST: process.env['HOST'] ?? '127.0.0.1',
    SECRETS_KEY: process.env['SECRETS_KEY'] ?? developmentSecretsKey(dataDir),
    PROVIDER_BASE_URL: `http://127.0.0.1:${SIM_PORT}`,
    HANDSETS_URL: process.env['HANDSETS_URL'] ?? `http://localhost:${SIM_PORT}/`,
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

export async function runEverything(): Promise<void> {
  const startedAt = performance.now()
  const settings = loadSettings()
  const dataDir = resolve(settings.DATA_DIR)
  const children: Child[] = []
  const stopping = { now: false }
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
