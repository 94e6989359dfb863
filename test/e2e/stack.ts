// The whole product on real components: own database and Redis; simulator, gateways and workers as processes.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { provider, syncDemoCatalog } from '../../src/dev/provider.ts'
import { type Demo, type DemoNumber, demoNumbers, seedWorkspace } from '../../src/dev/seed.ts'
import { connectPool, type Pool } from '../../src/platform/postgres/sql.ts'
import { encodeId } from '../../src/shared/ids.ts'
import { type Certificate, makeCertificate } from '../support/certificate.ts'
import { ownFolder } from '../support/embedded.ts'
import { testDatabase } from '../support/postgres.ts'
import { type TestRedis, testRedis } from '../support/redis.ts'
import { apiClient, type Client, client, consoleClient, inTurn, type Json, ok, signIn } from './clients.ts'
import { lastingPort, logTail, type Running, run } from './processes.ts'

export interface StackOptions {
  /** Default 1. */
  readonly gateways?: 1 | 2 | 3
  /** Default 1. */
  readonly workers?: number
  /** Whether Redis keeps its data over a restart. Default false. */
  readonly isRedisPersistent?: boolean
  /** Settings in addition to those of the stack, such as WEBHOOK_RETRY_DELAYS. */
  readonly env?: Readonly<Record<string, string>>
  /** Servers of the caller, who stops them. Default: a database and a Redis of the stack's own. */
  readonly servers?: { readonly databaseUrl: string; readonly redis: TestRedis }
  /** Settings of one process, by its name: `gateway-0`, `worker-0`. They win over the others. */
  readonly envOf?: (name: string) => Readonly<Record<string, string>>
}

export interface Gateway {
  readonly origin: string
  /** Serves the metrics. */
  readonly internalOrigin: string
  /** The public API with the key of the workspace. */
  readonly api: Client
  readonly process: Running
}

export interface Stack {
  readonly sql: Pool
  readonly redis: TestRedis
  readonly workspaceId: string
  readonly key: string
  /** The owner, who signs in to the console. */
  readonly operator: Demo['operator']
  /** The gateways trust this certificate, for receivers on 127.0.0.1 and localhost. */
  readonly tls: Certificate
  /** The numbers of the simulator, two unless SIM_NUMBERS says otherwise; the first is the default sender. */
  readonly numbers: readonly [DemoNumber, DemoNumber, ...DemoNumber[]]
  readonly gateways: readonly Gateway[]
  readonly workers: readonly Running[]
  /** The simulator's address; its page shows the handsets. */
  readonly simulatorUrl: string
  /** The simulator's control API, `/sim`. */
  readonly sim: Client
  /** The API, at the running gateways round robin. */
  readonly api: Client
  /** The console of the workspace, signed in as its owner. */
  readonly console: Client
  gateway(index: number): Gateway
  /** Starts it again on its port, whether it still runs or not; `env` is only for this process. */
  restartGateway(index: number, env?: Readonly<Record<string, string>>): Promise<void>
  restartWorker(index: number, env?: Readonly<Record<string, string>>): Promise<void>
  /** Returns the fields of the endpoint, with its secret. */
  addEndpoint(endpoint: { url: string; events: readonly string[]; name?: string }): Promise<Json>
  assignNumber(
    number: DemoNumber,
    route: { endpointId: string | null; forwardCalls?: boolean },
  ): Promise<Json>
  /** The console's delivery log, newest first. */
  deliveries(filter?: Readonly<Record<string, string>>): Promise<Json[]>
  /** One delivery with its body and attempts. */
  delivery(id: string): Promise<Json>
  /** The last lines of every process's log. */
  logs(): string
  logFiles(): string[]
  /** Stops everything that the stack started. */
  stop(): Promise<void>
}

