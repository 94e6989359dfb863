import assert from 'node:assert/strict'
import { drainGateway, type GatewayParts } from '../../../src/gateway/drain.ts'
import { pause } from '../../../src/shared/pause.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

const hang = () => new Promise<never>(() => undefined)
const ignored = () => undefined

/** The parts of a gateway of which none ever ends by itself. */
function hangingParts(clock: SimulatedClock, given: Map<string, number>): GatewayParts {
  const actors = (name: string) => ({
    drain(deadlineMs: number) {
      given.set(name, deadlineMs)
      return pause(clock, deadlineMs)
    },
    close: ignored,
  })
  return {
    node: { leave: hang, close: hang },
    server: { close: hang },
    live: { close: ignored },
    messaging: { drain: hang, media: { drain: hang } },
    keeper: { drain: hang },
    blobs: { close: hang },
    calls: { directory: actors('calls') },
    delivery: { directory: actors('endpoints'), close: hang },
    ...{ timers: { close: hang }, scheduler: { close: hang } },
    ...{ provider: { close: hang }, internal: { close: hang } },
  }
}

describe('the end of a gateway', () => {
  for (const DRAIN_TIMEOUT of [8_000, 25_000, 60_000])
    test(`is over within DRAIN_TIMEOUT of ${DRAIN_TIMEOUT} ms although nothing ends, and leaves the actors time`, async () => {
      const clock = new SimulatedClock()
      const given = new Map<string, number>()
      const settings = { DRAIN_GRACE: 3_000, DRAIN_TIMEOUT }
      let isOver = false
      void drainGateway(hangingParts(clock, given), { settings, clock, log: { warn: ignored } }).then(() => {
        isOver = true
      })
      await clock.advance(DRAIN_TIMEOUT - 1)
      assert.equal(isOver, true)
      if (DRAIN_TIMEOUT < 25_000) return
      for (const name of ['calls', 'endpoints']) assert.ok((given.get(name) ?? 0) >= 1_000, name)
    })
})
