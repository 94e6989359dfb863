// npm run bench:campaigns: measures how fast one worker sends compared with the maximum rate of the
// simulator, and how much a campaign delays transactional sends from the same number.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool as HttpPool } from 'undici'
import { freePort } from '../src/dev/embedded/ports.ts'
import { provider } from '../src/dev/provider.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { connectPool, type Pool } from '../src/platform/postgres/sql.ts'
import type { CampaignId } from '../src/shared/ids.ts'
import {
  areCompleted,
  type SeededSender,
  seedCampaign,
  seedKey,
  seedSender,
  senderNumbers,
  start,
} from './campaigns/seed.ts'
import { type Closing, say, withClosing } from './harness/closing.ts'
import { median, type Spread, spreadOf } from './harness/figures.ts'
import { freshDatabases } from './harness/seed.ts'
import { build, environment, launch, openServers, ready } from './harness/world.ts'

const usage = `npm run bench:campaigns -- [options]
  --runs 3          of each
  --messages 10000  in each run of a campaign
  --seconds 40      of each run of transactional sends: a p99 wants its 400 sends`

/** Messages per second of a number. Campaigns use at most 80 % of it: 1,000 per second. */
const fastRate = 1_250
const manyNumbers = 10
const standardRate = 80
const transactionalRate = 10
const connections = 240
const path = (phoneNumberId: string) => `/v24.0/${phoneNumberId}/messages`

interface Options {
  readonly runs: number
  readonly messages: number
  readonly seconds: number
}

interface World {
  readonly sql: Pool
  readonly sender: SeededSender
  readonly key: string
  readonly gatewayUrl: string
  readonly simulatorUrl: string
}

/** A send request from the simulator's journal. `atNs` is on the monotonic clock of this machine. */
interface Asked {
  readonly to: string
  readonly phoneNumberId: string
  readonly atNs: number
}

async function main(): Promise<void> {
  const options = readOptions()
  await withClosing(async (closing) => {
    const world = await openWorld(closing)
    await drain(world, { numbers: 1, messages: options.messages / 5 })
    const runs = Array.from({ length: options.runs })
    const figures = { ceiling: [] as number[], one: [] as number[], many: [] as number[] }
    for (const _ of runs) {
      figures.ceiling.push(await ceiling(world, options.messages))
      figures.one.push(await drain(world, { numbers: 1, messages: options.messages }))
      figures.many.push(await drain(world, { numbers: manyNumbers, messages: options.messages }))
    }
    const top = median(figures.ceiling)
    say(`\nmessages a second, median of ${options.runs}`)
    for (const [name, values] of Object.entries(figures)) {
      const value = median(values)
      say(
        `${name.padEnd(10)}${value.toFixed(0).padStart(8)}  ${(value / top).toFixed(2)} x the simulator's ceiling`,
      )
    }
    const beside = { idle: [] as Spread[], campaign: [] as Spread[] }
    for (const _ of runs) {
      beside.idle.push(await transactional(world, options.seconds, 0))
      beside.campaign.push(await transactional(world, options.seconds, standardRate * 2 * options.seconds))
    }
    say('\nPOST /messages/chat to the provider’s request, ms: p50, p99')
    for (const [name, spreads] of Object.entries(beside)) {
      const middle = (at: 'p50' | 'p99') => median(spreads.map((spread) => spread[at])).toFixed(2)
      say(`${name.padEnd(10)}${middle('p50').padStart(8)}${middle('p99').padStart(8)}`)
    }
    const ratio = (at: 'p50' | 'p99') =>
      median(beside.idle.map((idle, run) => (beside.campaign[run]?.[at] ?? Number.NaN) / idle[at])).toFixed(2)
    say(
      `x idle    ${ratio('p50').padStart(8)}${ratio('p99').padStart(8)}  median of the ratios within each run`,
    )
  })
}

