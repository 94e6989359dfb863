// Starts everything that a bench needs, private and on loopback: database servers, gateways, worker, receiver,
// generator, and what the gateway is compared with.
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Child, startChild, waitUntilReady } from '../../src/dev/child.ts'
import { freePort } from '../../src/dev/embedded/ports.ts'
import { provider } from '../../src/dev/provider.ts'
import { connectPool, type Pool } from '../../src/platform/postgres/sql.ts'
import { build } from './build.ts'
import { certificate } from './certificate.ts'
import { type ClockOffset, sameClock } from './clock.ts'
import type { Closing } from './closing.ts'
import type { DeadPorts, DeadProtocol } from './dead.ts'
import type { GeneratorProtocol } from './generator.ts'
import { opponentStarter } from './opponent-starter.ts'
import type { Opponent } from './opponents.ts'
import { type Asker, openPart } from './part.ts'
import type { ReceiverProtocol } from './receiver.ts'
import { freshDatabases, type Seed, type Seeded, seedDatabase, vacuumed } from './seed.ts'
import { type Environment, environment, folderOf, openServers, type Servers } from './servers.ts'
import type { Target } from './target.ts'

export interface Gateway {
  readonly origin: string
  /** Undefined in a deployment. */
  readonly child: Child | undefined
  /** Where its marks and pauses are read, with --hops or --tail. */
  readonly marksPath: string
}

export interface Receiver extends Asker<ReceiverProtocol> {
  /** How its times become those of this host. */
  clock(): Promise<ClockOffset>
}

export interface World {
  readonly servers: Servers | undefined
  /** Of the gateways' database. */
  readonly sql: Pool | undefined
  readonly gateways: readonly Gateway[]
  readonly workerPid: number | undefined
  /** Throws where the worker has ended: what it should do would cost nothing. */
  checkWorker(): void
  /** Processes whose waits for a core delay a unit, by what they are; with --tail. */
  readonly watched: ReadonlyMap<number, string> | undefined
  readonly generator: Asker<GeneratorProtocol>
  readonly receiver: Receiver
  readonly generatorPid: number
  /** Undefined where it is on another host. */
  readonly receiverPid: number | undefined
  readonly seeded: Seeded
  readonly wabaId: string
  readonly appSecret: string
  /** Of the receiver on this host, without TLS. */
  readonly plainPort: number
  /** Vacuums and analyses what every program has written until now. */
  vacuum(): Promise<void>
  /** Starts the receivers that fail in different ways. */
  dead(): Promise<DeadPorts>
  /** Starts another gateway of the same database, such as one that was stopped. */
  startGateway(): Promise<Gateway>
  /** The program, started at its first use; it sends its events to the receiver over this transport. */
  opponent(opponent: Opponent, transport: 'socket' | 'https'): Promise<Target>
}

export interface WorldOptions extends Pick<Seed, 'endpoints' | 'contacts' | 'rows' | 'rings'> {
  readonly gateways: number
  readonly hops: boolean
  readonly tail: boolean
  readonly profile: boolean
  /** Of its folder, since each world that is open has one; `bench` unless told. */
  readonly name?: string
  readonly say: (text: string) => void
}

const readyTimeoutMs = 60_000
const preload = (script: string) => fileURLToPath(new URL(`./${script}`, import.meta.url))

