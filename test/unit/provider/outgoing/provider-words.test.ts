import assert from 'node:assert/strict'
import { sha256Hex, templateCategoryOf, templateStatusOf } from '../../../../src/contract/provider-words.ts'
import { describe, test } from '../../../support/harness.ts'

describe('the state of a template', () => {
  test('is sendable only where the provider says so, whatever the case', () => {
    const words = ['APPROVED', 'reinstated', 'Unarchived']
    const others = [
      'PENDING',
      'IN_APPEAL',
      'FLAGGED',
      'LOCKED',
      'ARCHIVED',
      'LIMIT_EXCEEDED',
      'PENDING_DELETION',
      '?',
    ]
    assert.deepEqual(new Set(words.map(templateStatusOf)), new Set(['APPROVED']))
    assert.equal(others.map(templateStatusOf).includes('APPROVED'), false)
  })
})

test('a category that is not known is held to the rules of marketing', () => {
  assert.deepEqual(['utility', 'AUTHENTICATION', 'gossip'].map(templateCategoryOf), [
    'UTILITY',
    'AUTHENTICATION',
    'MARKETING',
  ])
})

test('a digest is hex, whether it came as hex or as base64, or nothing', () => {
  const hex = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  assert.equal(sha256Hex(hex.toUpperCase()), hex)
  assert.equal(sha256Hex(Buffer.from(hex, 'hex').toString('base64')), hex)
  for (const text of ['', 'x', hex.slice(2)]) assert.equal(sha256Hex(text), null)
})
