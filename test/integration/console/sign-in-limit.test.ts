import assert from 'node:assert/strict'
import { createSignInLimit, type Guesser } from '../../../src/console/sign-in-limit.ts'
import { createRateLimiter } from '../../../src/platform/redis/rate-limit.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { redisOfFile } from '../../support/redis.ts'

const { server, redis } = await redisOfFile()

describe('the sign-in limit of several gateways', () => {
  const gateway = () => createSignInLimit(createRateLimiter(redis, systemClock))
  const stranger = (): Guesser => ({ email: `${newId('operator')}@example.com`, address: '203.0.113.9' })

  /** How many of the guesses were looked at. They are wrong, so a token comes back after twelve seconds only. */
  async function guess(gateways: readonly ReturnType<typeof gateway>[], guesser: Guesser, guesses: number) {
    const began = performance.now()
    let looked = 0
    await Promise.allSettled(
      Array.from({ length: guesses }, (_, n) =>
        gateways[n % gateways.length]?.password(guesser, async () => {
          looked += 1
          return false
        }),
      ),
    )
    const cameBack = Math.floor((performance.now() - began) / 12_000)
    assert.ok(looked >= 5 && looked <= 5 + cameBack * gateways.length, `${looked} were looked at`)
  }

  test('is one: guesses that are spread over them get no more looked at', async () => {
    await guess([gateway(), gateway(), gateway()], stranger(), 30)
  })

  test('holds for each of them alone while Redis is away', async () => {
    const gateways = [gateway()]
    process.kill(server.pid, 'SIGSTOP')
    try {
      await guess(gateways, stranger(), 30)
    } finally {
      process.kill(server.pid, 'SIGCONT')
    }
  })
})
