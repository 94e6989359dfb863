// What the form of an API key sends.
import assert from 'node:assert/strict'
import { bodyOf, changesOf } from '../../../src/console/web/pages/keys/draft.ts'
import { describe, test } from '../../support/harness.ts'

const draft = { name: 'Orders', scopes: ['CHAT_SEND'], rate: '100', ips: '' } as const
const record = { name: 'Orders', scopes: [...draft.scopes], requestsPerSecond: 100, allowedIps: [] }

describe('the form of an API key', () => {
  test('an emptied rate is not 0, which would set no limit', () => {
    assert.equal(bodyOf({ ...draft, rate: '' }).requestsPerSecond, null)
    assert.equal(changesOf(record, bodyOf({ ...draft, rate: '' })).requestsPerSecond, null)
    assert.equal(bodyOf({ ...draft, rate: '0' }).requestsPerSecond, 0)
  })

  test('an edit sends the name and what was changed', () => {
    assert.deepEqual(changesOf(record, bodyOf(draft)), { name: 'Orders' })
    assert.deepEqual(changesOf(record, bodyOf({ ...draft, rate: '50', ips: '10.0.0.1, 10.0.0.2' })), {
      name: 'Orders',
      requestsPerSecond: 50,
      allowedIps: ['10.0.0.1', '10.0.0.2'],
    })
  })
})
