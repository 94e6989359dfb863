// Campaigns from start to end on real components: who is sent to, the outcomes, and what stops a campaign.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeId } from '../../src/shared/ids.ts'
import { after, before } from '../support/harness.ts'
import { type Json, ok } from './clients.ts'
import { campaign } from './hostile-campaigns.ts'
import { eventually, stepsOf } from './scene.ts'
import { type Stack, startStack } from './stack.ts'

let stack: Stack
before(async () => {
  stack = await startStack({ gateways: 2, workers: 2 })
})
after(() => stack?.stop())
const step = stepsOf(() => stack)

let series = 0
/** Numbers that no other step uses. The last four digits decide how the handset behaves. */
function phones(count: number, ending = '1000'): string[] {
  series += 1
  return Array.from(
    { length: count },
    (_, index) => `+15${series + 10}${String(index).padStart(4, '0')}${ending}`,
  )
}

async function campaignTo(recipients: readonly string[], fields: object = {}): Promise<string> {
  const { id } = await ok(stack.api.post('/campaigns', { ...campaign, ...fields }), 201)
  const rows = recipients.map((to) => ({ to }))
  await ok(stack.api.post(`/campaigns/${id}/recipients`, { recipients: rows }))
  return id
}

const read = (id: string): Promise<Json> => ok(stack.api.get(`/campaigns/${id}`))
const ask = (id: string, operation: string): Promise<Json> =>
  ok(stack.api.post(`/campaigns/${id}/${operation}`))

const until = (id: string, what: string, fits: (campaign: Json) => boolean) =>
  eventually(what, async () => fits(await read(id)))

const statusOf = async (id: string, to: string): Promise<string> => {
  const { data } = await ok(stack.api.get(`/campaigns/${id}/recipients?to=${encodeURIComponent(to)}`))
  return data[0].status
}

/** How many times the provider was asked to send to each recipient. */
async function asked(recipients: readonly string[]): Promise<number[]> {
  const counts = new Map(recipients.map((to) => [to, 0]))
  for (let since = 0; ; ) {
    const { data, next } = (await stack.sim.get(`/requests?since=${since}&limit=10000`)).body
    for (const { body } of data) {
      const count = body?.type === 'template' ? counts.get(body.to) : undefined
      if (count !== undefined) counts.set(body.to, count + 1)
    }
    if (next === since) return [...counts.values()]
    since = next
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

async function set(change: (sql: Stack['sql'], uuid: string) => Promise<unknown>, id: string): Promise<void> {
  const uuid = decodeId('campaign', id)
  assert.ok(uuid)
  await change(stack.sql, uuid)
}

step('everybody is asked for once, and the campaign completes', async () => {
  const recipients = phones(300)
  const id = await campaignTo(recipients)
  const started = await ask(id, 'start')
  assert.deepEqual([started.status, started.counts.total], ['RUNNING', 300])
  assert.equal((await ask(id, 'start')).status, 'RUNNING')
  await until(id, 'completed', ({ status }) => status === 'COMPLETED')
  await until(id, 'all delivered', ({ counts }) => counts.delivered === 300)
  assert.deepEqual(
    await asked(recipients),
    recipients.map(() => 1),
  )
  const { data } = await ok(stack.api.get(`/messages/chat?campaignId=${id}&limit=1`))
  assert.deepEqual([data[0].caller.campaignId, data[0].caller.apiKeyId], [id, null])
  const refused = await stack.api.post(`/campaigns/${id}/start`)
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'INVALID_STATE'])
})

step('each recipient ends as its handset behaves, and answers are counted', async () => {
  const [refusedLater] = phones(1, '0003')
  const [throttled] = phones(1, '0005')
  const [silent] = phones(1, '0007')
  const [disordered] = phones(1, '0008')
  const [dropped] = phones(1, '0009')
  const [released] = phones(1, '0010')
  const [stops] = phones(1, '0011')
  const [answers] = phones(1, '0012')
  const expected = new Map([
    [refusedLater, 'FAILED'],
    [throttled, 'DELIVERED'],
    [silent, 'QUEUED'],
    [disordered, 'READ'],
    [dropped, 'FAILED'],
    [released, 'DELIVERED'],
    [stops, 'READ'],
    [answers, 'READ'],
  ] as [string, string][])
  const id = await campaignTo([...expected.keys()])
  await ask(id, 'start')
  await until(id, 'the held ones show', ({ counts }) => counts.held > 0)
  for (const [to, status] of expected)
    await eventually(`${to} is ${status}`, async () => (await statusOf(id, to)) === status)
  await until(id, 'completed', ({ status, counts }) => status === 'COMPLETED' && counts.replied === 2)
  // The next campaign skips a contact who has sent STOP.
  const next = await campaignTo([stops as string, answers as string])
  assert.equal((await read(next)).counts.skipped, 1)
})

step('once a pause has answered nothing more is asked for; a start goes on, a cancel ends it', async () => {
  const recipients = phones(2_000)
  const id = await campaignTo(recipients)
  await ask(id, 'start')
  await until(id, 'under way', ({ counts }) => counts.pending < 1_950)
  const paused = await ask(id, 'pause')
  const before = sum(await asked(recipients))
  assert.equal(paused.status, 'PAUSED')
  assert.equal(typeof paused.inFlight, 'number')
  await sleep(1_500)
  assert.equal(sum(await asked(recipients)), before)
  assert.equal((await ask(id, 'pause')).pauseReason, null)
  await ok(stack.api.patch(`/campaigns/${id}`, { messagesPerSecond: 20 }))
  await ask(id, 'start')
  await until(id, 'under way again', ({ counts }) => counts.total - counts.pending >= before + 10)
  const cancelled = await ask(id, 'cancel')
  const asking = sum(await asked(recipients))
  assert.equal(cancelled.status, 'CANCELLED')
  assert.deepEqual([cancelled.counts.pending, cancelled.counts.cancelled], [0, 2_000 - asking])
  await sleep(500)
  assert.equal(sum(await asked(recipients)), asking)
  assert.equal(Math.max(...(await asked(recipients))), 1)
})

