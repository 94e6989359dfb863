// Three gateways and a worker behind HAProxy. Each gateway has lines of its own to Postgres, to Redis and from
// the other gateways, which a fault can cut. Each of three numbers belongs to one receiver.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { eventKinds } from '../../../src/contract/events.ts'
import { encodeId } from '../../../src/shared/ids.ts'
import { type Client, client, type Json, ok } from '../../e2e/clients.ts'
import { lastingPort } from '../../e2e/processes.ts'
import {
  type HttpsReceiver,
  type SocketReceiver,
  startHttpsReceiver,
  startSocketReceiver,
} from '../../e2e/receivers.ts'
import { type Stack, startStack } from '../../e2e/stack.ts'
import { type TestRedis, testRedis } from '../../support/redis.ts'
import { freeze } from './freeze.ts'
import { type Balancer, type BalancerOptions, startHaproxy } from './haproxy.ts'
import type { FaultyPostgres } from './postgres.ts'
import { type ProxyState, startProxy, type TcpProxy } from './proxy.ts'

const GATEWAYS = 3
const START_MS = 120_000

/** The lines of one gateway. `peers` leads from the other gateways and the worker to it. */
export interface Lines {
  readonly postgres: TcpProxy
  readonly redis: TcpProxy
  readonly peers: TcpProxy
}

export interface Target {
  readonly name: string
  readonly number: Json
  readonly endpoint: Json
  readonly receiver: HttpsReceiver | SocketReceiver
  /** The line from the gateways to the receiver. */
  readonly line: TcpProxy
}

export interface Cluster {
  readonly stack: Stack
  readonly databaseUrl: string
  readonly postgres: FaultyPostgres
  readonly redis: TestRedis
  readonly targets: readonly Target[]
  readonly sockets: readonly SocketReceiver[]
  /** The public API behind HAProxy. Its answers are not checked against the document: HAProxy gives some. */
  readonly api: Client
  lines(gateway: number): Lines
  /** The gateway that owns the endpoint of the first target, a socket. */
  owner(): Promise<number>
  pid(gateway: number): number
  kill(gateway: number): Promise<void>
  /** Ends the gateway with SIGTERM, if it still runs, and starts it again. Returns how it ended. */
  restart(gateway: number): Promise<string>
  /** Deploys: the worker, then one gateway after the other; with these settings from then on. */
  roll(env: Readonly<Record<string, string>>): Promise<void>
  /** Stops a process of the system; the returned function lets it go on. */
  freeze(pid: number): Promise<() => Promise<void>>
  close(): Promise<void>
}

export interface ClusterOptions {
  readonly haproxy: string
  readonly postgres: FaultyPostgres
  readonly balancer: Pick<BalancerOptions, 'retries' | 'cutsRequests'>
  readonly env: Readonly<Record<string, string>>
}

const numbers = JSON.stringify(
  [1, 2, 3].map((digit) => ({
    phoneNumberId: `10654035224292${digit}`,
    displayPhoneNumber: `1555000${digit}${digit}${digit}${digit}`,
    verifiedName: `North Dock ${digit}`,
    throughput: 'HIGH',
  })),
)

const settings = {
  SIM_NUMBERS: numbers,
  TRUSTED_PROXIES: '1',
  DRAIN_GRACE: '3s',
  WEBHOOK_RETRY_DELAYS: '2s,4s,8s,16s,30s',
}

/** Runs its steps in the reverse order, all of them even if some fail. */
class Closing {
  readonly #steps: (() => unknown)[] = []

  add(step: () => unknown): void {
    this.#steps.push(step)
  }

  async run(): Promise<void> {
    const failures: unknown[] = []
    for (const step of this.#steps.splice(0).reverse())
      await Promise.resolve(step()).catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw new AggregateError(failures, 'the cluster did not stop cleanly')
  }
}

export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const closing = new Closing()
  try {
    return await bringUp(options, closing)
  } catch (error) {
    await closing.run().catch(() => undefined)
    throw error
  }
}

