import assert from 'node:assert/strict'
import { skipReasonOf } from '../../../src/campaigns/skip-reason.ts'
import { describe, test } from '../../support/harness.ts'

const phone = { address: '15551230000', optedOut: false, marketingOptedOut: false }
const id = { ...phone, address: 'PT.44100928' }

describe('a recipient is skipped', () => {
  const cases = [
    ['UTILITY', phone, undefined],
    ['UTILITY', id, undefined],
    ['UTILITY', { ...phone, optedOut: true }, 'OPTED_OUT'],
    ['UTILITY', { ...phone, marketingOptedOut: true }, undefined],
    ['AUTHENTICATION', { ...phone, marketingOptedOut: true }, undefined],
    ['AUTHENTICATION', phone, undefined],
    ['AUTHENTICATION', id, 'RECIPIENT_NEEDS_PHONE'],
    ['MARKETING', phone, undefined],
    ['MARKETING', id, undefined],
    ['MARKETING', { ...id, marketingOptedOut: true }, 'MARKETING_OPTED_OUT'],
    ['MARKETING', { ...phone, optedOut: true, marketingOptedOut: true }, 'OPTED_OUT'],
  ] as const
  for (const [category, to, reason] of cases)
    test(`${category} to ${JSON.stringify(to)}: ${reason ?? 'not'}`, () => {
      assert.equal(skipReasonOf(category, to), reason)
    })
})