interface Ground {
  readonly dir: string
  readonly sql: Pool
  readonly redis: TestRedis
  readonly tls: Certificate
  readonly demo: Demo
  readonly processes: Running[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly envOf: NonNullable<StackOptions['envOf']>
}

const SERVING = (line: { event?: string }) => line.event === 'gateway.serving'

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const dir = mkdtempSync(join(ownFolder(), 'stack-'))
  const stopping: (() => Promise<unknown>)[] = [async () => rmSync(dir, { recursive: true, force: true })]
  const stop = async () => {
    // A step that fails must not leave the other processes running.
    const failures: unknown[] = []
    for (const step of stopping.splice(0).reverse()) await step().catch((error) => failures.push(error))
    if (failures.length > 0) throw new AggregateError(failures, 'the stack did not stop cleanly')
  }
  try {
    return await bringUp(options, await prepare(dir, options, stopping), stop)
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }
}

async function prepare(
  dir: string,
  options: StackOptions,
  stopping: (() => Promise<unknown>)[],
): Promise<Ground> {
  const { databaseUrl, redis } = options.servers ?? (await ownServers(options, stopping))
  const sql = connectPool({ url: databaseUrl, max: 2, name: 'e2e' })
  stopping.push(() => sql.end({ timeout: 2 }))
  const processes: Running[] = []
  stopping.push(() => Promise.all(processes.map((one) => one.stop())))
  const tls = makeCertificate('DNS:localhost,IP:127.0.0.1')
  writeFileSync(join(dir, 'ca.pem'), tls.cert)
  const demo = await seedWorkspace(sql, {
    wabaId: provider.wabaId,
    workspaceName: 'North Dock',
    email: 'owner@northdock.example',
    password: 'a password for tests',
    passwordLogN: 12,
  })
  const env = { ...environment(dir), DATABASE_URL: databaseUrl, REDIS_URL: redis.url, ...options.env }
  return { dir, sql, redis, tls, demo, processes, env, envOf: options.envOf ?? (() => ({})) }
}

async function ownServers(
  { isRedisPersistent = false }: StackOptions,
  stopping: (() => Promise<unknown>)[],
): Promise<NonNullable<StackOptions['servers']>> {
  const [database, redis] = await Promise.all([testDatabase(), testRedis({ persistent: isRedisPersistent })])
  stopping.push(() => redis.stop())
  return { databaseUrl: database.url, redis }
}

const environment = (dir: string): Record<string, string | undefined> => ({
  ...process.env,
  APP_ENV: 'test',
  HOST: '127.0.0.1',
  DATA_DIR: dir,
  SECRETS_KEY: randomBytes(32).toString('hex'),
  LOG_LEVEL: 'info',
  // There is no load balancer that has to notice the drain.
  DRAIN_GRACE: '0s',
  // A busy machine that runs the tests is no overload of the product.
  LOAD_SHEDDING: 'false',
  WEBHOOK_TARGETS: 'any',
  WEBHOOK_CA_FILE: join(dir, 'ca.pem'),
  PROVIDER_ACCESS_TOKEN: provider.accessToken,
  PROVIDER_APP_SECRET: provider.appSecret,
  PROVIDER_VERIFY_TOKEN: provider.verifyToken,
  SIM_PORT: '0',
  SIM_APP_SECRET: provider.appSecret,
  SIM_VERIFY_TOKEN: provider.verifyToken,
  SIM_ACCESS_TOKEN: provider.accessToken,
  SIM_WABA_ID: provider.wabaId,
})

