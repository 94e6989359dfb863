// npm run bench:recipients: uploads the recipients of a campaign to a real gateway in one stream, and
// measures small requests at the same time.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool as Connections } from 'undici'
import { makeKey } from '../src/accounts/key-format.ts'
import { freePort } from '../src/dev/embedded/ports.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { connectPool, type Pool } from '../src/platform/postgres/sql.ts'
import { newId, type WorkspaceId } from '../src/shared/ids.ts'
import { build } from './harness/build.ts'
import { type Closing, say, withClosing } from './harness/closing.ts'
import { median } from './harness/figures.ts'
import { histogramOf, spreadOf } from './harness/histogram.ts'
import { figuresRound, keepResult } from './harness/plain-round.ts'
import type { Row } from './harness/result.ts'
import { freshDatabases } from './harness/seed.ts'
import { environment, openServers, type Servers } from './harness/servers.ts'
import { launch, ready } from './harness/world.ts'

const usage = `npm run bench:recipients -- [options]
  --rows 100000    of each upload
  --rounds 5       of each form, in turn`

const scopes = ['CAMPAIGNS_WRITE', 'CAMPAIGNS_READ', 'MESSAGES_READ']
const probeEveryMs = 5
const template = { name: 'offer', language: 'en_US' }

interface World {
  readonly url: string
  readonly pid: number
  readonly key: string
}

interface Form {
  readonly name: string
  readonly type: string
  readonly accept: string
  line(to: string, index: number): string
  readonly header?: string
}

const jsonLine = (to: string, index: number) =>
  `${JSON.stringify({ to, variables: { first_name: `Ines ${index}`, order_number: `A-${index}` } })}\n`

const forms: readonly Form[] = [
  {
    name: 'NDJSON',
    type: 'application/x-ndjson',
    accept: 'application/json',
    line: jsonLine,
  },
  {
    name: 'CSV',
    type: 'text/csv',
    accept: 'application/json',
    header: 'to,first_name,order_number\n',
    line: (to, index) => `${to},Ines ${index},A-${index}\n`,
  },
  {
    name: 'NDJSON, a verdict a row',
    type: 'application/x-ndjson',
    accept: 'application/x-ndjson',
    line: jsonLine,
  },
]

async function main(): Promise<void> {
  const options = readOptions()
  await withClosing((closing) => run(options, closing))
}

function readOptions() {
  const options = {
    rows: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
  } as const
  const { values } = parseArgs({ options })
  const [rows, rounds] = [Number(values.rows), Number(values.rounds)]
  if (![rows, rounds].every((value) => Number.isInteger(value) && value > 0 && value <= 1_000_000))
    throw new Error(usage)
  return { rows, rounds }
}

async function run({ rows, rounds }: { rows: number; rounds: number }, closing: Closing): Promise<void> {
  const startedAt = new Date()
  const servers = await openServers({ say }, closing)
  const world = await openWorld(servers, closing)
  await upload(world, forms[0] as Form, 10_000)
  const idle = await Promise.all([
    probe(world, '/healthz', sleep(3_000)),
    probe(world, listPath, sleep(3_000)),
  ])
  say(`\nnothing else: /healthz p95 ${ms(idle[0])}, ${listPath} p95 ${ms(idle[1])}`)
  say(`\n${'upload'.padEnd(26)}${heads.map((head) => head.padStart(14)).join('')}`)
  const measured = new Map<string, number[][]>(forms.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1)
    for (const form of forms) measured.get(form.name)?.push(await measure(world, form, rows))
  for (const [name, figures] of measured) {
    const medians = heads.map((_, column) => median(figures.map((row) => row[column] ?? 0)))
    say(`${name.padEnd(26)}${medians.map((value) => value.toFixed(1).padStart(14)).join('')}`)
  }
  const kept = [...measured].map(([name, figures]) => rowOf(`upload, ${name}`, rows, figures))
  say(
    `\nwritten to ${await keepResult('recipients', servers, { startedAt, options: { rows, rounds }, rows: kept })}`,
  )
}

const rowOf = (scenario: string, units: number, figures: readonly number[][]): Row => ({
  ...{ scenario, variant: 'gateway', load: { kind: 'batch', units } },
  rounds: figures.map(([perSecond = 0, , memory = 0, healthz = 0, list = 0], index) =>
    figuresRound(index + 1, units, {
      perSecond,
      figures: { 'memory MiB': memory, '/healthz p95 ms': healthz, 'list of messages p95 ms': list },
    }),
  ),
})

const heads = ['rows/s', 'seconds', 'RSS + MiB', 'healthz p95', 'list p95']
const listPath = '/api/v1/messages/chat?limit=10'
const ms = (value: number) => `${value.toFixed(1)} ms`

