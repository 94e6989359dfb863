import assert from 'node:assert/strict'
import { errorHelp } from '../../../src/contract/provider-error-help.ts'
import { providerErrorClasses } from '../../../src/contract/provider-errors.ts'
import { test } from '../../support/harness.ts'

test('every code of the provider, and each of ours, says what it means and what to do', () => {
  const ours = [
    'OUTCOME_UNKNOWN',
    'UNREACHABLE',
    'TIMEOUT',
    'NO_PROVIDER_TOKEN',
    'TEMPLATE_VARIABLES_MISMATCH',
  ]
  for (const code of [...Object.keys(providerErrorClasses), ...ours]) {
    const { meaning, remedy } = errorHelp({ code }) ?? { meaning: '', remedy: '' }
    for (const text of [meaning, remedy]) assert.match(text, /^[A-Z].*\.$/, code)
  }
})

test('a code alone decides, a subcode where it means something else, and nothing is made up', () => {
  assert.match(errorHelp({ code: '131047' })?.remedy ?? '', /template/)
  // A new code of the provider is final for the message.
  assert.match(errorHelp({ code: '999999' })?.meaning ?? '', /refused/)
  assert.equal(errorHelp({ code: 'toString' }), undefined)
})