async function bringUp(options: StackOptions, ground: Ground, stop: () => Promise<void>): Promise<Stack> {
  const { sql, demo, processes, redis, tls } = ground
  const launch = launcher(ground)
  const listening = await launch('simulator', 'src/simulator/main.ts').line(
    (line) => line.event === 'listening',
    'listening',
  )
  const simulatorUrl = String(listening['url'])
  await syncDemoCatalog(sql, demo.workspaceId, simulatorUrl)
  const [first, second, ...others] = await demoNumbers(sql, demo.workspaceId)
  if (!first || !second) throw new Error('the simulator has two numbers')
  const settings = { PROVIDER_BASE_URL: simulatorUrl, HANDSETS_URL: `${simulatorUrl}/` }
  const workers = Array.from({ length: options.workers ?? 1 }, (_, index) =>
    launch(`worker-${index}`, 'workers/main.ts', settings),
  )
  const gateways = await Promise.all(
    Array.from({ length: options.gateways ?? 1 }, async (_, index) => {
      const env = { ...settings, PORT: String(await lastingPort()) }
      return serve(launch(`gateway-${index}`, 'src/main.ts', env), demo.apiKey)
    }),
  )
  await Promise.all(workers.map((worker) => worker.line(isWorking, 'serving')))
  const sim = client(`${simulatorUrl}/sim`)
  const webhookUrls = gateways.map(({ origin }) => `${origin}/provider/webhooks`)
  await ok(sim.put('/config', { webhookUrls }))
  const workspaceId = encodeId('workspace', demo.workspaceId)
  const gateway = (index: number): Gateway => {
    const found = gateways[index]
    if (!found) throw new Error(`there is no gateway ${index}`)
    return found
  }
  const running = () => gateways.filter(({ process }) => process.isRunning)
  const cookie = await signIn(gateway(0).origin, demo.operator)
  const console = inTurn(() => running().map(({ origin }) => consoleClient(origin, workspaceId, cookie)))
  return {
    ...{ sql, redis, workspaceId, tls, simulatorUrl, sim, workers, gateways, gateway, console, stop },
    key: demo.apiKey,
    operator: demo.operator,
    numbers: [first, second, ...others],
    api: inTurn(() => running().map(({ api }) => api)),
    ...consoleActions(console),
    async restartGateway(index, more = {}) {
      const port = new URL(gateway(index).origin).port
      await gateway(index).process.stop()
      const env = { ...settings, PORT: port, ...more }
      const again = launch(`gateway-${index}-${processes.length}`, 'src/main.ts', env)
      gateways[index] = await serve(again, demo.apiKey)
    },
    async restartWorker(index, more = {}) {
      await workers[index]?.stop()
      const again = launch(`worker-${index}-${processes.length}`, 'workers/main.ts', { ...settings, ...more })
      workers[index] = again
      await again.line(isWorking, 'serving')
    },
    logs: () => processes.map(logTail).join('\n'),
    logFiles: () => processes.map(({ logFile }) => logFile),
  }
}

const launcher =
  ({ processes, env, envOf, dir }: Ground) =>
  (name: string, script: string, more: Readonly<Record<string, string>> = {}): Running => {
    // A restarted process has a number behind its name.
    const own = envOf(name.split('-').slice(0, 2).join('-'))
    const started = run(name, script, { env: { ...env, ...own, ...more }, logDir: join(dir, 'log') })
    processes.push(started)
    return started
  }

const isWorking = (line: { event?: string }) => line.event === 'worker.serving'

async function serve(process: Running, key: string): Promise<Gateway> {
  const { port, internalPort } = await process.line(SERVING, 'serving')
  const [origin, internalOrigin] = [port, internalPort].map((one) => `http://127.0.0.1:${String(one)}`) as [
    string,
    string,
  ]
  return { origin, internalOrigin, api: apiClient(origin, key), process }
}

type ConsoleActions = Pick<Stack, 'addEndpoint' | 'assignNumber' | 'deliveries' | 'delivery'>

const consoleActions = (console: Client): ConsoleActions => ({
  addEndpoint: ({ name = 'receiver', ...endpoint }) =>
    ok(console.post('/endpoints', { name, ...endpoint }), 201),
  assignNumber: ({ id }, route) => ok(console.patch(`/numbers/${id}`, route)),
  async deliveries(filter = {}) {
    const all: Json[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Json = await ok(
        console.get(
          `/deliveries?${new URLSearchParams({ ...filter, limit: '200', ...(cursor && { cursor }) })}`,
        ),
      )
      all.push(...page.data)
      cursor = page.nextCursor
    }
    return all
  },
  delivery: (id) => ok(console.get(`/deliveries/${id}`)),
})