/** Pushes a stop function onto `closing` at each start, so that a failed start leaves nothing running. */
export async function openWorld(options: WorldOptions, closing: Closing): Promise<World> {
  const tls = certificate(folderOf(options.name))
  const [servers, receiver, generator] = await together(
    openServers(options, closing),
    openPart<ReceiverProtocol>('harness/receiver-part.ts', closing),
    openPart<GeneratorProtocol>('harness/generator.ts', closing),
    build(),
  )
  const { plainPort, tlsPort } = await receiver.ask('listen', { host: '127.0.0.1', tls })
  const socketUrl = `ws://127.0.0.1:${plainPort}/events`
  const httpsUrl = `https://127.0.0.1:${tlsPort}/events`
  const secretsKey = randomBytes(32)
  await freshDatabases(servers.adminUrl, ['bench_seed'])
  const seed = { ...options, secretsKey, socketUrl, httpsUrl }
  const seeded = await seedDatabase(servers.databaseUrl('bench_seed'), seed)
  const databases: string[] = []
  const database = async (name: string) => {
    await freshDatabases(servers.adminUrl, [name], 'bench_seed')
    databases.push(servers.databaseUrl(name))
    return servers.databaseUrl(name)
  }
  const databaseUrl = await database('bench_gateway')
  const providerUrl = `http://127.0.0.1:${plainPort}`
  const base = environment({ ...servers, databaseUrl, gatewayPort: 0, simulatorPort: plainPort, secretsKey })
  const env = { ...base, NODE_EXTRA_CA_CERTS: tls.certFile }
  const startGateway = async () => launchGateway(env, options, closing)
  const gateways: Gateway[] = []
  for (let index = 0; index < options.gateways; index += 1) gateways.push(await startGateway())
  const worker = launch('worker', 'dist/workers/main.js', env, closing)
  const sql = connectPool({ url: databaseUrl, max: 2, name: 'bench', statementTimeoutMs: 600_000 })
  closing.push(() => sql.end())

  const opponent = opponentStarter({
    ...{ gateways: options.gateways, closing, database },
    env: { NODE_EXTRA_CA_CERTS: tls.certFile },
    receiverUrls: { socket: socketUrl, https: httpsUrl },
    question: { redisUrl: servers.redisUrl, apiKey: seeded.apiKey, providerUrl },
  })
  return {
    ...{ servers, sql, gateways, seeded, startGateway, plainPort, generator },
    vacuum: async () => void (await Promise.all(databases.map(vacuumed))),
    watched: options.tail ? new Map(namesOf({ generator, receiver })) : undefined,
    dead: async () => (await openPart<DeadProtocol>('harness/dead.ts', closing)).ask('listen', null),
    ...{ workerPid: worker.process.pid, checkWorker: watchWorker(worker) },
    wabaId: provider.wabaId,
    appSecret: provider.appSecret,
    ...{ receiver: here(receiver), generatorPid: generator.pid, receiverPid: receiver.pid },
    opponent,
  }
}

function watchWorker({ exited, logFile }: Child): () => void {
  let end: string | undefined
  void exited.then((why) => {
    end = why
  })
  return () => {
    if (end !== undefined) throw new Error(`the worker ended: ${end}, see ${logFile}`)
  }
}

const here = ({ ask }: Asker<ReceiverProtocol>): Receiver => ({
  ask,
  clock: () => Promise.resolve(sameClock),
})

const namesOf = (parts: Readonly<Record<string, { readonly pid: number }>>) =>
  Object.entries(parts).map(([name, { pid }]) => [pid, name] as const)

/** As `Promise.all`, but a failure waits for the others, which have put on `closing` by then what stops them. */
async function together<Values extends readonly unknown[]>(
  ...work: { readonly [Index in keyof Values]: Promise<Values[Index]> }
): Promise<Values> {
  await Promise.allSettled(work)
  return (await Promise.all(work)) as unknown as Values
}

let gatewaysStarted = 0

/** A port that was free a moment ago may be taken, by the internal port of another gateway. */
async function launchGateway(
  env: Environment,
  options: WorldOptions,
  closing: Closing,
  triesLeft = 2,
): Promise<Gateway> {
  return launchOnce(env, options, closing).catch((error: unknown) => {
    if (triesLeft === 0 || !String(error).includes('another process has the port')) throw error
    return launchGateway(env, options, closing, triesLeft - 1)
  })
}

async function launchOnce(
  env: Environment,
  { hops, tail, profile }: WorldOptions,
  closing: Closing,
): Promise<Gateway> {
  gatewaysStarted += 1
  const name = `gateway-${gatewaysStarted}`
  const port = await freePort()
  const marksPath = resolve(env.DATA_DIR, `${name}.sock`)
  const preloads = [(hops || tail) && preload('marks-recorder.ts'), profile && preload('profiler.ts')].filter(
    Boolean,
  )
  const child = launch(
    name,
    'dist/src/main.js',
    {
      ...env,
      PORT: String(port),
      ...(preloads.length > 0 && {
        NODE_OPTIONS: ['tsx', ...preloads].map((path) => `--import ${path}`).join(' '),
        MARKS_PATH: marksPath,
        ...(tail && { TAIL: '1' }),
        PROFILE_DIR: env.DATA_DIR,
      }),
    },
    closing,
  )
  const origin = `http://127.0.0.1:${port}`
  await ready(child, `${origin}/readyz`)
  return { origin, child, marksPath }
}

export function launch(name: string, script: string, env: Environment, closing: Closing): Child {
  const child = startChild({ name, script, env, logDir: resolve(env.DATA_DIR, 'log') })
  closing.push(() => child.stop(30_000))
  return child
}

export const ready = (child: Child, url: string): Promise<void> => waitUntilReady(child, url, readyTimeoutMs)
