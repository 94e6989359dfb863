import assert from 'node:assert/strict'
import { createRegistry } from '../../../../src/platform/cluster/registry.ts'
import { NodeSession } from '../../../../src/platform/cluster/session.ts'
import { keys } from '../../../../src/platform/redis/keys.ts'
import { describe, test } from '../../../support/harness.ts'
import { redisOfFile } from '../../../support/redis.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'

const quiet = { info() {}, warn() {} }

const { redis } = await redisOfFile()

const nodeOf = (name: string) => ({
  ...{ log: quiet, version: '1', host: 'here', ttlMs: 5_000, renewMs: 1_000 },
  node: { nodeId: `node-${name}`, sid: `sid-${name}`, address: `http://${name}` },
})

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
      ...nodeOf('a'),
      ...{ redis: failing, clock },
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

  test('tells of a loss also where another state is published before the next renewal', async () => {
    for (const losing of [
      () => redis.del(keys.session('sid-b')),
      () => redis.set(keys.generation, 'of a Redis that was emptied'),
    ]) {
      let lost = 0
      const session = new NodeSession({
        ...nodeOf('b'),
        ...{ redis, clock: new SimulatedClock(), onLost: () => (lost += 1) },
      })
      await session.start()
      await session.enter('serving')
      assert.equal(lost, 0)
      await losing()
      await session.enter('cutOff')
      assert.equal(lost, 1)
      await session.pause()
      assert.equal(session.isPublished, false)
      await session.enter('serving')
      assert.deepEqual([lost, session.isPublished], [1, true], 'who gave its actors up has none to claim')
      session.abandon()
    }
  })
})
