import assert from 'node:assert/strict'
import { createRegistry } from '../../../../src/platform/cluster/registry.ts'
import { NodeSession } from '../../../../src/platform/cluster/session.ts'
import { describe, test } from '../../../support/harness.ts'
import { redisOfFile } from '../../../support/redis.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'

const quiet = { info() {}, warn() {} }

const { redis } = await redisOfFile()

describe('the session of a process', () => {
  test('publishes a state again that Redis did not take, with the next renewal', async () => {
    const clock = new SimulatedClock()
    let isAway = false
    const failing = new Proxy(redis, {
      get: (target, name) =>
        isAway && name === 'evalSha' ? () => Promise.reject(new Error('away')) : Reflect.get(target, name),
    })
    let lost = 0
    const session = new NodeSession({
      ...{ redis: failing, clock, log: quiet, version: '1', host: 'here', ttlMs: 5_000, renewMs: 1_000 },
      node: { nodeId: 'node-a', sid: 'sid-a', address: 'http://a' },
      onLost: () => (lost += 1),
    })
    const stateIs = async (state: string) => {
      const [found] = await createRegistry(redis, clock).liveNodes()
      return found?.state === state
    }
    await session.start()
    isAway = true
    await session.enter('serving')
    isAway = false
    assert.ok(await stateIs('joining'))
    while (!(await stateIs('serving'))) await clock.advance(1_000)
    assert.equal(lost, 0)
    session.abandon()
  })
})
