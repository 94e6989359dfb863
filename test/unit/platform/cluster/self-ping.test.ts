import assert from 'node:assert/strict'
import { startSelfPing } from '../../../../src/platform/cluster/self-ping.ts'
import { describe, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'

/** A gateway whose port and inbox work or do not. */
function gateway() {
  const clock = new SimulatedClock()
  const works = { port: true, inbox: true }
  const told: string[] = []
  const log = {
    warn: (_: object, event: string) => void told.push(event),
    info: (_: object, event: string) => void told.push(event),
  }
  const ping = startSelfPing({
    ...{ clock, log },
    probe: async () => (works.port ? 'answers' : 'silent'),
    async post(id) {
      if (works.inbox) clock.after(100, () => ping.took(id))
    },
  })
  return { clock, works, told, ping }
}

describe('a gateway that pings itself', () => {
  test('is in reach while one of the two ways works', async () => {
    const { clock, works, told, ping } = gateway()
    await clock.advance(20_000)
    works.inbox = false
    await clock.advance(20_000)
    Object.assign(works, { inbox: true, port: false })
    await clock.advance(20_000)
    assert.equal(ping.awayMs(), 0)
    assert.deepEqual(told, [])
    ping.stop()
  })

  test('is out of reach after three misses on both, and back with the first that arrives', async () => {
    const { clock, works, told, ping } = gateway()
    await clock.advance(10_000)
    Object.assign(works, { port: false, inbox: false })
    await clock.advance(5_000)
    assert.equal(ping.awayMs(), 0, 'two misses may be a moment')
    await clock.advance(5_000)
    assert.ok(ping.awayMs() > 0)
    works.inbox = true
    await clock.advance(2_200)
    assert.equal(ping.awayMs(), 0)
    assert.deepEqual(told, ['node.out_of_reach', 'node.in_reach'])
    ping.stop()
  })

  test('counts a ping that comes out late, but not one of an earlier turn', async () => {
    const { clock, works, ping } = gateway()
    works.inbox = false
    works.port = false
    ping.took('another')
    await clock.advance(12_000)
    ping.took('another')
    assert.ok(ping.awayMs() > 0)
    ping.stop()
  })
})