async function bringUp(options: ClusterOptions, closing: Closing): Promise<Cluster> {
  const { postgres } = options
  const databaseUrl = await postgres.newDatabase()
  const redis = await testRedis({ persistent: true })
  closing.add(() => redis.stop())
  const ground = { databaseUrl, redis, postgresPort: postgres.port }
  const gateways = await Promise.all(Array.from({ length: GATEWAYS }, () => openLines(ground, closing)))
  let deployed: Readonly<Record<string, string>> = {}
  const stack = await startStack({
    gateways: GATEWAYS,
    servers: { databaseUrl, redis },
    env: { ...settings, SECRETS_KEY: `1:${randomBytes(32).toString('hex')}`, ...options.env },
    envOf: (name) => {
      const [kind, index] = name.split('-')
      return { ...(kind === 'gateway' && gateways[Number(index)]?.env), ...deployed }
    },
  })
  closing.add(() => stack.stop())
  // Nothing is left to hand over, and a drain would take its time.
  closing.add(() => Promise.all(stack.gateways.map(({ process }) => process.kill())))
  const lines = (gateway: number): Lines => gateways[gateway]?.lines ?? fail(`no gateway ${gateway}`)
  const watch = (gateway: number) =>
    void stack.gateway(gateway).process.exited.then(() => lines(gateway).peers.become('refused'))
  for (const index of gateways.keys()) watch(index)
  const restart = async (gateway: number) => {
    const ended = await stack.gateway(gateway).process.stop()
    await lines(gateway).peers.become('open')
    await supervised(() => stack.restartGateway(gateway))
    watch(gateway)
    return ended
  }
  const balancer = await openBalancer(stack, options, closing)
  const targets = await openTargets(stack, closing)
  const thawing = new Set<() => Promise<void>>()
  closing.add(() => Promise.all([...thawing].map((thaw) => thaw())))
  return {
    ...{ stack, databaseUrl, postgres, redis, targets, lines },
    sockets: targets.flatMap(({ receiver }) => ('connections' in receiver ? [receiver] : [])),
    api: client(`${balancer.origin}/api/v1`, { authorization: `Bearer ${stack.key}` }),
    owner: () => ownerOf(stack, targets[0]?.endpoint.id),
    pid: (gateway) => stack.gateway(gateway).process.pid,
    kill: async (gateway) => void (await stack.gateway(gateway).process.kill()),
    restart,
    async roll(env) {
      deployed = { ...deployed, ...env }
      await supervised(() => stack.restartWorker(0))
      for (const gateway of gateways.keys())
        assert.equal(await restart(gateway), 'code 0', `gateway ${gateway} drains`)
    },
    async freeze(pid) {
      const thaw = await freeze(pid)
      thawing.add(thaw)
      return async () => {
        thawing.delete(thaw)
        await thaw()
      }
    },
    close: () => closing.run(),
  }
}

/** A process that finds no server at its start ends, and is started again. */
async function supervised(start: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + START_MS
  for (;;)
    try {
      return await start()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
}

const fail = (message: string): never => {
  throw new Error(message)
}

interface GatewayGround {
  readonly lines: Lines
  readonly env: Readonly<Record<string, string>>
}

async function openLines(
  ground: { databaseUrl: string; redis: TestRedis; postgresPort: number },
  closing: Closing,
): Promise<GatewayGround> {
  const internalPort = await lastingPort()
  const [postgres, redis, peers] = await Promise.all([
    startProxy(ground.postgresPort),
    startProxy(ground.redis.port),
    startProxy(internalPort),
  ])
  const lines = { postgres, redis, peers }
  for (const line of Object.values(lines)) closing.add(() => line.close())
  return {
    lines,
    env: {
      DATABASE_URL: through(ground.databaseUrl, postgres),
      REDIS_URL: through(ground.redis.url, redis),
      INTERNAL_PORT: String(internalPort),
      INTERNAL_ADDRESS: `http://127.0.0.1:${peers.port}`,
    },
  }
}

const through = (url: string, { port }: TcpProxy): string =>
  Object.assign(new URL(url), { port: String(port) }).href

async function openBalancer(stack: Stack, options: ClusterOptions, closing: Closing): Promise<Balancer> {
  const origins = stack.gateways.map(({ origin }) => origin)
  const balancer = await startHaproxy(options.haproxy, { origins, ...options.balancer })
  closing.add(() => balancer.stop())
  await ok(stack.sim.put('/config', { webhookUrls: [`${balancer.origin}/provider/webhooks`] }))
  return balancer
}

async function openTargets(stack: Stack, closing: Closing): Promise<Target[]> {
  const starts = [
    ['socket-1', startSocketReceiver],
    ['socket-2', startSocketReceiver],
    ['https', startHttpsReceiver],
  ] as const
  const targets: Target[] = []
  for (const [index, [name, start]] of starts.entries()) {
    const number = stack.numbers[index] ?? fail(`no number ${index}`)
    const receiver = await start(stack.tls)
    closing.add(() => receiver.close())
    const url = new URL(receiver.url)
    const line = await startProxy(Number(url.port))
    closing.add(() => line.close())
    const endpoint = await stack.addEndpoint({ name, url: through(receiver.url, line), events: eventKinds })
    receiver.secret = endpoint.secret
    await stack.assignNumber(number, { endpointId: endpoint.id, forwardCalls: true })
    targets.push({ name, number, endpoint, receiver, line })
  }
  return targets
}

async function ownerOf(stack: Stack, endpointId: string): Promise<number> {
  const rows = await stack.sql<{ id: string; ownerSid: string | null }[]>`select id, owner_sid from endpoints`
  const sid = rows.find(({ id }) => encodeId('endpoint', id as never) === endpointId)?.ownerSid
  const index = stack.gateways.findIndex(({ process }) =>
    process.lines().some(({ event, nodeId }) => event === 'gateway.serving' && nodeId === sid),
  )
  return index >= 0 ? index : fail(`no gateway owns ${endpointId}`)
}

/** Sets all lines of a gateway: it is alone. */
export async function isolate({ lines }: Cluster, gateway: number, state: ProxyState): Promise<void> {
  await Promise.all(Object.values(lines(gateway)).map((line: TcpProxy) => line.become(state)))
}
