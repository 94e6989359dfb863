// npm run bench:isolation: measures how dead endpoints affect healthy ones, against the same load without
// dead ones.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../src/dev/embedded/ports.ts'
import { provider } from '../src/dev/provider.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { connectPool, type Pool } from '../src/platform/postgres/sql.ts'
import { type Closing, say, withClosing } from './harness/closing.ts'
import { median, type Spread, spreadOf } from './harness/figures.ts'
import type { GeneratorProtocol } from './harness/generator.ts'
import type { Part } from './harness/part.ts'
import type { ReceiverProtocol } from './harness/receiver.ts'
import { freshDatabases } from './harness/seed.ts'
import { environment, launch, openServers, part, ready } from './harness/world.ts'
import type { DeadPorts, DeadProtocol } from './isolation/dead.ts'
import { pointAt, type SeededEndpoint, seedCustomers, seedEndpoints } from './isolation/seed.ts'

const usage = `npm run bench:isolation -- [options]
  --seconds 15    measured in each run
  --runs 3        of each case, with and without dead endpoints in turn`

const many = 200
/** Events per second to the single endpoint. Each of the many endpoints gets one event per second. */
const apart = 50
const goal = 2
const warmSeconds = 3
const warmUpSeconds = 10
/** Longer than the timeout of an attempt: hanging attempts are over when the next run begins. */
const settleMs = 11_000
/** The gateway checks for new endpoint configurations every second. */
const noticeMs = 2_500

interface Case {
  readonly title: string
  /** Which endpoints are dead: the single one, or the many. */
  readonly dead: 'one' | 'many'
}

const cases: readonly Case[] = [
  { title: `one dead among ${many}`, dead: 'one' },
  { title: `${many} dead around one`, dead: 'many' },
]

interface World {
  readonly sql: Pool
  readonly gatewayUrl: string
  readonly generator: Part<GeneratorProtocol>
  readonly receiver: Part<ReceiverProtocol>
  readonly receiverPort: number
  readonly dead: DeadPorts
  readonly one: SeededEndpoint
  readonly many: readonly SeededEndpoint[]
}

async function main(): Promise<void> {
  const { seconds, runs } = readOptions()
  await withClosing(async (closing) => {
    const world = await openWorld(closing)
    // Warm-up: every endpoint gets its owner, every connection is opened, the code is compiled.
    await prepare(world, noOne)
    await measure(world, { bystanders: noOne, isDead: false, seconds: warmUpSeconds })
    const lines = [
      `\n${'healthy endpoints, ms'.padEnd(26)}${row(['p50', 'alone', 'x', 'p99', 'alone', 'x'])}`,
    ]
    for (const one of cases) lines.push(lineOf(one.title, await compare(world, one, { seconds, runs })))
    say(lines.join('\n'))
  })
}

function readOptions(): { seconds: number; runs: number } {
  const options = {
    seconds: { type: 'string', default: '15' },
    runs: { type: 'string', default: '3' },
  } as const
  const { values } = parseArgs({ options })
  const [seconds, runs] = [Number(values.seconds), Number(values.runs)]
  for (const value of [seconds, runs])
    if (!Number.isInteger(value) || value < 1 || value > 60) throw new Error(usage)
  return { seconds, runs }
}