function readOptions(): Options {
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const { values } = parseArgs({ options: { runs: text('3'), messages: text('10000'), seconds: text('40') } })
  const options = {
    runs: Number(values.runs),
    messages: Number(values.messages),
    seconds: Number(values.seconds),
  }
  for (const value of Object.values(options))
    if (!Number.isInteger(value) || value < 1) throw new Error(usage)
  return options
}

async function openWorld(closing: Closing): Promise<World> {
  say('starting...')
  await build()
  const servers = await openServers({ say }, closing)
  const databaseUrl = servers.databaseUrl('bench_campaigns')
  await freshDatabases(servers.adminUrl, ['bench_campaigns'])
  const sql = connectPool({ url: databaseUrl, max: 1, name: 'bench-campaigns', statementTimeoutMs: 120_000 })
  closing.push(() => sql.end())
  await migrate(sql)
  const sender = await seedSender(sql, manyNumbers)
  const key = await seedKey(sql, sender)
  const [gatewayPort, simulatorPort] = [await freePort(), await freePort()]
  const base = environment({
    ...servers,
    databaseUrl,
    gatewayPort,
    simulatorPort,
    secretsKey: randomBytes(32),
  })
  const env = { ...base, SIM_NUMBERS: JSON.stringify(senderNumbers(manyNumbers)) }
  const simulatorUrl = `http://127.0.0.1:${simulatorPort}`
  const gatewayUrl = `http://127.0.0.1:${gatewayPort}`
  await ready(launch('simulator', 'src/simulator/main.ts', env, closing), `${simulatorUrl}/sim/health`)
  await ready(launch('gateway', 'dist/src/main.js', env, closing), `${gatewayUrl}/readyz`)
  launch('worker', 'dist/workers/main.js', env, closing)
  return { sql, sender, key, gatewayUrl, simulatorUrl }
}

