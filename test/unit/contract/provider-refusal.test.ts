import assert from 'node:assert/strict'
import { noProviderToken, noTokenToSend, providerError } from '../../../src/contract/provider-refusal.ts'
import { describe, test } from '../../support/harness.ts'

describe('a refusal of the provider', () => {
  test('is told with its code, title and details, each also as a detail', () => {
    const told = { code: '131053', title: 'Media upload error', details: 'The file is broken' }
    const { code, message, details } = providerError('the provider did not take the file', {
      ...told,
      traceId: 'T1',
    })
    assert.equal(code, 'PROVIDER_ERROR')
    assert.equal(
      message,
      'the provider did not take the file: Media upload error: The file is broken (131053)',
    )
    assert.deepEqual(details, [
      { path: 'provider.code', message: '131053' },
      { path: 'provider.title', message: 'Media upload error' },
      { path: 'provider.traceId', message: 'T1' },
      { path: 'provider.details', message: 'The file is broken' },
    ])
  })

  test('that never was asked names the missing token, and no refusal', () => {
    const asked = providerError('the provider refused', noProviderToken)
    assert.match(asked.message, /^this gateway has no access token .*PROVIDER_ACCESS_TOKEN/)
    const { code, message, details } = noTokenToSend()
    assert.deepEqual([code, message], ['NO_SENDER_NUMBER', asked.message])
    assert.deepEqual(details?.[0], { path: 'provider.code', message: 'NO_PROVIDER_TOKEN' })
  })
})
