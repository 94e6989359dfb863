import assert from 'node:assert/strict'
import { pauseFor } from '../../../src/campaigns/self-pause.ts'
import type { ProviderError, ProviderResult, SentMessage } from '../../../src/contract/provider.ts'
import { classOfReported, providerErrorClasses } from '../../../src/contract/provider-errors.ts'
import { judgeSend as judge, type SendVerdict, sendPolicies } from '../../../src/messaging/send-policy.ts'
import { describe, test } from '../../support/harness.ts'

const refusal = (code: number, patch: Partial<ProviderError> = {}): ProviderResult<SentMessage> => ({
  type: 'refused',
  error: {
    code: String(code),
    title: 'Refused',
    details: null,
    httpStatus: 400,
    class: classOfReported(code),
    retryAfterMs: null,
    ...patch,
  },
})
const judgeSend = (result: ProviderResult<SentMessage>, tries: number): SendVerdict =>
  judge(result, sendPolicies.campaign, tries)
const { error: unreachable } = refusal(1) as { error: ProviderError }

const again = (verdict: SendVerdict): SendVerdict & { type: 'again' } => {
  assert.equal(verdict.type, 'again', JSON.stringify(verdict))
  return verdict as SendVerdict & { type: 'again' }
}

describe('a send of a campaign', () => {
  test('that may have gone out is never repeated, that certainly did not go out costs nobody a try', () => {
    assert.deepEqual(judgeSend({ type: 'unknown', error: unreachable }, 0), {
      type: 'unknown',
      error: unreachable,
    })
    for (const tries of [0, 100]) {
      const { counts, slow } = again(judgeSend({ type: 'notSent', error: unreachable }, tries))
      assert.deepEqual([counts, slow], [false, 'number'])
    }
  })

  test('that is throttled slows the number down and fails nobody, as long as the provider asks for', () => {
    for (const code of [130429, 131057, 80007]) {
      const { counts, slow, error } = again(judgeSend(refusal(code), 100))
      assert.deepEqual([counts, slow, error && pauseFor(error)], [false, 'number', null])
    }
    assert.equal(again(judgeSend(refusal(130429, { retryAfterMs: 7_000 }), 0)).delayMs, 7_000)
  })

  test('whose template the provider throttles holds off its campaign, and neither the number nor anybody’s try', () => {
    for (const code of [132069, 134101]) {
      const { counts, slow, delayMs, error } = again(judgeSend(refusal(code), 100))
      assert.deepEqual([counts, slow, error && pauseFor(error)], [false, 'campaign', null])
      assert.ok(delayMs >= 60_000)
    }
  })

  test('to a pair that has had too many waits 4^n seconds, for this recipient alone, and fails after the fourth', () => {
    const delays = [0, 1, 2, 3].map((tries) => again(judgeSend(refusal(131056), tries)).delayMs)
    assert.deepEqual(delays, [4_000, 16_000, 64_000, 256_000])
    assert.equal(again(judgeSend(refusal(131056), 0)).slow, null)
    assert.equal(judgeSend(refusal(131056), 4).type, 'failed')
  })

  test('that fails in passing is tried again, later and later, and fails after the fifth', () => {
    const delays = [0, 1, 2, 3].map((tries) => again(judgeSend(refusal(131000), tries)).delayMs)
    assert.deepEqual(delays, [1_000, 4_000, 15_000, 60_000])
    assert.equal(judgeSend(refusal(131000), 4).type, 'failed')
  })

  test('that is refused for good fails with the provider’s code', () => {
    for (const code of [131026, 131049, 130472, 132000, 131050])
      assert.deepEqual(judgeSend(refusal(code), 0), {
        type: 'failed',
        error: { ...unreachable, code: String(code), class: classOfReported(code) },
      })
  })

  test('that cannot succeed until a person acts pauses what it concerns, and its recipient waits', () => {
    const cases = [
      [132015, 'TEMPLATE_PAUSED', 'campaign'],
      [132016, 'TEMPLATE_UNAVAILABLE', 'campaign'],
      [132001, 'TEMPLATE_UNAVAILABLE', 'campaign'],
      [131048, 'SPAM_LIMIT', 'number'],
      [133010, 'NUMBER_UNAVAILABLE', 'number'],
      [131042, 'BILLING', 'workspace'],
      [190, 'PROVIDER_ACCOUNT', 'workspace'],
      [368, 'PROVIDER_ACCOUNT', 'workspace'],
    ] as const
    for (const [code, reason, scope] of cases) {
      const { error, counts } = again(judgeSend(refusal(code), 100))
      const expected = { reason, scope, error: { code: String(code), title: 'Refused' } }
      assert.deepEqual([error && pauseFor(error), counts], [expected, false], String(code))
    }
  })

  test('pauses for every code of an account and of a template, and for no other', () => {
    for (const [code, kind] of Object.entries(providerErrorClasses))
      assert.equal(
        pauseFor({ code, title: 'No', class: kind }) !== null,
        ['account', 'templatePaused', 'templateGone'].includes(kind),
        code,
      )
  })
})
