import assert from 'node:assert/strict'
import { judgeOf } from '../../../src/campaigns/judge-recipients.ts'
import type { CampaignTarget, Variables } from '../../../src/campaigns/ports.ts'
import { variableComparer } from '../../../src/messaging/template-variables.ts'
import { describe, test } from '../../support/harness.ts'

const judge = (components: readonly unknown[], own: Variables, variables: Variables) => {
  const target = {
    campaign: { status: 'DRAFT', variables: own, template: { name: 'offer', language: 'en_US' } },
    template: { components },
  } as unknown as CampaignTarget
  return judgeOf(target, variableComparer)({ to: '+15557000001', variables })
}

const offer = [
  { type: 'HEADER', format: 'IMAGE' },
  { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now', has_expiration: true } },
  { type: 'BODY', text: 'Hi {{1}}' },
]
const own = { 'header.1': '77', 'offer.expiresAt': '2026-12-24T18:00:00Z' }

describe('a row of recipients', () => {
  test('is judged with the values of the campaign', () => {
    assert.equal(judge(offer, own, { '1': 'Ines' }), undefined)
    assert.equal(judge(offer, own, {}), 'missing variables: 1')
    assert.equal(judge(offer, own, { '1': 'Ines', code: 'x' }), 'unexpected variables: code')
  })

  test('is refused with a value that the template cannot take', () => {
    assert.equal(
      judge(offer, own, { '1': 'Ines', 'offer.expiresAt': 'soon' }),
      'offer.expiresAt must be a time such as 2026-12-24T18:00:00Z',
    )
  })

  test('is refused for a template that cannot be sent', () => {
    const order = [{ type: 'BODY', text: 'Hi' }, { type: 'ORDER_STATUS' }]
    assert.equal(judge(order, {}, {}), 'the template has what cannot be sent: component ORDER_STATUS')
  })
})
