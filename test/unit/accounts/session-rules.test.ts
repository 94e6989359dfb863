import assert from 'node:assert/strict'
import { barrierOf } from '../../../src/accounts/session-rules.ts'
import { describe, test } from '../../support/harness.ts'

const none = { isFactorRequired: false, sessionMinutes: null, idleMinutes: null }
const fresh = { hasTotp: false, ageMs: 0, longestPauseMs: 0 }
const minutes = (count: number) => count * 60_000

describe('what a workspace asks of a session', () => {
  test('is nothing, unless an owner says so', () => {
    assert.equal(barrierOf(none, { ...fresh, ageMs: minutes(10_000), longestPauseMs: minutes(700) }), null)
  })

  test('is a second factor of the account', () => {
    const rules = { ...none, isFactorRequired: true }
    assert.equal(barrierOf(rules, fresh), 'SECOND_FACTOR_REQUIRED')
    assert.equal(barrierOf(rules, { ...fresh, hasTotp: true }), null)
  })

  test('is an end after its sign-in, and after the longest time without use, each to the millisecond', () => {
    for (const [rules, fact] of [
      [{ ...none, sessionMinutes: 60 }, 'ageMs'],
      [{ ...none, idleMinutes: 60 }, 'longestPauseMs'],
    ] as const) {
      assert.equal(barrierOf(rules, { ...fresh, [fact]: minutes(60) - 1 }), null)
      assert.equal(barrierOf(rules, { ...fresh, [fact]: minutes(60) }), 'SESSION_EXPIRED')
    }
  })

  test('is a new sign-in before a second factor: whoever turns that on should be who they say', () => {
    const rules = { isFactorRequired: true, sessionMinutes: 60, idleMinutes: null }
    assert.equal(barrierOf(rules, { ...fresh, ageMs: minutes(61) }), 'SESSION_EXPIRED')
  })
})
