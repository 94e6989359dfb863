import assert from 'node:assert/strict'
import { withoutContent } from '../../../../src/provider/outgoing/ask.ts'
import { describe, test } from '../../../support/harness.ts'

const body = {
  ...{
    messaging_product: 'whatsapp',
    to: '+15557000001',
    type: 'template',
    biz_opaque_callback_data: 'msg_1',
  },
  template: {
    name: 'order_ready',
    language: { code: 'en_US' },
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ines' },
          { type: 'text', text: 'Ines Duarte' },
        ],
      },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'ab' }] },
    ],
  },
}

describe('the details of an error in the log', () => {
  test('name the template and never quote the parameters or the customer', () => {
    const details =
      'order_ready (en_US): Ines Duarte is too long for body of template, ab, 15557000001, +15557000001'
    assert.equal(
      withoutContent(details, { pool: 'messages', body }),
      'order_ready (en_US): … is too long for body of template, ab, …, …',
    )
  })

  for (const [what, content, details, shown] of [
    ['a location', { location: { name: 'Dock 4', latitude: 1 } }, 'Dock 4 is no place', '… is no place'],
    [
      'a card',
      { contacts: [{ name: { formatted_name: 'Rui' }, phones: [{ phone: '+351910000077', type: 'CELL' }] }] },
      'Rui: 351910000077 is no CELL',
      '…: … is no CELL',
    ],
    [
      'an amount',
      { template: { name: 'bill', components: [{ parameters: [{ currency: { code: 'USD' } }] }] } },
      'bill: USD is not known',
      'bill: … is not known',
    ],
    ['an action', { interactive: { action: { name: 'flow' } } }, 'flow failed', 'flow failed'],
    ['a new template', { name: 'order_ready' }, 'order_ready exists', 'order_ready exists'],
  ] as const)
    test(`do not quote what ${what} holds, and name what is no content`, () => {
      assert.equal(withoutContent(details, { pool: 'messages', body: content }), shown)
    })

  test('of a call are left out, as they may quote its SDP', () => {
    assert.equal(withoutContent('SDP line v=0', { pool: 'calls', body: { session: { sdp: 'v=0' } } }), '')
  })

  test('are bounded', () => {
    assert.equal(withoutContent('x'.repeat(2_000), { pool: 'messages', body: undefined }).length, 300)
  })
})
