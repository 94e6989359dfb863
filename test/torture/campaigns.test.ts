// Runs a campaign while workers and gateways are killed one after the other: no recipient is sent to twice,
// none is lost, and the counts match the rows. At full size (`TORTURE=full npm test
// test/torture/campaigns.test.ts`): fifty thousand recipients and twenty kills.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Json, ok } from '../e2e/clients.ts'
import { campaign } from '../e2e/hostile-campaigns.ts'
import { eventually } from '../e2e/scene.ts'
import { type Stack, startStack } from '../e2e/stack.ts'
import { type TestContext, test } from '../support/harness.ts'

const isFull = process.env['TORTURE'] === 'full'
const RECIPIENTS = isFull ? 50_000 : 4_000
const AT_ONCE = 2_000
const KILLS = isFull ? 20 : 4
/** The random pause between two kills: long enough for the killed process to be back. */
const CALM_MS: readonly [number, number] = isFull ? [500, 3_500] : [200, 1_200]
/** Allows for a machine that is busy with restarting processes. */
const LONGEST_MS = isFull ? 1_200_000 : 240_000

/** The fastest kind of number, because the test would otherwise wait for the rate. */
const numbers = JSON.stringify([
  {
    phoneNumberId: '106540352242922',
    displayPhoneNumber: '15550001111',
    verifiedName: 'North Dock',
    throughput: 'HIGH',
  },
  { phoneNumberId: '106540352242923', displayPhoneNumber: '15550002222', verifiedName: 'North Dock Support' },
])

/** One in three reports nothing after it was accepted, so that its outcome cannot come from a status. */
const numberOf = (index: number): string =>
  `+1556${String(index).padStart(5, '0')}${index % 3 === 0 ? '0007' : '1000'}`

async function makeCampaign(stack: Stack): Promise<string> {
  const { id } = await ok(stack.api.post('/campaigns', campaign), 201)
  for (let from = 0; from < RECIPIENTS; from += AT_ONCE) {
    const recipients = Array.from({ length: AT_ONCE }, (_, index) => ({ to: numberOf(from + index) }))
    assert.equal((await ok(stack.api.post(`/campaigns/${id}/recipients`, { recipients }))).added, AT_ONCE)
  }
  return id
}

/** Counts the provider's requests to each number, read as they happen: the provider's journal is bounded. */
class Asked {
  readonly counts = new Map<string, number>()
  #since = 0

  async read(stack: Stack): Promise<void> {
    for (;;) {
      const { data, next } = (await stack.sim.get(`/requests?since=${this.#since}&limit=10000`)).body
      assert.ok(data.length === next - this.#since, 'the journal was read too late')
      for (const { body } of data) {
        if (body?.type !== 'template') continue
        const to = body.to.replace('+', '')
        this.counts.set(to, (this.counts.get(to) ?? 0) + 1)
      }
      this.#since = next
      if (data.length < 10_000) return
    }
  }
}

/** How many a worker sends to at once: so many claims at most are open when it dies, and become UNKNOWN. */
const SLOTS = 240

/** Resolves to how many outcomes it may have made unknown. */
type Harm = (stack: Stack) => Promise<number>

const killWorker =
  (index: number): Harm =>
  async (stack) => {
    await stack.workers[index]?.kill()
    await stack.restartWorker(index)
    return SLOTS
  }
const killGateway =
  (index: number): Harm =>
  async (stack) => {
    await stack.gateway(index).process.kill()
    await stack.restartGateway(index)
    return 0
  }
const harms = [killWorker(0), killGateway(0), killWorker(1), killWorker(0), killGateway(1), killWorker(1)]

interface Harmed {
  readonly kills: number
  readonly unknownAtMost: number
}

async function killUntil(stack: Stack, over: AbortSignal): Promise<Harmed> {
  let unknownAtMost = 0
  for (let kills = 0; kills < KILLS; kills += 1) {
    await sleep(randomInt(...CALM_MS))
    if (over.aborted) return { kills, unknownAtMost }
    unknownAtMost += await (harms[kills % harms.length] as Harm)(stack)
  }
  return { kills: KILLS, unknownAtMost }
}

/** Waits until every outcome is known or UNKNOWN. A dead worker's claims are settled after their lease. */
async function watch(stack: Stack, asked: Asked): Promise<void> {
  const deadline = performance.now() + LONGEST_MS
  for (;;) {
    await asked.read(stack)
    const [row] = await stack.sql<[{ status: string; waiting: number }]>`
      select status, (
        select count(*)::int
        from recipients
        where status in ('PENDING', 'SENT') or claimed_until is not null
          or status = 'QUEUED' and wa_id not like '%0007') as waiting
      from campaigns`
    if (row.status === 'COMPLETED' && row.waiting === 0) return
    assert.ok(performance.now() < deadline, `${row.waiting} still wait in a campaign that is ${row.status}`)
    await sleep(1_000)
  }
}

/** Compares the counts of the API with the rows. */
async function assertCounts(stack: Stack, id: string, counts: Json): Promise<void> {
  const rows = await stack.sql<{ name: string; count: number }[]>`
    select lower(status) as name, count(*)::int as count from recipients group by status`
  const { total, replied: _, ...byStatus } = counts
  const nonzero = Object.fromEntries(Object.entries(byStatus).filter(([, count]) => count !== 0))
  assert.deepEqual(nonzero, Object.fromEntries(rows.map(({ name, count }) => [name, count])), id)
  assert.equal(total, RECIPIENTS)
}

test('nobody is asked for twice and nobody is lost, whoever is killed', async (t: TestContext) => {
  const stack = await startStack({ gateways: 2, workers: 2, env: { SIM_NUMBERS: numbers } })
  try {
    await eventually('the rate of the number is known', async () => {
      const [row] = await stack.sql`select messages_per_second from numbers where messages_per_second = 1000`
      return row !== undefined
    })
    const id = await makeCampaign(stack)
    const asked = new Asked()
    const startedAt = performance.now()
    await ok(stack.api.post(`/campaigns/${id}/start`))
    const over = new AbortController()
    const [{ kills, unknownAtMost }] = await Promise.all([
      killUntil(stack, over.signal),
      watch(stack, asked).finally(() => over.abort()),
    ])
    t.diagnostic(`${Math.round((performance.now() - startedAt) / 1000)} s, ${kills} kills`)
    const counts = await assertAllThere(stack, id, asked)
    t.diagnostic(JSON.stringify(counts))
    assert.equal(counts.pending + counts.failed + counts.skipped, 0)
    assert.ok(counts.unknown <= unknownAtMost, `${counts.unknown} are unknown, ${unknownAtMost} at most`)
  } catch (error) {
    for (const line of stack.logs().split('\n')) t.diagnostic(line)
    throw error
  } finally {
    await stack.stop()
  }
})

/** Returns the counts of the campaign. */
async function assertAllThere(stack: Stack, id: string, asked: Asked): Promise<Json> {
  await asked.read(stack)
  const twice = [...asked.counts].filter(([, count]) => count > 1)
  assert.deepEqual(twice, [])
  const { counts } = await ok(stack.api.get(`/campaigns/${id}`))
  await assertCounts(stack, id, counts)
  const rows = await stack.sql<{ waId: string; status: string }[]>`select wa_id, status from recipients`
  // A recipient that was not sent to must be UNKNOWN: its worker died between the record and the send.
  const lost = rows.filter(({ waId, status }) => !asked.counts.has(waId) && status !== 'UNKNOWN')
  assert.deepEqual(lost, [])
  return counts
}
