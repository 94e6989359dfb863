import assert from 'node:assert/strict'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { fingerprintKeyOf } from '../../../src/messaging/opt-out-fingerprint.ts'
import { describe, test } from '../../support/harness.ts'

describe('the key of opt-outs', () => {
  test('makes of two plain digests an HMAC-SHA256', () => {
    const key = randomBytes(32)
    const { inner, outer } = fingerprintKeyOf(key)
    const sha = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
    const made = sha(outer, sha(inner, Buffer.from('w:15550001')))
    assert.deepEqual(made, createHmac('sha256', key).update('w:15550001').digest())
  })

  test('is no longer than a block', () => {
    assert.throws(() => fingerprintKeyOf(randomBytes(65)), TypeError)
  })
})
