// Starts everything that a bench needs, private and on loopback: database servers, simulator, gateway,
// worker, floor, receiver and generator.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createSecretBox } from '../../src/accounts/secret-box.ts'
import { createSecret } from '../../src/delivery/signature.ts'
import { type Child, startChild, waitUntilReady } from '../../src/dev/child.ts'
import { freePort } from '../../src/dev/embedded/ports.ts'
import { startPostgres } from '../../src/dev/embedded/postgres.ts'
import { startRedis } from '../../src/dev/embedded/redis.ts'
import { provider } from '../../src/dev/provider.ts'
import type { FloorProtocol } from '../floor/floor.ts'
import type { Closing } from './closing.ts'
import type { GeneratorProtocol } from './generator.ts'
import { type Part, startPart } from './part.ts'
import type { ReceiverProtocol } from './receiver.ts'
import { analyze, freshDatabases, type SeededNumber, seedDatabase } from './seed.ts'

export interface Target {
  /** `remote`: a second gateway, which hands its events over to the gateway with the socket. */
  readonly name: 'system' | 'remote' | 'floor'
  readonly url: string
  /** The measured process. */
  readonly pid: number
}

export interface World {
  readonly system: Target
  readonly remote: Target | undefined
  readonly floor: Target
  readonly generator: Part<GeneratorProtocol>
  readonly receiver: Part<ReceiverProtocol>
  readonly number: SeededNumber
  /** Analyzes both databases, once they contain data. */
  analyze(): Promise<void>
}

export interface WorldOptions {
  readonly contacts: number
  /** Preloads the profiler into the gateway. */
  readonly profile: boolean
  readonly remote: boolean
  readonly say: (text: string) => void
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const dataDir = resolve(root, '.data', 'bench')
const logDir = resolve(dataDir, 'log')
const readyTimeoutMs = 60_000
const profiler = fileURLToPath(new URL('./profiler.ts', import.meta.url))

/** Pushes a stop function onto `closing` at each start, so that a failed start leaves nothing running. */
export async function openWorld(options: WorldOptions, closing: Closing): Promise<World> {
  await build()
  const servers = await openServers(options, closing)
  const databases = { system: servers.databaseUrl('bench_system'), floor: servers.databaseUrl('bench_floor') }
  await freshDatabases(servers.adminUrl, ['bench_system', 'bench_floor'])
  const receiver = await part<ReceiverProtocol>('harness/receiver.ts', closing)
  const receiverUrl = `ws://127.0.0.1:${await receiver.ask('listen', null)}/events`
  const [gatewayPort, simulatorPort] = [await freePort(), await freePort()]
  const secretsKey = randomBytes(32)
  const env = environment({
    ...servers,
    databaseUrl: databases.system,
    gatewayPort,
    simulatorPort,
    secretsKey,
  })
  const simulatorUrl = `http://127.0.0.1:${simulatorPort}`
  await ready(launch('simulator', 'src/simulator/main.ts', env, closing), `${simulatorUrl}/sim/health`)

  const sealedSecret = createSecretBox([{ id: '1', bytes: secretsKey }]).seal(createSecret())
  const endpoint = { url: receiverUrl, sealedSecret }
  const seed = { simulatorUrl, endpoint, wabaId: provider.wabaId, contacts: options.contacts }
  const number = await seedDatabase({ ...seed, databaseUrl: databases.system })
  await seedDatabase({ ...seed, databaseUrl: databases.floor })

  const profiling = options.profile && {
    NODE_OPTIONS: `--import tsx --import ${profiler}`,
    PROFILE_DIR: dataDir,
  }
  const gateway = launch('gateway', 'dist/src/main.js', { ...env, ...profiling }, closing)
  await ready(gateway, `http://127.0.0.1:${gatewayPort}/readyz`)
  const remote = options.remote ? await startRemote(env, closing) : undefined
  launch('worker', 'dist/workers/main.js', env, closing)
  const floor = await part<FloorProtocol>('floor/floor.ts', closing)
  const { appSecret } = provider
  const floorPort = await floor.ask('start', { databaseUrl: databases.floor, receiverUrl, appSecret })
  const url = (port: number) => `http://127.0.0.1:${port}/provider/webhooks`
  return {
    system: { name: 'system', url: url(gatewayPort), pid: gateway.process.pid ?? 0 },
    remote: remote && { name: 'remote', url: url(remote.port), pid: remote.pid },
    floor: { name: 'floor', url: url(floorPort), pid: floor.pid },
    generator: await part<GeneratorProtocol>('harness/generator.ts', closing),
    receiver,
    number,
    analyze: () => analyze(Object.values(databases)),
  }
}

/** Builds the product: the TypeScript loader would add a call that names a function at each creation. */
export const build = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'src/dev/build.ts'], { cwd: root })
}

/** Starts a gateway without a socket: the first gateway owns the endpoint. */
async function startRemote(env: Environment, closing: Closing): Promise<{ port: number; pid: number }> {
  const port = await freePort()
  const child = launch('remote', 'dist/src/main.js', { ...env, PORT: String(port) }, closing)
  await ready(child, `http://127.0.0.1:${port}/readyz`)
  return { port, pid: child.process.pid ?? 0 }
}

// Mode development: fsync stays on, and Redis keeps its append-only file.
export async function openServers({ say }: Pick<WorldOptions, 'say'>, closing: Closing) {
  const onLog = (line: string) => say(`  ${line}`)
  const postgres = await startPostgres({ dataDir, mode: 'development', onLog })
  closing.push(() => postgres.stop())
  const cacheDir = resolve(root, '.data', 'apt')
  const redis = await startRedis({ dataDir, mode: 'development', cacheDir, onLog })
  closing.push(() => redis.stop())
  if (postgres.attached || redis.attached) throw new Error('another bench is running')
  return { adminUrl: postgres.url, databaseUrl: postgres.databaseUrl, redisUrl: redis.url }
}

export function environment(start: {
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly gatewayPort: number
  readonly simulatorPort: number
  readonly secretsKey: Buffer
}): Record<string, string | undefined> {
  const { PATH, HOME } = process.env
  return {
    PATH,
    HOME,
    HOST: '127.0.0.1',
    PORT: String(start.gatewayPort),
    DATABASE_URL: start.databaseUrl,
    REDIS_URL: start.redisUrl,
    DATA_DIR: dataDir,
    SECRETS_KEY: start.secretsKey.toString('hex'),
    WEBHOOK_TARGETS: 'any',
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

type Environment = Readonly<Record<string, string | undefined>>

export function launch(name: string, script: string, env: Environment, closing: Closing): Child {
  const child = startChild({ name, script, env, logDir })
  closing.push(() => child.stop(30_000))
  return child
}

export const ready = (child: Child, url: string): Promise<void> => waitUntilReady(child, url, readyTimeoutMs)

export async function part<Protocol extends Record<keyof Protocol, { question: unknown; answer: unknown }>>(
  script: string,
  closing: Closing,
): Promise<Part<Protocol>> {
  const started = await startPart<Protocol>(script)
  closing.push(() => started.stop())
  return started
}
