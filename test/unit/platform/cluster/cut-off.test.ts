import assert from 'node:assert/strict'
import { leaveWhileCutOff } from '../../../../src/platform/cluster/cut-off.ts'
import type { NodeState } from '../../../../src/platform/cluster/registry.ts'
import { describe, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'

/** One gateway; Postgres leaves it at `leaves()` and comes back at `returns()`. */
function world(peerState: () => NodeState | 'gone') {
  const clock = new SimulatedClock()
  const steps: string[] = []
  let awaySince: number | undefined
  const session = {
    state: 'serving' as NodeState,
    isPublished: true,
    async enter(state: NodeState) {
      this.state = state
      steps.push(state)
    },
    async pause() {
      this.state = 'cutOff'
      steps.push('paused')
    },
  }
  const peer = () => ({
    ...{ nodeId: 'b', sid: 'b', address: '', version: '', host: 'here' },
    state: peerState() as NodeState,
  })
  const own = () => ({ ...peer(), sid: 'a', state: session.state })
  const stop = leaveWhileCutOff({
    ...{ sid: 'a', session, clock, log: { warn: () => undefined } },
    registry: { liveNodes: async () => (peerState() === 'gone' ? [own()] : [own(), peer()]) },
    awayMs: () => (awaySince === undefined ? 0 : clock.mono() - awaySince),
    actors: () => [{ cutOff: () => void steps.push('ended'), resume: () => void steps.push('resumed') }],
  })
  return {
    ...{ clock, steps, session, stop },
    leaves: () => {
      awaySince = clock.mono()
    },
    returns: () => {
      awaySince = undefined
    },
  }
}

describe('a gateway without Postgres', () => {
  test('says so, gives its actors up to those that have it, and serves again when it is back', async () => {
    const { clock, steps, leaves, returns, stop } = world(() => 'serving')
    leaves()
    await clock.advance(1_000)
    assert.deepEqual(steps, [], 'a short halt changes nothing')
    await clock.advance(1_000)
    assert.deepEqual(steps, ['cutOff'])
    await clock.advance(10_000)
    assert.deepEqual(steps, ['cutOff', 'ended', 'paused'])
    returns()
    await clock.advance(1_000)
    assert.deepEqual(steps, ['cutOff', 'ended', 'paused', 'serving', 'resumed'])
    stop()
  })

  test('takes actors again only when Redis knows that it lives', async () => {
    const { clock, steps, session, leaves, returns, stop } = world(() => 'serving')
    leaves()
    await clock.advance(10_000)
    session.isPublished = false
    returns()
    await clock.advance(10_000)
    assert.deepEqual(steps, ['cutOff', 'ended', 'paused', 'serving'])
    session.isPublished = true
    await clock.advance(1_000)
    assert.deepEqual(steps.slice(4), ['resumed'])
    stop()
  })

  for (const state of ['cutOff', 'draining', 'gone'] as const)
    test(`keeps its actors while nobody could do better: the other is ${state}`, async () => {
      const { clock, steps, leaves, returns, stop } = world(() => state)
      leaves()
      await clock.advance(20_000)
      assert.deepEqual(steps, ['cutOff'])
      returns()
      await clock.advance(1_000)
      assert.deepEqual(steps, ['cutOff', 'serving'], 'its sockets stayed open')
      stop()
    })

  test('that begins to leave while it asks who could do better goes on draining', async () => {
    const { clock, steps, session, leaves, returns, stop } = world(() => {
      if (session.state === 'cutOff') session.state = 'draining'
      return 'serving'
    })
    leaves()
    await clock.advance(10_000)
    returns()
    await clock.advance(1_000)
    assert.deepEqual(steps, ['cutOff'])
    stop()
  })

  test('that drains goes on draining', async () => {
    const { clock, steps, session, leaves, stop } = world(() => 'serving')
    session.state = 'draining'
    leaves()
    await clock.advance(20_000)
    assert.deepEqual(steps, [])
    stop()
  })
})
