// Sends a number's campaigns over a real database and a real Redis, up to the request to the provider.
import assert from 'node:assert/strict'
import { createCampaignSending } from '../../../src/campaigns/campaigns.module.ts'
import { createPump, type PumpPorts } from '../../../src/campaigns/number-pump.ts'
import { createCampaignSender } from '../../../src/campaigns/send-claimed.ts'
import { createSendSlots, type SendSlots } from '../../../src/campaigns/send-slots.ts'
import { createCampaignSendStore } from '../../../src/campaigns/store/campaign-sends.store.ts'
import { createNumberRateLimit } from '../../../src/campaigns/store/number-rate-limit.ts'
import { keys } from '../../../src/platform/redis/keys.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { test } from '../../support/harness.ts'
import { testAccounts } from '../../support/message-store.ts'
import { redisOfFile } from '../../support/redis.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { waiting } from './people-world.ts'
import {
  addRecipients,
  again,
  campaign,
  finish,
  messages,
  newCampaignForEachTest,
  record,
  resumed,
  sql,
  statuses,
  store,
  tenant,
  waIdOf,
} from './sending-world.ts'

newCampaignForEachTest()

const { redis } = await redisOfFile()

/** Sends for the number until this many recipients were claimed, or nothing runs any more. */
async function claimed(
  count: number,
  running = store.running,
  ports: Partial<Pick<PumpPorts, 'slots' | 'clock' | 'rateLimit'>> = {},
): Promise<void> {
  const over = new AbortController()
  const { slots = createSendSlots(100), clock = systemClock } = ports
  let sent = 0
  const pump = createPump({
    store: { ...store, running },
    rateLimit: ports.rateLimit ?? createNumberRateLimit(redis),
    ...{ slots, clock },
    sender: {
      send(_campaign, recipients) {
        sent += recipients.length
        slots.release(recipients.length)
        if (sent >= count) over.abort()
      },
    },
    rendering: { render: () => ({ text: 'Hello', faults: [] }) },
    log: { info: () => undefined },
  })
  await pump(tenant.numberId, AbortSignal.any([over.signal, AbortSignal.timeout(9_000)]))
  assert.equal(sent, count)
}

test('goes on where Redis has an epoch that Postgres has lost', async () => {
  await addRecipients(campaign.id, 2)
  await redis.hSet(keys.campaign(campaign.id), 'e', String(campaign.epoch + 7))
  await claimed(2)
})

test('gives back whom it has claimed where the answer of the commit is lost', async () => {
  await addRecipients(campaign.id, 3)
  const lost = Object.assign(new Error('closed'), { code: 'CONNECTION_CLOSED' })
  const losing = new Proxy(sql, {
    get: (target, name) =>
      name === 'begin'
        ? async (work: Parameters<typeof sql.begin>[1]) => {
            await target.begin(work as never)
            throw lost
          }
        : Reflect.get(target, name),
  })
  const slots = createSendSlots(100)
  const sender = createCampaignSender({
    attemptSend: async ({ isWanted, messageId, attempt }) => {
      assert.equal(isWanted?.(), false)
      await finish({ messageId, attempt, verdict: again(0), failure: null } as Parameters<typeof finish>[0])
      return again(0)
    },
    ...{ store, slots, clock: systemClock, sent: () => undefined },
    rateLimit: createNumberRateLimit(redis),
    log: { info: () => undefined, warn: assert.fail },
  })
  const pump = createPump({
    store: { ...store, claim: createCampaignSendStore(losing, testAccounts).claim },
    rateLimit: {
      take: async () => ({ granted: 2, waitMs: 0, limitedBy: null }),
      unfence: async () => undefined,
    },
    ...{ slots, clock: systemClock, sender },
    rendering: { render: () => ({ text: 'Hello', faults: [] }) },
    log: { info: () => undefined },
  })
  await assert.rejects(pump(tenant.numberId, AbortSignal.timeout(9_000)), ({ cause }) => cause === lost)
  await sender.drain()
  assert.deepEqual(await statuses(), { PENDING: 3 })
  const rows = await sql`select send_state, send_attempts from messages where campaign_id = ${campaign.id}`
  assert.deepEqual(
    rows.map(({ sendState, sendAttempts }) => [sendState, sendAttempts]),
    [
      ['PENDING', 1],
      ['PENDING', 1],
    ],
  )
  assert.equal(await slots.take(tenant.workspaceId, 100, new AbortController().signal), 100)
})

