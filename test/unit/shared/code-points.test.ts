import assert from 'node:assert/strict'
import { isLongerThan } from '../../../src/shared/code-points.ts'
import { describe, test } from '../../support/harness.ts'

describe('a limit in code points', () => {
  for (const [what, letter] of [
    ['letters', 'a'],
    ['umlauts', 'ü'],
    ['emoji', '😀'],
    ['lone surrogates', '\ud83d'],
  ] as const)
    test(`counts ${what} as one each`, () => {
      for (const most of [0, 1, 5])
        assert.deepEqual(
          [most, most + 1, 2 * most + 1].map((count) => isLongerThan(letter.repeat(count), most)),
          [false, true, true],
        )
    })

  test('counts a flag as its two code points, and a combined letter as its parts', () => {
    assert.equal(isLongerThan('🇩🇪', 1), true)
    assert.equal(isLongerThan('🇩🇪', 2), false)
    assert.equal(isLongerThan('e\u0301', 1), true)
  })
})
