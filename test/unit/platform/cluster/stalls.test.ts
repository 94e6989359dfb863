import assert from 'node:assert/strict'
import { Guard, readClock } from '../../../../src/platform/actors/guard.ts'
import { watchStalls } from '../../../../src/platform/cluster/stalls.ts'
import { test } from '../../../support/harness.ts'

/** A clock whose timers run only when asked: a process that stands still runs none. */
function handClock() {
  let at = 0
  let due: (() => void) | undefined
  return {
    now: () => at,
    mono: () => at,
    after: (_ms: number, run: () => void) => {
      due = run
      return { cancel: () => undefined }
    },
    pass(ms: number) {
      at += ms
    },
    tick() {
      due?.()
    },
  }
}

test('after a stall only what is confirmed later counts, whoever looks first', () => {
  const clock = handClock()
  const stalls = watchStalls(clock)
  const guard = new Guard({ clock, validMs: 2_500, resumedAt: stalls.resumedAt })
  guard.confirmed(readClock(clock))
  clock.pass(400)
  clock.tick()
  assert.equal(guard.mayAct(), true, 'a busy moment is no stall')
  clock.pass(600)
  assert.equal(guard.mayAct(), false, 'the guard is asked before the timer runs')
  clock.tick()
  assert.equal(guard.mayAct(), false)
  guard.confirmed(readClock(clock))
  assert.equal(guard.mayAct(), true)
})

test('who was late itself does not judge others for a second', () => {
  const clock = handClock()
  const stalls = watchStalls(clock)
  assert.equal(stalls.isSluggish(), false)
  clock.pass(300)
  assert.equal(stalls.isSluggish(), true)
  for (let ticks = 0; ticks < 10; ticks += 1) {
    clock.pass(100)
    clock.tick()
  }
  assert.equal(stalls.isSluggish(), false)
})