async function openWorld(closing: Closing): Promise<World> {
  say('starting...')
  const servers = await openServers({ say }, closing)
  const databaseUrl = servers.databaseUrl('bench_isolation')
  await freshDatabases(servers.adminUrl, ['bench_isolation'])
  const sql = connectPool({ url: databaseUrl, max: 1, name: 'bench-isolation', statementTimeoutMs: 60_000 })
  closing.push(() => sql.end())
  await migrate(sql)
  const secretsKey = randomBytes(32)
  const [one, ...rest] = await seedEndpoints(sql, many + 1, secretsKey)
  if (!one) throw new Error('unreachable')
  await seedCustomers(sql, turnOf(one, rest))
  await sql`analyze`
  const receiver = await part<ReceiverProtocol>('harness/receiver.ts', closing)
  const dead = await (await part<DeadProtocol>('isolation/dead.ts', closing)).ask('listen', null)
  const receiverPort = await receiver.ask('listen', null)
  const [gatewayPort, simulatorPort] = [await freePort(), await freePort()]
  const env = environment({ ...servers, databaseUrl, gatewayPort, simulatorPort, secretsKey })
  await ready(launch('gateway', 'src/main.ts', env, closing), `http://127.0.0.1:${gatewayPort}/readyz`)
  launch('worker', 'workers/main.ts', env, closing)
  const generator = await part<GeneratorProtocol>('harness/generator.ts', closing)
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}/provider/webhooks`
  return { sql, gatewayUrl, generator, receiver, receiverPort, dead, one, many: rest }
}

/** The order in which the numbers get events: each of the many once, with the single one in between. */
const turnOf = (one: SeededEndpoint, rest: readonly SeededEndpoint[]): SeededEndpoint[] =>
  rest.flatMap((number, index) => (index % (many / apart) === 0 ? [one, number] : [number]))

interface Compared {
  readonly alone: readonly Spread[]
  readonly beside: readonly Spread[]
}

const noOne: ReadonlySet<SeededEndpoint> = new Set()
const order = ['alone', 'beside'] as const

async function compare(
  world: World,
  { title, dead }: Case,
  { seconds, runs }: { seconds: number; runs: number },
): Promise<Compared> {
  const spreads = { alone: [] as Spread[], beside: [] as Spread[] }
  const victims = new Set(dead === 'one' ? [world.one] : world.many)
  // Reverse the order every other round, so that the after-effects of a run do not always hit the same case.
  const turns = Array.from({ length: runs }, (_, round) => (round % 2 === 0 ? order : order.toReversed()))
  for (const name of turns.flat()) {
    const isDead = name === 'beside'
    await prepare(world, isDead ? victims : noOne)
    const spread = await measure(world, { bystanders: victims, isDead, seconds })
    spreads[name].push(spread)
    say(`  ${title}, ${isDead ? 'dead' : 'all well'}: ${told(spread)}`)
  }
  return spreads
}

function lineOf(title: string, { alone, beside }: Compared): string {
  const middle = (spreads: readonly Spread[], name: 'p50' | 'p99') =>
    median(spreads.map((spread) => spread[name]))
  const cells = (['p50', 'p99'] as const).flatMap((name) => {
    const [disturbed, undisturbed] = [middle(beside, name), middle(alone, name)]
    return [disturbed, undisturbed, disturbed / undisturbed]
  })
  const isMet = (cells.at(-1) ?? Number.POSITIVE_INFINITY) < goal
  return `${title.padEnd(26)}${row(cells.map((value) => value.toFixed(2)))}  goal p99 < ${goal} x: ${isMet ? 'met' : 'NOT MET'}`
}

const told = ({ p50, p99, max }: Spread): string =>
  `p50 ${p50.toFixed(2)} p99 ${p99.toFixed(2)} max ${max.toFixed(2)} ms`

const row = (cells: readonly string[]): string => cells.map((text) => text.padStart(8)).join('')

/** Half of the healthy endpoints use HTTP, half a WebSocket. The victims use all kinds of dead receivers. */
async function prepare(world: World, victims: ReadonlySet<SeededEndpoint>): Promise<void> {
  const { receiverPort, dead, sql } = world
  const healthy = [`http://127.0.0.1:${receiverPort}/hook`, `ws://127.0.0.1:${receiverPort}/events`]
  const ways = [
    `http://127.0.0.1:${dead.silent}/hook`,
    `ws://127.0.0.1:${dead.silent}/events`,
    `http://127.0.0.1:${dead.failing}/hook`,
    `http://127.0.0.1:${dead.closed}/hook`,
  ]
  await sleep(settleMs)
  const urls = new Map(
    [world.one, ...world.many].map(({ endpointId }, index) => [endpointId, healthy[index % 2] ?? '']),
  )
  for (const [index, { endpointId }] of [...victims].entries())
    urls.set(endpointId, ways[index % ways.length] ?? '')
  await pointAt(sql, urls)
  await sleep(noticeMs)
}

async function measure(
  world: World,
  {
    bystanders,
    isDead,
    seconds,
  }: { bystanders: ReadonlySet<SeededEndpoint>; isDead: boolean; seconds: number },
): Promise<Spread> {
  const turn = turnOf(world.one, world.many)
  const numbers = turn.map((number) => ({ ...number, isBystander: bystanders.has(number) }))
  const options = {
    rate: many + apart,
    warmSeconds,
    seconds,
    contacts: turn.length,
    numbers,
    wabaId: provider.wabaId,
    appSecret: provider.appSecret,
  }
  await world.generator.ask('plan', { scenario: 'event', options })
  const sent = await world.generator.ask('fire', { url: world.gatewayUrl })
  const refused = sent.filter(({ status }) => status !== 200).length
  if (refused > 0) throw new Error(`${refused} webhooks were refused`)
  const expected = sent.filter(({ role }) => !isDead || role !== 'load').length
  const arrived = await world.receiver.ask('collect', { frames: expected, timeoutMs: 10_000 })
  const firstAt = new Map(arrived.toReversed().map(({ id, atNs }) => [id, atNs]))
  return spreadOf(
    sent.flatMap(({ id, role, sentNs }) => {
      if (role !== 'measured') return []
      const atNs = firstAt.get(id)
      if (atNs === undefined) throw new Error(`${id} never arrived`)
      return [atNs - sentNs]
    }),
  )
}

main().catch((error: unknown) => {
  say(`the bench failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
})
