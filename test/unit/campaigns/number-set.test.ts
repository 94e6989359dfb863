import assert from 'node:assert/strict'
import fc from 'fast-check'
import { NumberSet } from '../../../src/campaigns/number-set.ts'
import { describe, test } from '../../support/harness.ts'

describe('a set of numbers', () => {
  test('tells whether it had one, as any set does', () => {
    const digits = fc.oneof(
      fc.stringMatching(/^[1-9]\d{6,14}$/),
      fc.constantFrom('15551230001', '999999999999999'),
    )
    fc.assert(
      fc.property(fc.array(digits, { maxLength: 3_000 }), (all) => {
        const [own, known] = [new NumberSet(), new Set<string>()]
        for (const one of all) {
          assert.equal(own.add(one), !known.has(one))
          known.add(one)
        }
      }),
    )
  })

  test('takes a hundred thousand in a row, once each', () => {
    const own = new NumberSet()
    for (let index = 0; index < 100_000; index += 1) assert.ok(own.add(String(15_550_000_000 + index)))
    for (let index = 0; index < 100_000; index += 1) assert.ok(!own.add(String(15_550_000_000 + index)))
  })
})
