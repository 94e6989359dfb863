// Campaigns are built at two gateways at once, and one gateway dies meanwhile.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before } from '../support/harness.ts'
import { type Json, ok } from './clients.ts'
import { campaign } from './hostile-campaigns.ts'
import { eventually, scenario } from './scene.ts'
import { type Stack, startStack } from './stack.ts'

let stack: Stack
before(async () => {
  stack = await startStack({ gateways: 2, workers: 0 })
})
after(() => stack?.stop())
const step = (title: string, work: () => Promise<void>) => scenario(title, () => stack, work)

const rowsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ to: `+1555${String(from + index).padStart(7, '0')}` }))

const make = (): Promise<Json> => ok(stack.api.post('/campaigns', campaign), 201)

/**
 * Returns the counts of the campaign after comparing them with its recipients. Postgres may begin what a dead gateway
 * asked for only between the two reads: then they agree the next time.
 */
async function countsOf(id: string): Promise<Json> {
  let counts: Json
  await eventually('the counts are those of the recipients', async () => {
    counts = (await ok(stack.api.get(`/campaigns/${id}`))).counts
    const csv = await fetch(`${running().origin}/api/v1/campaigns/${id}/recipients`, {
      headers: { 'x-api-key': stack.key, accept: 'text/csv' },
    })
    return (await csv.text()).split('\r\n').length - 2 === counts.total
  })
  return counts
}

/** Whether no insert of recipients is active: Postgres finishes a statement after its client has died. */
async function isQuiet(): Promise<boolean> {
  const busy = await stack.sql`
    select from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%insert into recipients%'
      and pid <> pg_backend_pid()`
  return busy.length === 0
}

const running = () => {
  const found = stack.gateways.find(({ process }) => process.isRunning)
  assert.ok(found)
  return found
}

step('rows that arrive at both gateways at once are added once', async () => {
  const { id } = await make()
  const path = `/campaigns/${id}/recipients`
  const rows = rowsOf(0, 6_000)
  const answers = await Promise.all(
    [0, 1_000, 2_000, 3_000].map((from, index) =>
      ok(stack.gateway(index % 2).api.post(path, { recipients: rows.slice(from, from + 3_000) })),
    ),
  )
  const sum = (name: string) => answers.reduce((total, answer) => total + answer[name], 0)
  assert.deepEqual([sum('added'), sum('duplicates')], [6_000, 6_000])
  assert.equal((await countsOf(id)).pending, 6_000)
})

step(
  'a gateway that dies while it adds has added all of a call or nothing, and a repeat completes it',
  async () => {
    const { id } = await make()
    const path = `/campaigns/${id}/recipients`
    for (let round = 0; round < 3; round += 1) {
      const recipients = rowsOf(round * 10_000, 10_000)
      const { api, process } = stack.gateway(0)
      const call = api.post(path, { recipients }).catch(() => undefined)
      // Kills at a random instant between the first byte of the request and its answer.
      await sleep(randomInt(20, 400))
      await process.kill()
      await call
      await eventually('what the dead gateway had asked for is over', isQuiet)
      const { total } = await countsOf(id)
      assert.ok([round * 10_000, (round + 1) * 10_000].includes(total), String(total))
      const { added, duplicates } = await ok(stack.gateway(1).api.post(path, { recipients }))
      assert.deepEqual([added, duplicates].sort(), [0, 10_000])
      assert.equal((await countsOf(id)).total, (round + 1) * 10_000)
      await stack.restartGateway(0)
    }
  },
)

const csvHeaders = () => ({ 'x-api-key': stack.key, 'content-type': 'text/csv' })

step(
  'an upload that is slow and then breaks off stays as far as it came, and a repeat completes it',
  async () => {
    const { id } = await make()
    const lines = rowsOf(0, 20_000).map(({ to }) => `${to}\n`)
    const stop = new AbortController()
    async function* slowly() {
      yield Buffer.from('to\n')
      for (let at = 0; at < 9_000; at += 1_000) {
        yield Buffer.from(lines.slice(at, at + 1_000).join(''))
        await sleep(20)
      }
      // Never ends by itself: the test aborts the upload.
      await new Promise(() => undefined)
    }
    const url = (index: number) => `${stack.gateway(index).origin}/api/v1/campaigns/${id}/recipients`
    const upload = fetch(url(0), {
      ...{ method: 'POST', headers: csvHeaders(), body: slowly(), duplex: 'half', signal: stop.signal },
    } as unknown as RequestInit)
    const ended = upload.catch(() => undefined)
    await eventually(
      'four batches are in',
      async () => (await ok(stack.api.get(`/campaigns/${id}`))).counts.total === 8_000,
    )
    stop.abort()
    await ended
    const body = `to\n${lines.join('')}`
    const answer = await fetch(url(1), { method: 'POST', headers: csvHeaders(), body })
    const { added, duplicates } = (await answer.json()) as Json
    // The unfinished batch of the aborted upload was not added.
    assert.deepEqual([answer.status, added, duplicates], [200, 12_000, 8_000])
    assert.equal((await countsOf(id)).pending, 20_000)
  },
)

step('a report waits for a slow reader, who gets all of it', async () => {
  const { id } = await make()
  const body = `to\n${rowsOf(0, 60_000)
    .map(({ to }) => `${to}\n`)
    .join('')}`
  const url = `${running().origin}/api/v1/campaigns/${id}/recipients`
  assert.equal((await fetch(url, { method: 'POST', headers: csvHeaders(), body })).status, 200)
  const report = await fetch(url, { headers: { 'x-api-key': stack.key, accept: 'application/x-ndjson' } })
  let lines = 0
  let pieces = 0
  for await (const piece of report.body ?? []) {
    for (const byte of Buffer.from(piece)) if (byte === 0x0a) lines += 1
    pieces += 1
    if (pieces % 20 === 0) await sleep(50)
  }
  assert.equal(lines, 60_000)
})
