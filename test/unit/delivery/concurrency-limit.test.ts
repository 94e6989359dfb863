import assert from 'node:assert/strict'
import {
  allowance,
  type ConcurrencyLimit,
  lowerLimit,
  newConcurrencyLimit,
  raiseLimit,
} from '../../../src/delivery/concurrency-limit.ts'
import { describe, test } from '../../support/harness.ts'

let nowMs = 0

/** So many successes, of as many at a time as it allows. */
const succeed = (limit: ConcurrencyLimit, times: number, durationMs = 20, wasFull = true) => {
  for (let count = 0; count < times; count += 1) {
    nowMs += durationMs / limit.cap
    raiseLimit(limit, { durationMs, wasFull, nowMs })
  }
  return limit
}

describe('the concurrency of an endpoint', () => {
  test('grows by one for each fast success to sixteen, and a slow success leaves it', () => {
    const limit = succeed(newConcurrencyLimit(0), 5)
    assert.equal(limit.cap, 9)
    assert.equal(succeed(limit, 1, 900).cap, 9)
    assert.equal(succeed(limit, 7).cap, 16)
  })

  test('grows by one a round to sixty-four while it is in use', () => {
    const limit = succeed(newConcurrencyLimit(0), 12)
    assert.equal(succeed(limit, 15).cap, 16)
    assert.equal(succeed(limit, 1).cap, 17)
    assert.equal(succeed(limit, 17).cap, 18)
    assert.equal(succeed(limit, 2_500).cap, 64)
  })

  test('is sixteen again when so many are not needed, or when they make the receiver slow', () => {
    for (const [durationMs, wasFull] of [
      [20, false],
      [400, true],
    ] as const) {
      const limit = succeed(newConcurrencyLimit(0), 2_500)
      assert.equal(succeed(limit, 1, durationMs, wasFull).cap, 63)
      assert.equal(succeed(limit, 100, durationMs, wasFull).cap, 16)
    }
  })

  test('grows for a receiver that is slow by itself, up to a second', () => {
    assert.equal(succeed(newConcurrencyLimit(0), 2_500, 600).cap, 64)
    assert.equal(succeed(newConcurrencyLimit(0), 2_500, 1_100).cap, 4)
    const oneAtATime = newConcurrencyLimit(0)
    for (let count = 1; count < 500; count += 1) succeed(oneAtATime, 1, 300 * Math.min(count, oneAtATime.cap))
    assert.ok(oneAtATime.cap <= 6, `${oneAtATime.cap}`)
  })

  test('of a receiver that works off one by one does not grow for ever, as it is measured anew', () => {
    const limit = newConcurrencyLimit(0)
    for (let count = 0; count < 20_000; count += 1) succeed(limit, 1, 15 * limit.cap)
    assert.ok(limit.cap <= 25, `${limit.cap}`)
  })

  test('halves with each failure, from sixteen at most', () => {
    for (const successes of [12, 2_500]) {
      const limit = succeed(newConcurrencyLimit(0), successes)
      for (const cap of [8, 4, 2, 1, 1]) {
        lowerLimit(limit, 0)
        assert.equal(limit.cap, cap)
      }
    }
  })

  test('first attempts and retries have places of their own, in a streak of failures never beyond what is left to twenty', () => {
    for (const cap of [1, 2, 4, 15, 16, 17, 64]) {
      const calm = allowance({ ...newConcurrencyLimit(0), cap })
      assert.deepEqual([calm.first, calm.total], [cap, cap + calm.retries])
      assert.ok(calm.retries >= 1 && calm.total <= 96)
      for (let failures = 1; failures <= 18; failures += 1)
        assert.deepEqual(allowance({ ...newConcurrencyLimit(failures), cap }), {
          total: 2,
          first: 1,
          retries: 1,
        })
      assert.equal(allowance({ ...newConcurrencyLimit(19), cap }).total, 1)
      assert.equal(allowance({ ...newConcurrencyLimit(20), cap }).total, 0)
    }
  })
})
