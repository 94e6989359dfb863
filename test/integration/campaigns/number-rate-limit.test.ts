// The rate budgets of numbers on a real Redis, by its clock. The upper bounds follow from the time that has
// passed, so they hold on a slow machine, too.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RateRequest } from '../../../src/campaigns/send-ports.ts'
import { createNumberRateLimit, createTellSpent } from '../../../src/campaigns/store/number-rate-limit.ts'
import { keys } from '../../../src/platform/redis/keys.ts'
import { newId } from '../../../src/shared/ids.ts'
import { beforeEach, describe, test } from '../../support/harness.ts'
import { redisOfFile } from '../../support/redis.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

const RATE = 1_000
const SHARE = 0.8
const BURST_S = 0.2

const { redis } = await redisOfFile()

describe('the budget of a number', () => {
  let request: RateRequest

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
  /** Takes until it has had `grants` grants; returns how many tokens in how many seconds. */
  async function drain(requests: readonly RateRequest[], grants: number): Promise<[number, number]> {
    const rateLimit = createNumberRateLimit(redis)
    const startedAt = performance.now()
    let granted = 0
    for (let count = 0; count < grants; ) {
      const taken = await Promise.all(requests.map((each) => rateLimit.take(each)))
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
    const rateLimit = createNumberRateLimit(redis)
    const clock = new SimulatedClock()
    const tell = createTellSpent(redis, clock)
    const rate = 80
    // Each grant happened between two instants; a second must not have too many that certainly lie in it.
    const sent: { from: number; to: number; count: number }[] = []
    const note = async (run: () => Promise<number>) => {
      const from = performance.now()
      const count = await run()
      sent.push({ from, to: performance.now(), count })
    }
    const until = performance.now() + 3_000
    for (let round = 0; performance.now() < until; round += 1) {
      await note(async () => (await rateLimit.take({ ...request, numberRate: rate })).granted)
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
    const { granted, waitMs, limitedBy } = await createNumberRateLimit(redis).take(request)
    assert.deepEqual([granted, limitedBy], [0, 'number'])
    assert.ok(waitMs >= 1)
  })

  test('holds a campaign to its own pace, and leaves the rest to the others', async () => {
    const slow = { ...request, campaignRate: 20 }
    const [granted, seconds] = await drain([slow], 10)
    assert.ok(granted <= 20 * (seconds + BURST_S) + 1, `${granted} in ${seconds} s`)
    await sleep(50)
    const taken = await createNumberRateLimit(redis).take(slow)
    if (taken.granted === 0) assert.equal(taken.limitedBy, 'campaign')
    assert.ok(
      (await createNumberRateLimit(redis).take({ ...request, campaignId: newId('campaign') })).granted > 0,
    )
  })

  test('grants nothing to an epoch that is over, and an epoch never falls', async () => {
    const rateLimit = createNumberRateLimit(redis)
    await drain([request], 1)
    await rateLimit.fence(request.campaignId, 5)
    await rateLimit.fence(request.campaignId, 3)
    await sleep(20)
    assert.equal((await rateLimit.take({ ...request, epoch: 4 })).limitedBy, 'epoch')
    await drain([{ ...request, epoch: 5 }], 1)
  })

  test('grants nothing to a campaign that is held off, and leaves the rest to the others, until it is resumed', async () => {
    const rateLimit = createNumberRateLimit(redis)
    await rateLimit.holdOff(request.campaignId, 30_000)
    await rateLimit.holdOff(request.campaignId, 10)
    const { granted, waitMs, limitedBy } = await rateLimit.take(request)
    assert.deepEqual([granted, limitedBy], [0, 'campaign'])
    assert.ok(waitMs > 20_000 && waitMs <= 30_000)
    await drain([{ ...request, campaignId: newId('campaign') }], 1)
    await rateLimit.fence(request.campaignId, 9)
    await drain([{ ...request, epoch: 9 }], 1)
  })

  test('is halved when the provider throttles, once a second, and rests as long as it was told', async () => {
    const rateLimit = createNumberRateLimit(redis)
    await drain([request], 1)
    await Promise.all([1, 2, 3].map(() => rateLimit.slowDown(request.phoneNumberId, 30_000)))
    const { granted, waitMs, limitedBy } = await rateLimit.take(request)
    assert.deepEqual([granted, limitedBy], [0, 'number'])
    assert.ok(waitMs > 20_000 && waitMs <= 30_000)
    const factor = Number(await redis.hGet(keys.numberRate(request.phoneNumberId), 'f'))
    assert.ok(factor === 0.5, String(factor))
  })

  test('tells how far it is slowed down, and for how long: nothing before, and less as it regains', async () => {
    const rateLimit = createNumberRateLimit(redis)
    const { phoneNumberId } = request
    const number = keys.numberRate(phoneNumberId)
    assert.deepEqual(await rateLimit.backoff(phoneNumberId), { factor: 1, blockedMs: 0 })
    await rateLimit.slowDown(phoneNumberId, 600_000)
    const slowed = await rateLimit.backoff(phoneNumberId)
    assert.ok(slowed.factor >= 0.5 && slowed.factor <= 1, String(slowed.factor))
    assert.ok(slowed.blockedMs > 0 && slowed.blockedMs <= 600_000, String(slowed.blockedMs))
    // As if it had been told six seconds earlier, when each second regains a twentieth.
    const fat = Number(await redis.hGet(number, 'fat'))
    await redis.hSet(number, { fat: String(fat - 6_000_000), until: String(fat - 1) })
    const later = await rateLimit.backoff(phoneNumberId)
    assert.ok(later.factor >= 0.8 && later.factor <= 1, String(later.factor))
    assert.equal(later.blockedMs, 0)
    await redis.hSet(number, { fat: String(fat - 60_000_000) })
    assert.equal((await rateLimit.backoff(phoneNumberId)).factor, 1)
  })

  test('pays for other sends from their own part first, and then from the campaigns’', async () => {
    const clock = new SimulatedClock()
    const tell = createTellSpent(redis, clock)
    const left = async () => Number(await redis.hGet(keys.numberRate(request.phoneNumberId), 't'))
    const spend = async (count: number) => {
      for (let index = 0; index < count; index += 1) tell(request.phoneNumberId)
      await clock.advance(50)
      // The spends are not awaited, but they use the same connection: this answer comes after them.
      await redis.ping()
    }
    await spend(5)
    assert.equal(await redis.exists(keys.numberRate(request.phoneNumberId)), 0)
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