step('a STOP that came before the claim wins', async () => {
  const recipients = phones(200)
  const id = await campaignTo(recipients, { messagesPerSecond: 20 })
  await ask(id, 'start')
  const last = recipients.slice(-20)
  await Promise.all(
    last.map((to) =>
      stack.sim.post(`/handsets/${to.slice(1)}/messages`, {
        to: stack.numbers[0].number,
        type: 'text',
        text: 'stop',
      }),
    ),
  )
  await until(id, 'completed', ({ status }) => status === 'COMPLETED')
  assert.deepEqual((await read(id)).counts.skipped, 20)
  assert.equal(sum(await asked(last)), 0)
})

step('a schedule begins at its time; one missed by an hour asks', async () => {
  const startAt = new Date(Date.now() + 6_000).toISOString()
  const id = await campaignTo(phones(2), { startAt })
  assert.equal((await ask(id, 'start')).status, 'SCHEDULED')
  assert.equal((await ask(id, 'pause')).status, 'DRAFT')
  assert.equal((await ask(id, 'start')).status, 'SCHEDULED')
  await until(id, 'begun', ({ status }) => status === 'RUNNING' || status === 'COMPLETED')
  const record = await read(id)
  assert.ok(Date.parse(record.startedAt) >= Date.parse(startAt))

  const missed = await campaignTo(phones(2), { startAt: new Date(Date.now() + 3_600_000).toISOString() })
  await ask(missed, 'start')
  await set(
    (sql, uuid) => sql`update campaigns set start_at = now() - interval '61 minutes' where id = ${uuid}`,
    missed,
  )
  await until(
    missed,
    'overdue',
    ({ status, pauseReason }) => status === 'PAUSED' && pauseReason === 'OVERDUE',
  )
  await ask(missed, 'start')
  await until(missed, 'completed', ({ status }) => status === 'COMPLETED')
})

step('a block of the provider pauses what it concerns, and loses nobody', async () => {
  const ids = await Promise.all([0, 1].map(() => campaignTo(phones(30), { messagesPerSecond: 10 })))
  await stack.sim.put('/faults', { api: [{ match: 'messages', status: 400, code: 131048 }] })
  for (const id of ids) await ask(id, 'start')
  for (const id of ids)
    await until(
      id,
      'paused by itself',
      ({ status, pauseReason }) => status === 'PAUSED' && pauseReason === 'SPAM_LIMIT',
    )
  await stack.sim.put('/faults', {})
  for (const id of ids) {
    await until(id, 'all wait again', ({ counts }) => counts.pending === 30)
    assert.equal((await ask(id, 'start')).pauseReason, null)
  }
  for (const id of ids)
    await until(id, 'completed', ({ status, counts }) => status === 'COMPLETED' && counts.delivered === 30)
})

step('a template that is paused meanwhile pauses its campaign', async () => {
  const id = await campaignTo(phones(200), { messagesPerSecond: 10 })
  await ask(id, 'start')
  const change = (status: string) =>
    stack.sql`update templates set status = ${status} where name = 'hello_world'`
  await change('PAUSED')
  await until(id, 'paused', ({ pauseReason }) => pauseReason === 'TEMPLATE_PAUSED')
  const refused = await stack.api.post(`/campaigns/${id}/start`)
  assert.deepEqual([refused.status, refused.body.error.code], [422, 'TEMPLATE_NOT_APPROVED'])
  await change('APPROVED')
  await ask(id, 'cancel')
})

step('an answer that got lost is UNKNOWN, and the statuses of the provider settle it', async () => {
  const recipients = phones(20)
  const id = await campaignTo(recipients)
  const to = (recipients[3] as string).slice(1)
  await stack.sim.put('/faults', { api: [{ match: 'messages', to, dropConnection: 'after' }] })
  await ask(id, 'start')
  await until(id, 'all delivered', ({ counts }) => counts.delivered === 20)
  await stack.sim.put('/faults', {})
  assert.deepEqual(
    await asked(recipients),
    recipients.map(() => 1),
  )
})

step('what nobody ever tells an operator settles', async () => {
  const [assumed, again] = [...phones(1, '0007'), ...phones(1, '0007')] as [string, string]
  const id = await campaignTo([assumed, again])
  await stack.sim.put('/faults', { api: [{ match: 'messages', dropConnection: 'after', times: 2 }] })
  await ask(id, 'start')
  await until(id, 'unknown', ({ counts, status }) => counts.unknown === 2 && status === 'COMPLETED')
  const { data } = await ok(stack.api.get(`/campaigns/${id}/recipients?status=UNKNOWN`))
  const idOf = (to: string) => data.find((recipient: Json) => recipient.to === to.slice(1)).id
  assert.deepEqual(
    await ok(stack.console.post(`/campaigns/${id}/unknown/assume-sent`, { ids: [idOf(assumed)] })),
    { count: 1 },
  )
  assert.deepEqual(await ok(stack.console.post(`/campaigns/${id}/unknown/resend`, { all: true })), {
    count: 1,
  })
  await until(id, 'settled', ({ counts }) => counts.sent === 1 && counts.queued === 1)
  await eventually('sent again', async () => (await asked([again]))[0] === 2)
  assert.deepEqual(await asked([assumed]), [1])
})
