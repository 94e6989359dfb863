import assert from 'node:assert/strict'
import {
  acceptTotp,
  createTotpSeed,
  readTotpState,
  totpCode,
  totpStep,
  totpUri,
  writeTotpState,
} from '../../../src/accounts/totp.ts'
import { describe, test } from '../../support/harness.ts'

// The shared secret of RFC 6238 appendix B, "12345678901234567890".
const seed = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('totp', () => {
  test('codes are those of RFC 6238 appendix B', () => {
    const vectors: [seconds: number, code: string][] = [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_111_111_111, '050471'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
      [20_000_000_000, '353130'],
    ]
    for (const [seconds, code] of vectors) assert.equal(totpCode(seed, totpStep(seconds * 1000)), code)
  })

  test('a code of the step before, of now and of the step after is taken, others are not', () => {
    const nowMs = 1_111_111_111_000
    const accepted = [-2, -1, 0, 1, 2].map(
      (off) => acceptTotp({ seed, lastStep: 0 }, totpCode(seed, totpStep(nowMs) + off), nowMs) !== undefined,
    )
    assert.deepEqual(accepted, [false, true, true, true, false])
  })

  test('a step is taken once, and none before it afterwards', () => {
    const nowMs = 1_111_111_111_000
    const step = totpStep(nowMs)
    const after = acceptTotp({ seed, lastStep: 0 }, totpCode(seed, step), nowMs)
    assert.equal(after?.lastStep, step)
    assert.equal(acceptTotp(after, totpCode(seed, step), nowMs), undefined)
    assert.equal(acceptTotp(after, totpCode(seed, step - 1), nowMs), undefined)
    assert.equal(acceptTotp(after, totpCode(seed, step + 1), nowMs)?.lastStep, step + 1)
  })

  test('a text of another length is no code', () => {
    assert.equal(acceptTotp({ seed, lastStep: 0 }, '', 59_000), undefined)
    assert.equal(acceptTotp({ seed, lastStep: 0 }, '0287082', 59_000), undefined)
  })

  test('a new seed is 32 base32 letters, fits an app and survives being written', () => {
    const fresh = createTotpSeed()
    assert.match(fresh, /^[A-Z2-7]{32}$/)
    assert.notEqual(createTotpSeed(), fresh)
    assert.match(
      totpUri(fresh, 'a+b@example.com'),
      /^otpauth:\/\/totp\/Switchboard:a%2Bb%40example\.com\?secret=[A-Z2-7]{32}&/,
    )
    assert.deepEqual(readTotpState(writeTotpState({ seed: fresh, lastStep: 7 })), {
      seed: fresh,
      lastStep: 7,
    })
  })
})