/** Messages per second that the simulator answers when the client does nothing but send. */
async function ceiling({ simulatorUrl, sender }: World, messages: number): Promise<number> {
  const pool = new HttpPool(simulatorUrl, { connections })
  const body = (index: number) =>
    JSON.stringify({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: `3000${String(index).padStart(6, '0')}0007`,
      type: 'template',
      template: { name: 'hello_world', language: { code: 'en_US' } },
      biz_opaque_callback_data: 'bench',
    })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${provider.accessToken}` }
  let next = 0
  const startedAt = performance.now()
  const work = Array.from({ length: connections }, async () => {
    for (let index = next++; index < messages; index = next++) {
      const phoneNumberId = sender.numbers[index % manyNumbers]?.phoneNumberId ?? ''
      const { statusCode, body: answer } = await pool.request({
        ...{ method: 'POST', path: path(phoneNumberId), headers, body: body(index) },
      })
      await answer.dump()
      if (statusCode !== 200) throw new Error(`the simulator answered ${statusCode}`)
    }
  })
  await Promise.all(work)
  const rate = (messages / (performance.now() - startedAt)) * 1_000
  await pool.close()
  return rate
}

/** Messages per second over the middle 80 % of the requests: excludes start and end of the campaigns. */
async function drain(
  world: World,
  { numbers, messages }: { numbers: number; messages: number },
): Promise<number> {
  const { sql, sender } = world
  await sql`update numbers set messages_per_second = ${fastRate}`
  const since = await mark(world)
  const ids: CampaignId[] = []
  for (let number = 0; number < numbers; number += 1)
    ids.push(await seedCampaign(sql, sender, { number, recipients: Math.ceil(messages / numbers) }))
  await sql`analyze`
  await start(sql, ids)
  while (!(await areCompleted(sql, ids))) await sleep(200)
  const times = (await askedSince(world, since)).map(({ atNs }) => atNs).sort((a, b) => a - b)
  const [from, to] = [Math.floor(times.length * 0.1), Math.floor(times.length * 0.9)]
  const rate = (to - from) / (((times[to] ?? 0) - (times[from] ?? 0)) / 1e9)
  say(
    `  ${numbers} ${numbers === 1 ? 'number' : 'numbers'}: ${times.length} messages, ${rate.toFixed(0)} a second`,
  )
  return rate
}

/**
 * Sends at a steady rate and measures from the request to our API until the request to the provider. With
 * `recipients`, two campaigns from the same number run at the same time.
 */
async function transactional(world: World, seconds: number, recipients: number): Promise<Spread> {
  const { sql, sender } = world
  await sql`update numbers set messages_per_second = ${standardRate}`
  const ids = recipients
    ? [
        await seedCampaign(sql, sender, { number: 0, recipients }),
        await seedCampaign(sql, sender, { number: 0, recipients }),
      ]
    : []
  await start(sql, ids)
  await sleep(4_000)
  const since = await mark(world)
  const sent = await sendSteadily(world, seconds)
  const asked = await askedSince(world, since)
  await sql`update campaigns set status = 'CANCELLED', epoch = epoch + 1 where id = any(${[...ids]}::uuid[])`
  const at = new Map(asked.map(({ to, atNs }) => [to, atNs]))
  const spread = spreadOf(
    [...sent].map(([to, sentNs]) => {
      const atNs = at.get(to)
      if (atNs === undefined) throw new Error('a message never reached the provider')
      return atNs - sentNs
    }),
  )
  const campaign = asked.length - sent.size
  const beside = recipients ? `beside ${(campaign / seconds).toFixed(0)} a second` : 'alone'
  const most = `at most ${mostInASecond(asked)} of ${standardRate} in a second`
  say(`  ${beside}: p50 ${spread.p50.toFixed(2)} p99 ${spread.p99.toFixed(2)} ms, ${most}`)
  return spread
}

/** The largest number of requests in any window of one second. */
function mostInASecond(asked: readonly Asked[]): number {
  const times = asked.map(({ atNs }) => atNs).sort((a, b) => a - b)
  let first = 0
  let most = 0
  times.forEach((end, index) => {
    while (end - (times[first] ?? end) >= 1e9) first += 1
    most = Math.max(most, index - first + 1)
  })
  return most
}

let contacts = 0

async function sendSteadily({ gatewayUrl, key }: World, seconds: number): Promise<Map<string, number>> {
  const pool = new HttpPool(gatewayUrl, { connections: 4 })
  const sent = new Map<string, number>()
  const work: Promise<number>[] = []
  const startedAt = performance.now()
  for (let index = 0; index < seconds * transactionalRate; index += 1) {
    await sleep(Math.max(0, startedAt + (index * 1_000) / transactionalRate - performance.now()))
    contacts += 1
    const to = `2000${String(contacts).padStart(6, '0')}0007`
    sent.set(to, Number(process.hrtime.bigint()))
    work.push(
      pool
        .request({
          method: 'POST',
          path: '/api/v1/messages/chat',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify({ to: `+${to}`, template: { name: 'hello_world', language: 'en_US' } }),
        })
        .then(({ statusCode, body }) => body.dump().then(() => statusCode)),
    )
  }
  for (const status of await Promise.all(work))
    if (status !== 202) throw new Error(`the gateway answered ${status}`)
  await sleep(500)
  await pool.close()
  return sent
}

const mark = async ({ simulatorUrl }: World): Promise<number> => {
  const answer = await fetch(`${simulatorUrl}/sim/requests?since=${Number.MAX_SAFE_INTEGER}&limit=1`)
  return ((await answer.json()) as { next: number }).next
}

async function askedSince({ simulatorUrl }: World, from: number): Promise<Asked[]> {
  const asked: Asked[] = []
  for (let since = from; ; ) {
    const answer = await fetch(`${simulatorUrl}/sim/requests?since=${since}&limit=10000`)
    const { data, next } = (await answer.json()) as {
      data: { path: string; body: { to?: string } | null; atNs: string }[]
      next: number
    }
    for (const { body, path, atNs } of data)
      if (body?.to)
        asked.push({
          to: body.to.replace('+', ''),
          phoneNumberId: path.split('/')[2] ?? '',
          atNs: Number(atNs),
        })
    if (next === since) return asked
    since = next
  }
}

main().catch((error: unknown) => {
  say(`the bench failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
})
