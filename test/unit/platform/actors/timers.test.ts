import assert from 'node:assert/strict'
import { Timers } from '../../../../src/platform/actors/timers.ts'
import { describe, test } from '../../../support/harness.ts'

/** A clock whose timers are counted and run by hand. */
function world() {
  const set: { dueAt: number; run: () => void; isCancelled: boolean }[] = []
  let now = 0
  const timers = new Timers({
    now: () => now,
    mono: () => now,
    after(delayMs, run) {
      const timer = { dueAt: now + delayMs, run, isCancelled: false }
      set.push(timer)
      return { cancel: () => void (timer.isCancelled = true) }
    },
  })
  return { set, timers, pass: (ms: number) => (now += ms) }
}

describe('the named timers of an actor', () => {
  test('one that is due at the same time again stays, and runs what was set last', () => {
    const { set, timers, pass } = world()
    const ran: string[] = []
    timers.set('wake', 90_000, () => ran.push('first'))
    pass(1_000.4)
    timers.set('wake', 89_000, () => ran.push('second'))
    assert.equal(set.length, 1)
    set[0]?.run()
    assert.deepEqual([ran, timers.size], [['second'], 0])
  })

  test('one that is due at another time is replaced', () => {
    const { set, timers } = world()
    timers.set('wake', 90_000, () => {})
    timers.set('wake', 2_000, () => {})
    assert.deepEqual(
      set.map(({ isCancelled }) => isCancelled),
      [true, false],
    )
    timers.clear('wake')
    assert.deepEqual([set[1]?.isCancelled, timers.size], [true, 0])
  })
})
