import assert from 'node:assert/strict'
import { failure, isReceiverFailure, outcomeOfStatus } from '../../../src/delivery/attempt.ts'
import { describe, test } from '../../support/harness.ts'

describe('the outcome of an attempt', () => {
  test('is delivered for 2xx and refused for every other status', () => {
    for (const status of [200, 202, 204, 299]) assert.equal(outcomeOfStatus(status).type, 'delivered')
    for (const status of [300, 301, 304, 401, 404, 410, 500]) {
      assert.deepEqual(outcomeOfStatus(status), { type: 'refused', statusCode: status })
    }
  })

  test('is charged to the receiver when it refused, was silent or was away', () => {
    assert(isReceiverFailure(outcomeOfStatus(404)))
    assert(isReceiverFailure(failure('TIMEOUT')))
    assert(isReceiverFailure(failure('CONNECT_REFUSED')))
  })

  test('is charged to nobody when it succeeded, was blocked or is our own fault', () => {
    assert(!isReceiverFailure(outcomeOfStatus(200)))
    for (const code of ['ADDRESS_FORBIDDEN', 'URL_FORBIDDEN', 'DNS_UNAVAILABLE', 'INTERRUPTED'] as const) {
      assert(!isReceiverFailure(failure(code)), code)
    }
  })
})
