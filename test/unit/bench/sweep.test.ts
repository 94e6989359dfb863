import assert from 'node:assert/strict'
import { encode, histogramOf } from '../../../bench/harness/histogram.ts'
import { saturation, sweep } from '../../../bench/harness/sweep.ts'
import { isSustained } from '../../../bench/scenarios/sweep-rows.ts'
import { describe, test } from '../../support/harness.ts'

const limits = { from: 100, most: 10_000, precision: 0.1 }
const upTo = (most: number) => (rate: number) => Promise.resolve(rate <= most)

describe('the search for the rate at which something saturates', () => {
  for (const most of [30, 100, 150, 700, 1_990, 9_000])
    test(`finds ${most} within a tenth`, async () => {
      const steps = await sweep(limits, upTo(most))
      const found = saturation(steps)
      assert.ok(found <= most && found >= most / 1.11 - 1, `${found}`)
      assert.ok(steps.length <= 16, `${steps.length} steps`)
      const rates = steps.map(({ perSecond }) => perSecond)
      assert.equal(new Set(rates).size, rates.length)
    })

  test('ends at the highest rate that is permitted', async () => {
    const steps = await sweep(limits, upTo(Number.POSITIVE_INFINITY))
    assert.equal(saturation(steps), 10_000)
  })

  test('ends where nothing is sustained', async () => {
    assert.equal(saturation(await sweep(limits, () => Promise.resolve(false))), 0)
  })

  test('a rate is sustained when it is reached and its tail is short', () => {
    const errors = { refused: 0, lost: 0, duplicated: 0, strange: 0 }
    const of = (ms: number, perSecond: number, refused = 0) => ({
      ...{ perSecond, errors: { ...errors, refused } },
      fromPlan: encode(histogramOf([ms * 1e3])),
    })
    assert.equal(isSustained(of(100, 960), 1_000), true)
    assert.equal(isSustained(of(100, 940), 1_000), false)
    assert.equal(isSustained(of(400, 1_000), 1_000), false)
    assert.equal(isSustained(of(100, 1_000, 1), 1_000), false)
  })
})
