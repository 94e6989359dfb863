// npm run bench:lists: measures one page of every list of a big workspace through the gateway, compared with
// reading as many rows by their index.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Pool as Connections } from 'undici'
import { makeKey } from '../src/accounts/key-format.ts'
import { freePort } from '../src/dev/embedded/ports.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { connectPool, type Pool } from '../src/platform/postgres/sql.ts'
import { build } from './harness/build.ts'
import { type Closing, say, withClosing } from './harness/closing.ts'
import { type Histogram, histogramOf } from './harness/histogram.ts'
import { keepResult, plainRound } from './harness/plain-round.ts'
import type { Round, Row } from './harness/result.ts'
import { freshDatabases } from './harness/seed.ts'
import { environment, openServers } from './harness/servers.ts'
import { middle, planSpread, ratio, readPlan } from './harness/table.ts'
import { launch, ready } from './harness/world.ts'
import {
  busyCustomer,
  type ListCase,
  listCases,
  pageSize,
  type SearchCase,
  searchCases,
} from './lists/list-cases.ts'
import { plansOf, scannedWhole, sortsToLimit } from './lists/plans.ts'
import { type BigWorkspace, seedLists } from './lists/seed-lists.ts'

const usage = `npm run bench:lists -- [options]
  --messages 1000000      of one workspace, with a tenth as many conversations and calls
  --runs 5                of every list
  --requests 200          in each run, one after the other`

const warmUp = 30
const bigTables = ['messages', 'conversations', 'calls']

async function main(): Promise<void> {
  const options = readOptions()
  await withClosing((closing) => run(options, closing))
}

function readOptions() {
  const options = {
    messages: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '5' },
    requests: { type: 'string', default: '200' },
  } as const
  const { values } = parseArgs({ options })
  const numbers = Object.entries(values).map(([name, text]) => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < 1 || value > 10_000_000)
      throw new Error(`--${name} ${text}\n${usage}`)
    return [name, value] as const
  })
  return Object.fromEntries(numbers) as Record<keyof typeof options, number>
}

async function run(
  { messages, runs, requests }: ReturnType<typeof readOptions>,
  closing: Closing,
): Promise<void> {
  const servers = await openServers({ say }, closing)
  const databaseUrl = servers.databaseUrl('bench_lists')
  await freshDatabases(servers.adminUrl, ['bench_lists'])
  const sql = connectPool({ url: databaseUrl, max: 1, name: 'bench-lists', statementTimeoutMs: 900_000 })
  closing.push(() => sql.end())
  await migrate(sql)
  const sizes = { messages, conversations: Math.ceil(messages / 10), calls: Math.ceil(messages / 10) }
  say(`seeding ${sizes.messages} messages, ${sizes.conversations} conversations, ${sizes.calls} calls...`)
  const workspace = await seedLists(sql, sizes)
  const key = await insertKey(sql, workspace)
  const busy = await busyCustomer(sql)
  const cases = listCases(workspace, busy)
  await checkPlans(databaseUrl, cases)

  await measureSearch(sql, searchCases(workspace, busy), { runs, requests })
  const [gatewayPort, simulatorPort] = [await freePort(), await freePort()]
  const env = environment({
    ...servers,
    databaseUrl,
    gatewayPort,
    simulatorPort,
    secretsKey: randomBytes(32),
  })
  const url = `http://127.0.0.1:${gatewayPort}`
  await build()
  await ready(launch('gateway', 'dist/src/main.js', env, closing), `${url}/readyz`)
  const connections = new Connections(url, { connections: 1 })
  closing.push(() => connections.close())

  const startedAt = new Date()
  const floor = () => sql`
    select * from messages where workspace_id = ${workspace.workspaceId} order by id desc limit ${pageSize + 1}`
  const get = (path: string) => async () => {
    const { statusCode, body } = await connections.request({
      path: `/api/v1${path}`,
      method: 'GET',
      headers: { authorization: `Bearer ${key}` },
    })
    await body.arrayBuffer()
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`)
  }
  say(`\n${'list'.padEnd(44)}   p50 ms   p99 ms  x floor`)
  const rows: Row[] = []
  for (const { name, path } of cases) {
    const [ours, least]: [Round[], Round[]] = [[], []]
    for (let round = 1; round <= runs; round += 1) {
      ours.push(plainRound(round, await timed(get(path), requests)))
      least.push(plainRound(round, await timed(floor, requests)))
    }
    const load = { kind: 'closed', connections: 1 } as const
    rows.push({ scenario: name, variant: 'gateway', load, rounds: ours })
    rows.push({ scenario: name, variant: 'floor', load, rounds: least })
    const figures = [middle(ours, readPlan('p50')), planSpread(ours).p99]
    const cells = [...figures, ratio(ours, least, readPlan('p50'))]
    say(`${name.padEnd(44)}${cells.map(cell).join('')}`)
  }
  const options = { messages, runs, requests }
  say(`\nwritten to ${await keepResult('lists', servers, { startedAt, options, rows })}`)
}

const cell = (value: number | null): string =>
  (value === null || Number.isNaN(value) ? '-' : value.toFixed(2)).padStart(9)

/** In the database alone: what somebody waits for while typing. */
async function measureSearch(sql: Pool, cases: readonly SearchCase[], { runs, requests }: Amount) {
  say(`\n${'search'.padEnd(44)}   p50 ms   p99 ms`)
  for (const { name, search } of cases) {
    const rounds: Round[] = []
    for (let round = 1; round <= runs; round += 1)
      rounds.push(plainRound(round, await timed(() => search(sql), requests)))
    say(`${name.padEnd(44)}${[middle(rounds, readPlan('p50')), planSpread(rounds).p99].map(cell).join('')}`)
  }
}

interface Amount {
  readonly runs: number
  readonly requests: number
}

async function insertKey(sql: Pool, { workspaceId, keyId }: BigWorkspace): Promise<string> {
  const { key, prefix, secretHash } = makeKey('test')
  await sql`
    insert into api_keys (id, workspace_id, name, prefix, secret_hash, scopes, requests_per_second)
    values (${keyId}, ${workspaceId}, 'bench', ${prefix}, ${secretHash}, ${['MESSAGES_READ', 'CONVERSATIONS_READ', 'CALLS_READ']}, 0)`
  return key
}

/** Throws when a list scans a whole big table, or sorts all matching rows to find one page. */
async function checkPlans(url: string, cases: readonly ListCase[]): Promise<void> {
  for (const { name, read } of cases) {
    const plans = await plansOf(url, async (sql) => {
      const { next } = await read(sql)
      if (next) await read(sql, next)
    })
    const scanned = plans.flatMap((plan) => scannedWhole(plan, bigTables))
    if (scanned.length > 0) throw new Error(`${name} reads ${scanned[0]} whole`)
    if (plans.some((plan) => sortsToLimit(plan))) throw new Error(`${name} sorts all that fit`)
  }
  say(`${cases.length} lists, none of which reads a table whole or sorts more than a page`)
}

async function timed(work: () => PromiseLike<unknown>, count: number): Promise<Histogram> {
  for (let index = 0; index < warmUp; index += 1) await work()
  const nanoseconds: number[] = []
  for (let index = 0; index < count; index += 1) {
    const start = process.hrtime.bigint()
    await work()
    nanoseconds.push(Number(process.hrtime.bigint() - start))
  }
  return histogramOf(nanoseconds.map((ns) => ns / 1e3))
}

main().catch((error: unknown) => {
  say(`the bench failed: ${String(error)}`)
  process.exitCode = 1
})