test('campaigns of a number take turns, also where a token comes more seldom than they ask', async () => {
  await addRecipients(campaign.id, 30)
  const [known] = (await store.running(tenant.numberId)).sendable
  assert.ok(known)
  const two = ['a', 'b'].map((name) => ({ ...known, id: `${name}` as typeof known.id }))
  const clock = new SimulatedClock()
  const over = new AbortController()
  const sent = { a: 0, b: 0 } as Record<string, number>
  let [tokens, filledAt] = [0, clock.mono()]
  const slots = createSendSlots(100)
  const pump = createPump({
    store: {
      ...store,
      running: async () => ({ sendable: two, stuck: [] }),
      claim: async ({ id }, limit) => {
        sent[id] = (sent[id] ?? 0) + limit
        return { picked: limit, claimed: [] }
      },
    },
    rateLimit: {
      async take({ want }) {
        tokens = Math.min(1, tokens + ((clock.mono() - filledAt) / 1_000) * 6.4)
        filledAt = clock.mono()
        const granted = Math.min(want, Math.floor(tokens))
        tokens -= granted
        return granted > 0
          ? { granted, waitMs: 0, limitedBy: null }
          : { granted, waitMs: Math.ceil(((1 - tokens) / 6.4) * 1_000), limitedBy: 'number' }
      },
      unfence: async () => undefined,
    },
    ...{ slots, clock, sender: { send: () => undefined } },
    rendering: { render: () => ({ text: 'Hello', faults: [] }) },
    log: { info: () => undefined },
  })
  const pumping = pump(tenant.numberId, over.signal)
  await clock.advance(10_000)
  over.abort()
  await pumping
  const [a = 0, b = 0] = [sent['a'], sent['b']]
  assert.ok(a + b > 40 && Math.abs(a - b) <= 1, JSON.stringify(sent))
})

test('asks Postgres before it takes an epoch for lost', async () => {
  await addRecipients(campaign.id, 2)
  const before = await store.running(tenant.numberId)
  const [row] = await sql<[{ epoch: number }]>`
    update campaigns set epoch = epoch + 2 where id = ${campaign.id} returning epoch`
  await createNumberRateLimit(redis).fence(campaign.id, row.epoch)
  let reads = 0
  await claimed(2, (numberId) => {
    reads += 1
    return reads === 1 ? Promise.resolve(before) : store.running(numberId)
  })
  assert.equal(await redis.hGet(keys.campaign(campaign.id), 'e'), String(row.epoch))
})

test('claims nobody after a wait for slots in which the workspace was suspended', async () => {
  await addRecipients(campaign.id, 2)
  let waitedMs = 0
  const free = createSendSlots(100)
  const slots: SendSlots = {
    ...free,
    async take(...asked) {
      await sql`update workspaces set status = 'SUSPENDED' where id = ${tenant.workspaceId}`
      waitedMs += 600
      return free.take(...asked)
    },
  }
  const clock = { ...systemClock, mono: () => systemClock.mono() + waitedMs }
  // Tokens have gathered meanwhile.
  const take = async () => ({ granted: 2, waitMs: 0, limitedBy: null })
  await claimed(0, store.running, { slots, clock, rateLimit: { take, unfence: async () => undefined } })
  assert.equal((await record()).pauseReason, 'WORKSPACE_SUSPENDED')
  assert.equal(
    await free.take(tenant.workspaceId, 100, new AbortController().signal),
    100,
    'all are released',
  )
})

