import assert from 'node:assert/strict'
import { scripts } from '../../../../src/platform/cluster/scripts.ts'
import { keys } from '../../../../src/platform/redis/keys.ts'
import { createRateLimiter } from '../../../../src/platform/redis/rate-limit.ts'
import { runScript } from '../../../../src/platform/redis/run-script.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { describe, test } from '../../../support/harness.ts'
import { redisOfFile } from '../../../support/redis.ts'

const { redis } = await redisOfFile()

describe('redis', () => {
  describe('scripts', () => {
    test('run after the server has forgotten them', async () => {
      const locate = () =>
        runScript(redis, scripts.locate, { keys: [keys.owner('call', 'nobody')], args: [] })
      await locate()
      await redis.scriptFlush()
      assert.deepEqual(await locate(), [])
    })

    test('give every key of theirs an end, but for the generation and the list of nodes', async () => {
      await redis.flushAll()
      await runScript(redis, scripts.register, {
        keys: [keys.generation, keys.session('s'), keys.dead('s'), keys.node('n'), keys.nodes],
        args: ['g', 'n', 5_000, 30_000, Date.now(), 'sid', 's', 'address', 'http://n', 'state', 'serving'],
      })
      await runScript(redis, scripts.claim, {
        keys: [keys.session('s'), keys.owner('call', 'x')],
        args: ['s', 'n', 900_000],
      })
      await createRateLimiter(redis, systemClock).take('k', 10, 20)
      await runScript(redis, scripts.declareDead, {
        keys: [keys.session('s'), keys.dead('s')],
        args: ['t', 60_000],
      })
      const names = (await redis.keys('gw:*')).sort()
      assert.equal(names.length, 6)
      const endless = []
      for (const name of names) if ((await redis.pTTL(name)) < 0) endless.push(name)
      assert.deepEqual(endless, [keys.generation, keys.nodes])
    })

    test('renew only what is still there', async () => {
      const renew = () =>
        runScript(redis, scripts.renew, {
          keys: [keys.generation, keys.session('r'), keys.node('r'), keys.nodes],
          args: [5_000, 30_000, Date.now(), 'r'],
        })
      assert.equal(await renew(), '')
      await redis.set(keys.generation, 'g2')
      await redis.set(keys.session('r'), 'r')
      await redis.hSet(keys.node('r'), 'sid', 'r')
      assert.equal(await renew(), 'g2')
    })
  })

  describe('a rate limit', () => {
    test('lets a burst through, then says when to come again, for all processes together', async () => {
      const [one, two] = [createRateLimiter(redis, systemClock), createRateLimiter(redis, systemClock)]
      // A rate this low refills nothing while the test runs.
      const taken = await Promise.all(
        Array.from({ length: 12 }, (_, n) => (n % 2 ? one : two).take('burst', 0.01, 10)),
      )
      assert.equal(taken.filter(({ allowed }) => allowed).length, 10)
      const refused = taken.filter(({ allowed }) => !allowed)
      assert.ok(refused.every(({ remaining, retryAfterMs }) => remaining === 0 && retryAfterMs > 90_000))
    })

    test('counts down, and fills up with time', async () => {
      const limiter = createRateLimiter(redis, systemClock)
      assert.deepEqual(await limiter.take('fills', 0.01, 2), { allowed: true, remaining: 1, retryAfterMs: 0 })
      await limiter.take('fills', 0.01, 2)
      assert.equal((await limiter.take('fills', 0.01, 2)).allowed, false)
      // Backdates the bucket by 100 s: one token at 0.01 a second.
      const at = Number(await redis.hGet(keys.rateLimit('fills'), 'at'))
      await redis.hSet(keys.rateLimit('fills'), 'at', String(at - 100_000_000))
      assert.equal((await limiter.take('fills', 0.01, 2)).allowed, true)
      assert.equal((await limiter.take('fills', 0.01, 2)).allowed, false)
    })

    test('has what was given back, and never more than its burst', async () => {
      const limiter = createRateLimiter(redis, systemClock)
      for (let n = 0; n < 3; n += 1) await limiter.giveBack('back', 0.01, 2)
      assert.deepEqual(await limiter.take('back', 0.01, 2), { allowed: true, remaining: 1, retryAfterMs: 0 })
      await limiter.take('back', 0.01, 2)
      assert.equal((await limiter.take('back', 0.01, 2)).allowed, false)
      await createRateLimiter(redis, systemClock).giveBack('back', 0.01, 2)
      assert.equal((await limiter.take('back', 0.01, 2)).allowed, true)
      assert.equal((await limiter.take('back', 0.01, 2)).allowed, false)
    })

    test('of zero is none, and asks nobody', async () => {
      const limiter = createRateLimiter(redis, systemClock)
      assert.equal((await limiter.take('free', 0, 0)).allowed, true)
      assert.equal(await redis.exists(keys.rateLimit('free')), 0)
    })
  })
})
