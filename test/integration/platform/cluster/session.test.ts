import assert from 'node:assert/strict'
import { createRegistry } from '../../../../src/platform/cluster/registry.ts'
import { NodeSession } from '../../../../src/platform/cluster/session.ts'
import { closeRedis, connectRedis, type Redis } from '../../../../src/platform/redis/client.ts'
import { after, before, describe, test } from '../../../support/harness.ts'
import { type TestRedis, testRedis } from '../../../support/redis.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'

const quiet = { info() {}, warn() {} }

describe('the session of a process', () => {
  let server: TestRedis
  let redis: Redis
  before(async () => {
    server = await testRedis()
    redis = await connectRedis({ url: server.url, role: 'commands', onError: () => {} })
  })
  after(async () => {
    await closeRedis(redis)
    await server.stop()
  })

  test('publishes a state again that Redis did not take, with the next renewal', async () => {
    const clock = new SimulatedClock()
    let isAway = false
    const failing = new Proxy(redis, {
      get: (target, name) =>
        isAway && name === 'evalSha' ? () => Promise.reject(new Error('away')) : Reflect.get(target, name),
    })
    let lost = 0
    const session = new NodeSession({
      ...{ redis: failing, clock, log: quiet, version: '1', ttlMs: 5_000, renewMs: 1_000 },
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
