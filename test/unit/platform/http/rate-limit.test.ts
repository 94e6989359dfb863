import assert from 'node:assert/strict'
import { burstOf, rateHeaders, rateLimited } from '../../../../src/platform/http/rate-limit.ts'
import { describe, test } from '../../../support/harness.ts'

describe('rate headers', () => {
  const bucket = { key: 'k', ratePerSecond: 100, burst: burstOf(100) }

  test('a policy is the burst over the seconds that fill it', () => {
    assert.deepEqual(rateHeaders(bucket, 200), {
      'ratelimit-policy': '"key";q=200;w=2',
      ratelimit: '"key";r=200;t=0',
    })
  })

  test('a part of a token is none', () => {
    assert.equal(rateHeaders(bucket, 0.9).ratelimit, '"key";r=0;t=2')
    assert.equal(rateHeaders(bucket, -1).ratelimit, '"key";r=0;t=2')
  })

  test('an unlimited key has the largest quota that a structured field can say', () => {
    assert.deepEqual(rateHeaders({ ...bucket, ratePerSecond: 0 }, 0), {
      'ratelimit-policy': '"key";q=999999999999999;w=1',
      ratelimit: '"key";r=999999999999999;t=0',
    })
  })

  test('Retry-After is never less than a second', () => {
    const refused = (retryAfterMs: number) => rateLimited({ allowed: false, remaining: 0, retryAfterMs })
    assert.equal(refused(3).retryAfterSeconds, 1)
    assert.equal(refused(2_001).retryAfterSeconds, 3)
  })
})
