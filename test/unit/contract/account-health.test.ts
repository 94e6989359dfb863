import assert from 'node:assert/strict'
import { stoppedText } from '../../../src/contract/account-health.ts'
import { test } from '../../support/harness.ts'

test('what stops an account is told with its end and with what to do, where they are known', () => {
  const message = 'The provider has disabled the account.'
  const until = '2026-11-24T12:00:00+00:00'
  assert.equal(stoppedText({ message, advice: null, until: null }), message)
  assert.equal(
    stoppedText({ message, advice: 'Ask for a review.', until: null }),
    `${message} Ask for a review.`,
  )
  assert.equal(
    stoppedText({ message, advice: 'Ask for a review.', until }),
    `${message} It ends at 2026-11-24T12:00:00.000Z. Ask for a review.`,
  )
})
