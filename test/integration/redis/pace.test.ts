// The budgets of numbers on a real Redis, by its clock: upper bounds follow from the time that has passed, and hold
// however slow the machine is.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PaceRequest } from '../../../src/campaigns/sending.ts'
import { closeRedis, connectRedis, type Redis } from '../../../src/redis/client.ts'
import { keys } from '../../../src/redis/keys.ts'
import { createPace, createTellSpent } from '../../../src/redis/pace.ts'
import { SimulatedClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { type TestRedis, testRedis } from '../../support/redis.ts'

const RATE = 1_000
const SHARE = 0.8
const BURST_S = 0.2

describe('the budget of a number', () => {
  let server: TestRedis
  let redis: Redis
  let request: PaceRequest

  before(async () => {
    server = await testRedis()
    redis = await connectRedis({ url: server.url, role: 'commands', onError: () => {} })
  })
  beforeEach(() => {
    request = {
      phoneNumberId: newId('number'),
      numberRate: RATE,
      campaignId: newId('campaign'),
      epoch: 1,
      campaignRate: null,
      want: 200,
    }
  })
  after(async () => {
    await closeRedis(redis)
    await server.stop()
  })

  /** Asks until it has had `grants` grants; how many tokens in how many seconds. */
  async function drain(requests: readonly PaceRequest[], grants: number): Promise<[number, number]> {
    const pace = createPace(redis)
    const startedAt = performance.now()
    let granted = 0
    for (let count = 0; count < grants; ) {
      const taken = await Promise.all(requests.map((each) => pace.take(each)))
      const sum = taken.reduce((total, { granted }) => total + granted, 0)
      granted += sum
      if (sum > 0) count += 1
      else await sleep(Math.min(...taken.map(({ waitMs }) => waitMs)))
    }
    return [granted, (performance.now() - startedAt) / 1_000]
  }

  test('is shared by all campaigns and processes, and keeps its part for other sends', async () => {
    const other = { ...request, campaignId: newId('campaign') }
    const [granted, seconds] = await drain([request, other, request], 40)
    assert.ok(granted <= RATE * SHARE * (seconds + BURST_S), `${granted} in ${seconds} s`)
    assert.ok(granted > 0)
  })

  test('gives no second more than the rate, single sends included, however long nobody asked', async () => {
    const pace = createPace(redis)
    const clock = new SimulatedClock()
    const tell = createTellSpent(redis, clock)
    const rate = 80
    // Each between two instants: a second that has all of them for certain must not have too many.
    const sent: { from: number; to: number; count: number }[] = []
    const note = async (run: () => Promise<number>) => {
      const from = performance.now()
      const count = await run()
      sent.push({ from, to: performance.now(), count })
    }
    const until = performance.now() + 3_000
    for (let round = 0; performance.now() < until; round += 1) {
      await note(async () => (await pace.take({ ...request, numberRate: rate })).granted)
      await note(async () => {
        tell(request.phoneNumberId)
        await clock.advance(50)
        await redis.ping()
        return 1
      })
      await sleep(round % 10 === 9 ? 600 : 100)
    }
    for (const { from } of sent) {
      const second = sent.filter((each) => each.from >= from && each.to <= from + 1_000)
      const total = second.reduce((sum, { count }) => sum + count, 0)
      assert.ok(total <= rate, `${total} in a second`)
    }
    assert.ok(sent.some(({ count }) => count > 1))
  })

  test('begins empty, so that a Redis that forgot everything grants nothing twice', async () => {
    const { granted, waitMs, limitedBy } = await createPace(redis).take(request)
    assert.deepEqual([granted, limitedBy], [0, 'number'])
    assert.ok(waitMs >= 1)
  })

  test('holds a campaign to its own pace, and leaves the rest to the others', async () => {
    const slow = { ...request, campaignRate: 20 }
    const [granted, seconds] = await drain([slow], 10)
    assert.ok(granted <= 20 * (seconds + BURST_S) + 1, `${granted} in ${seconds} s`)
    await sleep(50)
    const taken = await createPace(redis).take(slow)
    if (taken.granted === 0) assert.equal(taken.limitedBy, 'campaign')
    assert.ok((await createPace(redis).take({ ...request, campaignId: newId('campaign') })).granted > 0)
  })

  test('grants nothing to an epoch that is over, and an epoch never falls', async () => {
    const pace = createPace(redis)
    await drain([request], 1)
    await pace.fence(request.campaignId, 5)
    await pace.fence(request.campaignId, 3)
    await sleep(20)
    assert.equal((await pace.take({ ...request, epoch: 4 })).limitedBy, 'epoch')
    await drain([{ ...request, epoch: 5 }], 1)
  })

  test('is halved when the provider throttles, once a second, and rests as long as it was told', async () => {
    const pace = createPace(redis)
    await drain([request], 1)
    await Promise.all([1, 2, 3].map(() => pace.slowDown(request.phoneNumberId, 30_000)))
    const { granted, waitMs, limitedBy } = await pace.take(request)
    assert.deepEqual([granted, limitedBy], [0, 'number'])
    assert.ok(waitMs > 20_000 && waitMs <= 30_000)
    const factor = Number(await redis.hGet(keys.pace(request.phoneNumberId), 'f'))
    assert.ok(factor === 0.5, String(factor))
  })

  test('pays for other sends from their own part first, and then from the campaigns’', async () => {
    const clock = new SimulatedClock()
    const tell = createTellSpent(redis, clock)
    const left = async () => Number(await redis.hGet(keys.pace(request.phoneNumberId), 't'))
    const spend = async (count: number) => {
      for (let index = 0; index < count; index += 1) tell(request.phoneNumberId)
      await clock.advance(50)
      // Told without being waited for, on the same connection: this answer comes after it.
      await redis.ping()
    }
    await spend(5)
    assert.equal(await redis.exists(keys.pace(request.phoneNumberId)), 0)
    await drain([request], 1)
    const before = await left()
    await spend(RATE * (1 - SHARE) - 10)
    assert.equal(await left(), before)
    await spend(RATE)
    assert.ok((await left()) < before - RATE / 2)
    await spend(10 * RATE)
    assert.equal(await left(), -RATE)
  })
})
