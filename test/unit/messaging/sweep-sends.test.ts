// How many sends a sweep takes, where only some find a place.
import assert from 'node:assert/strict'
import type { Outgoing } from '../../../src/messaging/ports.ts'
import { sweepSends } from '../../../src/messaging/sweep-sends.ts'
import { createTransmitter } from '../../../src/messaging/transmit-message.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const maxUnderWay = 2_000

const outgoing = () =>
  ({ id: newId('message'), account: { phoneNumberId: '1' }, free: {} }) as unknown as Outgoing

const some = (count: number): Outgoing[] => Array.from({ length: count }, outgoing)

/** A transmitter with so many sends under way, which end only with `endOne`, and a store that always has more. */
function full(count: number) {
  const ends: (() => void)[] = []
  const transmitter = createTransmitter({
    store: { startSending: async () => 1 },
    attemptSend: () =>
      new Promise((resolve) => {
        ends.push(() =>
          resolve({ type: 'accepted', providerMessageId: 'wamid.1', held: false, recipientPhone: null }),
        )
      }),
    ...{ clock: systemClock, spent: () => undefined, log: { info: () => undefined, warn: () => undefined } },
  })
  for (const one of some(count)) transmitter.start(one)
  const taken: number[] = []
  const meanwhile: (() => void)[] = []
  const sweep = () =>
    sweepSends({
      store: {
        async overdueSends(limit) {
          taken.push(limit)
          for (const run of meanwhile) run()
          return some(limit)
        },
        lostSends: async () => [],
        optedOutSends: async () => [],
        changeStatuses: async () => [],
      },
      ...{ transmitter, dispatch: () => undefined, clock: systemClock },
    })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return {
    ...{ transmitter, taken, meanwhile, sweep },
    async endOne() {
      await settled()
      ends.shift()?.()
      await settled()
    },
  }
}

describe('a sweep of sends', () => {
  test('takes a full round where there is room', async () => {
    const { sweep, taken } = full(0)
    assert.equal(await sweep(), 500)
    assert.deepEqual(taken, [500])
  })

  test('takes as many as there are free places, and none where there are none', async () => {
    const { sweep, taken, endOne } = full(maxUnderWay - 100)
    assert.equal(await sweep(), 100)
    assert.equal(await sweep(), 0)
    assert.deepEqual(taken, [100])
    await endOne()
    assert.equal(await sweep(), 1)
    assert.deepEqual(taken, [100, 1])
  })

  test('counts what was started, although others took places while it asked', async () => {
    const { sweep, transmitter, meanwhile } = full(maxUnderWay - 500)
    meanwhile.push(() => {
      for (const one of some(200)) transmitter.start(one)
    })
    assert.equal(await sweep(), 300)
  })

  test('takes nothing in a process that is leaving', async () => {
    const { sweep, taken, transmitter } = full(0)
    await transmitter.drain()
    assert.equal(await sweep(), 0)
    assert.deepEqual(taken, [])
  })
})
