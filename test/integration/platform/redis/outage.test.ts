import assert from 'node:assert/strict'
import { bounded, connectRedis } from '../../../../src/platform/redis/client.ts'
import { createRateLimiter } from '../../../../src/platform/redis/rate-limit.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { describe, test } from '../../../support/harness.ts'
import { redisOfFile } from '../../../support/redis.ts'

const { server, redis } = await redisOfFile()

describe('a Redis in trouble', () => {
  test('that stands still fails every command in bounded time and keeps no request waiting', async () => {
    const limiter = createRateLimiter(redis, systemClock)
    process.kill(server.pid, 'SIGSTOP')
    try {
      const began = performance.now()
      const decisions = await Promise.all(Array.from({ length: 40 }, () => limiter.take('still', 0.01, 30)))
      // By design a quarter of a second; the rest is for a loaded machine.
      assert.ok(performance.now() - began < 10_000)
      assert.equal(decisions.filter(({ allowed }) => allowed).length, 30, 'a bucket of its own takes over')
      await assert.rejects(bounded(redis.get('x')))
    } finally {
      process.kill(server.pid, 'SIGCONT')
    }
  })

  test('that dies fails commands at once, and they work again when it is back', async () => {
    server.kill()
    const until = performance.now() + 5_000
    while (redis.isReady && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
    await assert.rejects(bounded(redis.set('x', '1')), /offline/i)
    await server.restart()
    // The client reconnects after 50 to 500 ms.
    while (!redis.isReady && performance.now() < until + 10_000)
      await new Promise((resolve) => setTimeout(resolve, 10))
    assert.equal(await bounded(redis.set('x', '1')), 'OK')
  })

  test('that cannot be reached is an error at the start, not a wait for ever', async () => {
    const url = 'redis://127.0.0.1:1'
    const nowhere = connectRedis({ url, role: 'commands', onError: () => {}, connectWithinMs: 700 })
    await assert.rejects(nowhere, /took too long/)
  })
})
