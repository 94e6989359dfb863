import assert from 'node:assert/strict'
import { newDigits } from '../../../src/simulator/ids.ts'
import { test } from '../../support/harness.ts'

test('ids of digits survive being numbers', () => {
  for (let count = 0; count < 10_000; count += 1) {
    const digits = newDigits()
    assert.match(digits, /^\d{16}$/)
    assert.ok(Number.isSafeInteger(Number(digits)), digits)
  }
})