test('that is drained in the middle of a claim ends when the sends of that claim have ended', async () => {
  await addRecipients(campaign.id, 1)
  const order: string[] = []
  const sending = createCampaignSending({
    ...{ sql, bulk: sql, redis, accounts: testAccounts, clock: systemClock },
    scheduler: { wake: () => undefined, beginAt: () => undefined },
    messaging: {
      attemptSend: async () => {
        order.push('sent')
        return again(0)
      },
      changeStatuses: messages.changeStatuses,
    },
    rendering: { render: () => ({ text: 'Hello', faults: [] }) },
    ...{ dispatch: () => undefined, sent: () => undefined },
    log: { info: () => undefined, warn: () => undefined },
  })
  const { pumping, draining } = await sql.begin(async (tx) => {
    // A claim refers to the number.
    await tx`select from numbers where id = ${tenant.numberId} for update`
    const pumping = sending.pump(tenant.numberId)
    await waiting(1)
    return { pumping, draining: sending.drain().then(() => order.push('drained')) }
  })
  await Promise.all([pumping, draining])
  assert.deepEqual(order, ['sent', 'drained'])
})

/** A pump of campaigns whose template fits only some, eight recipients at a time. */
function pumpWhoseTemplateFits(fits: ReadonlySet<string>, claim = store.claim) {
  const sent: string[] = []
  const pump = createPump({
    store: { ...store, claim },
    rateLimit: {
      take: async () => ({ granted: 8, waitMs: 0, limitedBy: null }),
      unfence: async () => undefined,
    },
    ...{ slots: createSendSlots(100), clock: systemClock },
    sender: { send: (_, recipients) => void sent.push(...recipients.map(({ waId }) => waId)) },
    rendering: { render: (_, { waId }) => ({ text: '', faults: fits.has(String(waId)) ? [] : [{}] }) },
    log: { info: () => undefined },
  })
  return { sent, run: () => pump(tenant.numberId, AbortSignal.timeout(9_000)) }
}

async function listed(count: number): Promise<void> {
  await addRecipients(campaign.id, count)
  await sql`update recipients set variables = jsonb_build_object('waId', wa_id) where campaign_id = ${campaign.id}`
}

test('pauses before a list fails that the changed template does not fit, and each resume gets past twenty', async () => {
  await listed(60)
  // The last one fits, too, and comes in the claim that pauses.
  const { sent, run } = pumpWhoseTemplateFits(new Set([waIdOf(0), waIdOf(16), waIdOf(37)]))
  await run()
  const { pauseReason, pauseError } = await record()
  assert.deepEqual([pauseReason, pauseError?.code], ['TOO_MANY_FAILURES', 'TEMPLATE_VARIABLES_MISMATCH'])
  assert.deepEqual(
    [await statuses(), sent],
    [{ FAILED: 35, PENDING: 23, QUEUED: 2 }, [waIdOf(0), waIdOf(16)]],
  )
  await resumed()
  await run()
  assert.equal((await record()).status, 'PAUSED')
  assert.deepEqual([(await statuses())['FAILED'], sent.slice(2)], [55, [waIdOf(37)]])
})

test('counts nobody whom the template does not fit twice, although the claim was lost', async () => {
  await listed(40)
  let isLost = true
  const losing = createCampaignSendStore(
    new Proxy(sql, {
      get: (target, name) =>
        name === 'begin' && isLost
          ? (work: Parameters<typeof sql.begin>[1]) =>
              target.begin(async (tx) => {
                await work(tx)
                throw new Error('lost')
              })
          : Reflect.get(target, name),
    }),
    testAccounts,
  )
  const { run } = pumpWhoseTemplateFits(new Set(), losing.claim)
  for (let round = 0; round < 3; round += 1) await assert.rejects(run(), /lost/)
  isLost = false
  await run()
  assert.deepEqual(await statuses(), { FAILED: 20, PENDING: 20 })
})
