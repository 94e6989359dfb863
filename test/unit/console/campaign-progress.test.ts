import assert from 'node:assert/strict'
import {
  barsOf,
  rateOf,
  type Sample,
  timeLeft,
} from '../../../src/console/web/pages/campaigns/progress-rules.ts'
import { describe, test } from '../../support/harness.ts'

const start = Date.UTC(2026, 10, 22, 12)
const point = (seconds: number, done: number) => ({ at: start + seconds * 1_000, done })

describe('the rate of a running campaign', () => {
  test('is that of the last 20 seconds, and falls when nothing moves', () => {
    const points = Array.from({ length: 61 }, (_, second) => point(second, second * 18))
    const rate = rateOf(points, start + 60_000) ?? assert.fail()
    assert.ok(rate > 17 && rate < 19, `${rate}`)
    const later = rateOf(points, start + 70_000) ?? assert.fail()
    assert.ok(later > 8 && later < 10, `${later}`)
    assert.equal(rateOf(points, start + 90_000), 0)
  })

  test('is not known in the first seconds', () => {
    assert.equal(rateOf([], start), undefined)
    assert.equal(rateOf([point(0, 0), point(1, 20)], start + 1_000), undefined)
    assert.equal(rateOf([point(0, 0), point(4, 80)], start + 4_000), 20)
  })

  test('tells the time that is left, by the plan while it is not known', () => {
    assert.equal(timeLeft(400, { rate: 20, planned: 80 }), 20_000)
    assert.equal(timeLeft(400, { rate: undefined, planned: 80 }), 5_000)
    assert.equal(timeLeft(400, { rate: 0, planned: 80 }), null)
    assert.equal(timeLeft(0, { rate: 0, planned: undefined }), 0)
  })
})

describe('the bars of a campaign', () => {
  const sample = (seconds: number, sent: number): Sample => ({
    ...{
      at: start + seconds * 1_000,
      sent,
      delivered: Math.floor(sent / 2),
      read: Math.floor(sent / 4),
      failed: 1,
    },
  })

  test('each recipient counts once, in the state that it had at the end of the bar', () => {
    const bars = barsOf([sample(0, 0), sample(3, 8), sample(7, 16), sample(21, 40)])
    assert.equal(bars.lengthMs, 5_000)
    assert.deepEqual(bars.read, [2, 4, 4, 4, 10])
    assert.deepEqual(bars.delivered, [2, 4, 4, 4, 10])
    assert.deepEqual(bars.sent, [4, 8, 8, 8, 20])
  })

  test('are at most 60, however long it runs, and one for a single sample', () => {
    for (const hours of [0.01, 0.5, 3, 40, 900]) {
      const bars = barsOf([sample(0, 0), sample(hours * 3_600, 100)])
      assert.ok(bars.times.length <= 60 && bars.times.length >= 2, `${hours} h: ${bars.times.length}`)
      assert.equal(bars.read.at(-1), 25)
    }
    assert.equal(barsOf([sample(0, 4)]).times.length, 1)
    assert.equal(barsOf([]).times.length, 0)
  })
})
