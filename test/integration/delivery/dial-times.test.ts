import assert from 'node:assert/strict'
import { createDialTimes } from '../../../src/delivery/store/dial-times.ts'
import { keys } from '../../../src/platform/redis/keys.ts'
import { newId } from '../../../src/shared/ids.ts'
import { beforeEach, describe, test } from '../../support/harness.ts'
import { redisOfFile } from '../../support/redis.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

const { server, redis } = await redisOfFile()

describe('the times of handshakes', () => {
  let id: string
  const start = Date.UTC(2026, 0, 1)
  const node = (offsetMs = 0) => {
    const clock = new SimulatedClock(start + offsetMs)
    return { clock, times: createDialTimes(redis, clock) }
  }

  beforeEach(() => {
    id = newId('endpoint')
  })
  test('are the clock’s, and rise even within one millisecond', async () => {
    const { times, clock } = node()
    assert.equal(await times.next(id), start)
    assert.equal(await times.next(id), start + 1)
    await clock.advance(10)
    assert.equal(await times.next(id), start + 10)
    assert.equal(await times.next(newId('endpoint')), start + 10)
  })

  test('of an owner with a slower clock are later than its predecessor’s all the same', async () => {
    assert.equal(await node().times.next(id), start)
    const slow = node(-90_000)
    assert.equal(await slow.times.next(id), start + 1)
    assert.equal(await slow.times.next(id), start + 2)
    assert.equal(await node(5).times.next(id), start + 5)
  })

  test('of two nodes that dial at once differ', async () => {
    const nodes = [node(), node(), node(-5)]
    const all = await Promise.all([...nodes, ...nodes].map(({ times }) => times.next(id)))
    assert.equal(new Set(all).size, all.length)
  })

  test('do not follow a clock so wrong that receivers would refuse them', async () => {
    await node(10 * 60_000).times.next(id)
    assert.equal(await node().times.next(id), start)
  })

  test('rise on one node when its clock is set back a little', async () => {
    const clock = { ...new SimulatedClock(start), now: () => start - 1_000 * rounds++ } as never
    let rounds = 0
    const times = createDialTimes(redis, clock)
    const all = [await times.next(id), await times.next(id), await times.next(id)]
    assert.deepEqual(all, [start, start + 1, start + 2])
  })

  test('are forgotten after an hour', async () => {
    await node().times.next(id)
    const left = await redis.pTTL(keys.endpointState(id))
    assert(left > 3_500_000 && left <= 3_600_000, `${left} ms left`)
  })

  test('go on rising, without waiting for it, while Redis is stalled and when it is gone', async () => {
    const { times } = node()
    assert.equal(await times.next(id), start)
    process.kill(server.pid, 'SIGSTOP')
    try {
      const startedAt = performance.now()
      assert.equal(await times.next(id), start + 1)
      // The limit is a quarter of a second; the rest is for a busy machine.
      assert(performance.now() - startedAt < 10_000)
    } finally {
      process.kill(server.pid, 'SIGCONT')
    }
    server.kill()
    assert((await times.next(id)) > start + 1)
  })
})
