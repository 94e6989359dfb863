import assert from 'node:assert/strict'
import fc from 'fast-check'
import { nextRetryAt, retryAfterMs } from '../../../src/delivery/retry-schedule.ts'
import { describe, test } from '../../support/harness.ts'

const delaysMs = [10_000, 60_000, 300_000, 1_800_000, 7_200_000]
const failedAt = new Date('2026-11-20T14:21:03.127Z')

const waitOf = (attemptNumber: number, retryAfter: number | null = null, random = () => 0) => {
  const at = nextRetryAt({ attemptNumber, failedAt, delaysMs, retryAfterMs: retryAfter, random })
  return at === null ? null : at.getTime() - failedAt.getTime()
}

describe('the retry schedule', () => {
  test('five delays separate six attempts, and nothing follows the sixth [delivery rules 2]', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map((attemptNumber) => waitOf(attemptNumber)),
      [...delaysMs, null],
    )
  })

  test('jitter is at most 5 % and at most 15 s', () => {
    const most = () => 1
    assert.equal(waitOf(1, null, most), 10_500)
    assert.equal(waitOf(3, null, most), 315_000)
    assert.equal(waitOf(5, null, most), 7_215_000)
  })

  test('a hint lengthens the wait up to two hours and never shortens it', () => {
    assert.equal(waitOf(1, 120_000), 120_000)
    assert.equal(waitOf(1, 1_000), 10_000)
    assert.equal(waitOf(1, 999_999_999), 7_200_000)
  })

  test('a hint does not add attempts', () => assert.equal(waitOf(6, 60_000), null))

  test('no attempt is ever earlier than its delay or later than the longest wait and its jitter', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.option(fc.nat(), { nil: null }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attemptNumber, hint, random) => {
          const wait = waitOf(attemptNumber, hint, () => random)
          const delay = delaysMs[attemptNumber - 1]
          assert(wait !== null && delay !== undefined)
          const longest = Math.max(delay, Math.min(hint ?? 0, 7_200_000))
          assert(wait >= longest && wait <= longest + Math.min(longest * 0.05, 15_000) + 1)
        },
      ),
    )
  })
})

describe('a Retry-After header', () => {
  const now = new Date('2026-11-20T14:00:00Z')

  test('counts on 429 and 503 alone', () => {
    assert.equal(retryAfterMs(429, '120', now), 120_000)
    assert.equal(retryAfterMs(503, ' 7 ', now), 7_000)
    for (const status of [200, 301, 404, 500, 502]) assert.equal(retryAfterMs(status, '120', now), null)
  })

  test('with a fraction of a second is rounded up', () => {
    assert.equal(retryAfterMs(429, '1.5', now), 2_000)
    assert.equal(retryAfterMs(503, '0.001', now), 1_000)
    assert.equal(retryAfterMs(503, '30.0', now), 30_000)
  })

  test('is read as an HTTP date too, and one that has passed asks for nothing', () => {
    assert.equal(retryAfterMs(503, 'Fri, 20 Nov 2026 14:01:30 GMT', now), 90_000)
    assert.equal(retryAfterMs(503, 'Fri, 20 Nov 2026 13:00:00 GMT', now), 0)
  })

  test('is capped at two hours, however large the number', () => {
    assert.equal(retryAfterMs(429, '9'.repeat(400), now), 7_200_000)
  })

  test('is ignored when it makes no sense', () => {
    for (const text of [
      '',
      'soon',
      '-5',
      '-1.5',
      '1.',
      '1.5.5',
      '1,5',
      '1e3',
      '0x10',
      'Fri, 99 Foo',
      '2026-11-20T15:00:00Z',
    ]) {
      assert.equal(retryAfterMs(503, text, now), null, text)
    }
    assert.equal(retryAfterMs(503, undefined, now), null)
  })
})