async function measure(world: World, form: Form, rows: number): Promise<number[]> {
  const file = fileOf(form, rows)
  const before = residentBytes(world.pid)
  let peak = before
  const started = process.hrtime.bigint()
  const uploading = upload(world, form, rows, file)
  const [healthz, list] = await Promise.all([
    probe(world, '/healthz', uploading, () => {
      peak = Math.max(peak, residentBytes(world.pid))
    }),
    probe(world, listPath, uploading),
  ])
  const seconds = (await uploading) - Number(started) / 1e9
  return [rows / seconds, seconds, (peak - before) / 1_048_576, healthz, list]
}

/** Returns the end time in seconds of the monotonic clock. Throws when a row was not added. */
async function upload(
  { url, key }: World,
  form: Form,
  rows: number,
  file = fileOf(form, rows),
): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const made = await fetch(`${url}/api/v1/campaigns`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: form.name, template }),
  })
  const { id } = (await made.json()) as { id: string }
  const answer = await fetch(`${url}/api/v1/campaigns/${id}/recipients`, {
    method: 'POST',
    headers: { ...headers, 'content-type': form.type, accept: form.accept },
    body: file,
  })
  let last = ''
  for await (const piece of answer.body ?? []) last = (last + Buffer.from(piece).toString()).slice(-400)
  const over = Number(process.hrtime.bigint()) / 1e9
  if (!last.includes(`"added":${rows}`)) throw new Error(`${form.name}: ${answer.status} ${last}`)
  return over
}

/** The phone numbers are not sorted, so that the index does not grow at one end only. */
function fileOf(form: Form, rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, index) =>
    form.line(`+1555${String((index * 7_919) % 9_999_991).padStart(7, '0')}`, index),
  )
  return Buffer.from((form.header ?? '') + lines.join(''))
}

/**
 * Sends small requests at planned times, over one connection, until `end` settles. Returns their p95 in milliseconds,
 * from the planned times: an upload is over too soon for the thousand that a p99 needs.
 */
async function probe(world: World, path: string, end: Promise<unknown>, look?: () => void) {
  const connections = new Connections(world.url, { connections: 1 })
  let isOver = false
  const finish = () => {
    isOver = true
  }
  end.then(finish, finish)
  const taken: number[] = []
  const started = performance.now()
  for (let plannedMs = started; !isOver; plannedMs += probeEveryMs) {
    await sleep(Math.max(0, plannedMs - performance.now()))
    const headers = { authorization: `Bearer ${world.key}` }
    const { statusCode, body } = await connections.request({ path, method: 'GET', headers })
    await body.arrayBuffer()
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`)
    taken.push(performance.now() - plannedMs)
    look?.()
  }
  await connections.close()
  return spreadOf(histogramOf(taken.map((tookMs) => tookMs * 1e3))).p95
}

const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024

async function openWorld(servers: Servers, closing: Closing): Promise<World> {
  const databaseUrl = servers.databaseUrl('bench_recipients')
  await freshDatabases(servers.adminUrl, ['bench_recipients'])
  const sql = connectPool({ url: databaseUrl, max: 1, name: 'bench-recipients' })
  closing.push(() => sql.end())
  await migrate(sql)
  const key = await seed(sql)
  const [gatewayPort, simulatorPort] = [await freePort(), await freePort()]
  const secretsKey = randomBytes(32)
  const env = environment({ ...servers, databaseUrl, gatewayPort, simulatorPort, secretsKey })
  const url = `http://127.0.0.1:${gatewayPort}`
  await build()
  const gateway = launch('gateway', 'dist/src/main.js', env, closing)
  await ready(gateway, `${url}/readyz`)
  return { url, pid: gateway.process.pid ?? 0, key }
}

async function seed(sql: Pool): Promise<string> {
  const workspaceId: WorkspaceId = newId('workspace')
  const { key, prefix, secretHash } = makeKey('test')
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'bench')`
  await sql`
    insert into numbers (id, workspace_id, phone_number_id, number, is_default)
    values (${newId('number')}, ${workspaceId}, '1', '+15550001111', true)`
  await sql`
    insert into templates (id, workspace_id, name, language, category, status, parameter_format, components)
    values (${newId('template')}, ${workspaceId}, ${template.name}, ${template.language}, 'MARKETING', 'APPROVED', 'NAMED',
      ${sql.json([{ type: 'BODY', text: 'Hi {{first_name}}, {{order_number}} is ready' }])})`
  await sql`
    insert into api_keys (id, workspace_id, name, prefix, secret_hash, scopes, requests_per_second)
    values (${newId('key')}, ${workspaceId}, 'bench', ${prefix}, ${secretHash}, ${scopes}, 0)`
  return key
}

main().catch((error: unknown) => {
  say(`the bench failed: ${String(error)} ${String((error as Error).cause)}`)
  process.exitCode = 1
})
