import assert from 'node:assert/strict'
import type { ProviderError, ProviderResult, SentMessage } from '../../../src/contract/provider.ts'
import { messageStatuses, messageTypes } from '../../../src/contract/records/message.ts'
import { type OutboundStatus, outboundMachine } from '../../../src/messaging/message.machine.ts'
import { judgeSend as judge, sendPolicies } from '../../../src/messaging/send-policy.ts'
import { optChangeOf } from '../../../src/messaging/stop-keywords.ts'
import { canMove } from '../../../src/shared/machine.ts'
import { describe, test } from '../../support/harness.ts'

/**
 * The verdict on a single send's attempt. `attempt` counts from one; all attempts before it count as failed.
 */
const judgeSend = (result: ProviderResult<SentMessage>, attempt: number) =>
  judge(result, sendPolicies.single, attempt - 1)

const error = (patch: Partial<ProviderError> = {}): ProviderError => ({
  code: '130429',
  title: 'Rate limit hit',
  details: null,
  httpStatus: 400,
  class: 'throttled',
  retryAfterMs: null,
  ...patch,
})

const refused = (patch: Partial<ProviderError> = {}): ProviderResult<SentMessage> => ({
  type: 'refused',
  error: error(patch),
})

describe('a send that the provider', () => {
  test('accepts is accepted, held or not', () => {
    const value = { providerMessageId: 'wamid.1', held: true, recipientPhone: null }
    assert.deepEqual(judgeSend({ type: 'ok', value }, 1), { type: 'accepted', ...value })
  })

  test('throttles is tried again, later and later, and given up after two minutes', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((attempt) => {
      const verdict = judgeSend(refused(), attempt)
      return verdict.type === 'again' ? verdict.delayMs : undefined
    })
    assert.deepEqual(delays, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000])
    assert.equal(judgeSend(refused(), 8).type, 'failed')
  })

  test('fails for the moment is given up after half a minute', () => {
    const verdict = judgeSend(refused({ class: 'retry' }), 6)
    assert.equal(verdict.type === 'again' && verdict.delayMs, 16_000)
    assert.equal(judgeSend(refused({ class: 'retry' }), 7).type, 'failed')
  })

  test('limits for one pair waits longer, and what the provider asks for is never undercut', () => {
    const verdict = judgeSend(refused({ class: 'pairLimited' }), 2)
    assert.equal(verdict.type === 'again' && verdict.delayMs, 16_000)
    const asked = judgeSend(refused({ retryAfterMs: 30_000 }), 1)
    assert.equal(asked.type === 'again' && asked.delayMs, 30_000)
  })

  test('refuses for good fails at once', () => {
    for (const kind of ['permanent', 'templatePaused', 'account', 'optedOut'] as const)
      assert.equal(judgeSend(refused({ class: kind }), 1).type, 'failed', kind)
  })

  test('never got is repeated; one whose answer was lost never is', () => {
    assert.equal(judgeSend({ type: 'notSent', error: error({ class: 'permanent' }) }, 1).type, 'again')
    assert.equal(judgeSend({ type: 'unknown', error: error() }, 1).type, 'unknown')
  })
})

describe('the statuses of an outbound message', () => {
  const allowed = new Set([
    ...['QUEUED>SENT', 'QUEUED>DELIVERED', 'QUEUED>READ', 'QUEUED>FAILED'],
    ...['SENT>DELIVERED', 'SENT>READ', 'SENT>FAILED', 'DELIVERED>READ'],
  ])
  const statuses = messageStatuses.filter((status): status is OutboundStatus => status !== 'RECEIVED')
  for (const from of statuses)
    for (const to of statuses)
      test(`${from} ${allowed.has(`${from}>${to}`) ? 'leaves to' : 'never becomes'} ${to}`, () => {
        assert.equal(canMove(outboundMachine, from, to), allowed.has(`${from}>${to}`))
      })
})

test('STOP and START count when they are the whole text, in any case', () => {
  const texts = [' stop\n', 'Start', 'STOP it', 'stopp', '']
  assert.deepEqual(
    texts.map((text) => optChangeOf({ messageType: 'TEXT', text, details: null })),
    ['opted-out', 'opted-in', undefined, undefined, undefined],
  )
})

test('STOP counts as the text of a button of a template, and not as a choice, a caption or the name of a place', () => {
  const counting = messageTypes.filter(
    (type) => optChangeOf({ messageType: type, text: 'Stop', details: null }) === 'opted-out',
  )
  assert.deepEqual(counting, ['TEXT', 'BUTTON'])
})
