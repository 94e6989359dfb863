import assert from 'node:assert/strict'
import { systemClock } from '../../../src/shared/clock.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

describe('a simulated clock', () => {
  test('runs what falls due in order, each at its own instant', async () => {
    const clock = new SimulatedClock(0)
    const seen: string[] = []
    clock.after(20, () => seen.push(`b${clock.now()}`))
    clock.after(10, () => seen.push(`a${clock.now()}`))
    clock.after(20, () => seen.push(`c${clock.now()}`))
    clock.after(31, () => seen.push('late'))
    await clock.advance(30)
    assert.deepEqual(seen, ['a10', 'b20', 'c20'])
    assert.equal(clock.mono(), 30)
  })

  test('runs timers that timers set, and none that was cancelled', async () => {
    const clock = new SimulatedClock(0)
    const seen: number[] = []
    const cancelled = clock.after(5, () => seen.push(-1))
    clock.after(5, () => {
      seen.push(clock.now())
      void Promise.resolve().then(() => clock.after(5, () => seen.push(clock.now())))
    })
    cancelled.cancel()
    await clock.advance(10)
    assert.deepEqual(seen, [5, 10])
  })
})

test('the system clock takes waits longer than a timer can be set for', () => {
  const timer = systemClock.after(2 ** 40, () => assert.fail('it fired at once'))
  timer.cancel()
})
