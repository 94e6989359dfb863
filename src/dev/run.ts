// Runs everything in one terminal, from the compiled program: the simulator at once; when the servers are there it
// migrates, creates a demo workspace, starts a gateway and a worker, and stops all of them together.
import { join, resolve } from 'node:path'
import { developmentSecretsKey } from '../accounts/host/secrets.ts'
import { type DevFile, readDevFile, writeDevFile } from '../platform/config/dev-file.ts'
import type { Settings } from '../platform/config/settings.ts'
import { migrate } from '../platform/postgres/migrate.ts'
import { connectPool, type Pool } from '../platform/postgres/sql.ts'
import { decodeId, encodeId, type WorkspaceId } from '../shared/ids.ts'
import { announce } from './announce.ts'
import { type Child, startChild, waitUntilReady } from './child.ts'
import { ownHost } from './only-start.ts'
import { provider, syncDemoCatalog } from './provider.ts'
import { type Demo, demoNumbers, seedWorkspace, workspaceExists } from './seed.ts'
import type { BegunServers } from './servers.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)
const readyTimeoutMs = 30_000
const demoPassword = 'switchboard-demo'

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

/** What the simulator, the gateway and the worker have in common. */
function environment(settings: Settings, dataDir: string): Record<string, string | undefined> {
  const { PORT, SIM_PORT } = settings
  return {
    ...process.env,
    PORT: String(PORT),
    SIM_PORT: String(SIM_PORT),
    DATA_DIR: dataDir,
    DRAIN_GRACE: '0s',
    // The demo password is public, so listen on this machine only, unless HOST is set.
    HOST: ownHost(),
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

/** `program` is the folder of the compiled program. */
export async function runEverything(program: string, begun: BegunServers): Promise<void> {
  const { dataDir } = begun
  const children: Child[] = []
  let isStopping = false
  const stop = async (code: number): Promise<never> => {
    isStopping = true
    const [simulator, ...ours] = children
    await Promise.all(ours.map((child) => child.stop(30_000)))
    await simulator?.stop(5_000)
    await begun.stop()
    process.exit(code)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isStopping) return
      say('\nstopping...')
      void stop(0)
    })
  }
  try {
    const env = environment(begun.settings, dataDir)
    const logDir = resolve(dataDir, 'log')
    const launch: Launch = (name, script, more) => {
      const own = { name, script: join(program, script), namesSources: true }
      const child = startChild({ ...own, env: { ...env, ...more }, logDir })
      children.push(child)
      return child
    }
    const simulator = launch('simulator', 'src/simulator/main.js')
    const dev = await bringUp({ begun, simulator, launch })
    // Counted from the start of this process, before its modules were loaded.
    announce(dev, { say, seconds: performance.now() / 1000, logDir })
    const ended = await Promise.race(children.map(async (child) => `${child.name}: ${await child.exited}`))
    if (!isStopping) {
      say(`a process ended by itself (${ended}); its log is in ${logDir}`)
      await stop(1)
    }
  } catch (error) {
    if (isStopping) return
    say(`the start failed: ${error instanceof Error ? error.message : String(error)}`)
    await stop(1)
  }
}

type Launch = (name: string, script: string, more?: Readonly<Record<string, string>>) => Child

/**
 * The database is made ready while Redis is still unpacked. The gateway and the worker wait for its schema, not for
 * its demo workspace.
 */
async function bringUp(start: {
  readonly begun: BegunServers
  readonly simulator: Child
  readonly launch: Launch
}): Promise<DevFile> {
  const { begun, simulator, launch } = start
  const { settings, dataDir } = begun
  const simulatorUrl = `http://127.0.0.1:${settings.SIM_PORT}`
  const apiUrl = `http://localhost:${settings.PORT}`
  const databaseUrl = await begun.databaseUrl
  const sql = connectPool({ url: databaseUrl, max: 2, name: 'switchboard-start', statementTimeoutMs: 60_000 })
  const serve = async () => {
    const redisUrl = await begun.redisUrl
    const stores = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }
    const gateway = launch('gateway', 'src/main.js', stores)
    return { redisUrl, gateway, worker: launch('worker', 'workers/main.js', stores) }
  }
  const fillDatabase = async () => {
    await migrate(sql)
    const demo = await demoOf(sql, dataDir)
    await waitUntilReady(simulator, `${simulatorUrl}/sim/health`, readyTimeoutMs)
    await syncDemoCatalog(sql, demo.workspaceId, simulatorUrl)
    return demo
  }
  try {
    const [demo, { redisUrl, gateway, worker }] = await Promise.all([fillDatabase(), serve()])
    await waitUntilReady(gateway, `http://127.0.0.1:${settings.PORT}/readyz`, readyTimeoutMs)
    const dev = await describe(sql, { demo, apiUrl, simulatorUrl, databaseUrl, redisUrl })
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
  start: { demo: Demo } & Pick<DevFile, 'apiUrl' | 'simulatorUrl' | 'databaseUrl' | 'redisUrl'>,
): Promise<DevFile> {
  const { demo, apiUrl, simulatorUrl, databaseUrl, redisUrl } = start
  return {
    apiUrl,
    consoleUrl: `${apiUrl}/console`,
    simulatorUrl,
    databaseUrl,
    redisUrl,
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
