import assert from 'node:assert/strict'
import type { Person } from '../../../../src/contract/person.ts'
import { parseWebhook } from '../../../../src/provider/incoming/parse.ts'
import { describe, test } from '../../../support/harness.ts'

const at = new Date('2026-11-20T10:00:00Z')
const metadata = { display_phone_number: '+1 555-000-1111', phone_number_id: '100' }

const parsed = (field: string, value: object) =>
  parseWebhook(
    {
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [{ field, value: { metadata, ...value } }] }],
    },
    at,
  )
const only = (field: string, value: object) => {
  const { updates, skipped } = parsed(field, value)
  assert.deepEqual(skipped, {})
  return updates[0] ?? assert.fail()
}
const text = (fields: object) => ({ id: 'wamid.1', type: 'text', text: { body: 'Hi' }, ...fields })
const person = (patch: Partial<Person>): Person => ({
  ...{ phone: null, userId: null, parentUserId: null, username: null, name: null },
  ...patch,
})

const inbound = (value: object) => {
  const update = only('messages', value)
  return update.type === 'inboundMessage' ? update : assert.fail()
}

const A = 'PT.44100928'
const profile = { name: 'Ines Prado', username: 'ines.p' }
const named = { name: 'Ines Prado', username: 'ines.p' }

/** An element of each kind, and the person that its update names. */
const elements: readonly [string, string, object, Person][] = [
  [
    'a message with a hidden number',
    'messages',
    { contacts: [{ profile, user_id: A }], messages: [text({ from_user_id: A })] },
    person({ userId: A, ...named }),
  ],
  [
    'a message with number and id',
    'messages',
    {
      contacts: [{ profile, wa_id: '351911111111', user_id: A, parent_user_id: 'PT.ENT.7' }],
      messages: [text({ from: '351911111111', from_user_id: A })],
    },
    person({ phone: '351911111111', userId: A, parentUserId: 'PT.ENT.7', ...named }),
  ],
  [
    'an id where a number stood',
    'messages',
    { contacts: [{ profile, wa_id: A }], messages: [text({ from: A })] },
    person({ userId: A, ...named }),
  ],
  [
    'a message that names nobody, beside one contact',
    'messages',
    { contacts: [{ user_id: A }], messages: [text({})] },
    person({ userId: A }),
  ],
  [
    'a status by id',
    'messages',
    {
      contacts: [{ user_id: A, profile: { name: 'Ines Prado' } }],
      statuses: [{ id: 'wamid.2', status: 'delivered', recipient_user_id: A }],
    },
    person({ userId: A, name: 'Ines Prado' }),
  ],
  [
    'a status with the old name of the parent',
    'messages',
    { statuses: [{ id: 'wamid.2', status: 'read', parent_recipient_user_id: 'PT.ENT.7' }] },
    person({ parentUserId: 'PT.ENT.7' }),
  ],
  [
    'a call from a hidden number',
    'calls',
    {
      contacts: [{ profile, user_id: A }],
      calls: [
        { id: 'c1', event: 'connect', direction: 'USER_INITIATED', to: '15550001111', from_user_id: A },
      ],
    },
    person({ userId: A, ...named }),
  ],
  [
    'a call to a hidden number',
    'calls',
    {
      calls: [
        {
          ...{ id: 'c1', event: 'terminate', direction: 'BUSINESS_INITIATED' },
          ...{ from: '15550001111', to_user_id: A },
        },
      ],
    },
    person({ userId: A }),
  ],
  [
    'a preference by id',
    'user_preferences',
    { user_preferences: [{ user_id: A, category: 'marketing_messages', value: 'stop' }] },
    person({ userId: A }),
  ],
]

describe('the person of an element', () => {
  for (const [what, field, value, expected] of elements)
    test(what, () => {
      const update = only(field, value)
      const { person, from, recipient } = update as Partial<Record<'person' | 'from' | 'recipient', Person>>
      assert.deepEqual(person ?? from ?? recipient, expected)
    })

  test('is never a number made from something else', () => {
    for (const from of ['PT.44 100', '351 911 111 111', 'tel:351911111111', '', 'US.1.2'])
      assert.deepEqual(parsed('messages', { messages: [text({ from })] }).skipped, { noSender: 1 }, from)
  })

  test('of a group is nobody', () => {
    const status = {
      id: 'wamid.2',
      status: 'sent',
      recipient_type: 'group',
      recipient_id: '120363040000000000',
    }
    const update = only('messages', { statuses: [status] })
    assert.equal('recipient' in update && update.recipient, null)
  })
})

test('a number that is shared on request is the own one, and any other card proves nothing', () => {
  const card = { origin: 'contact_request', phones: [{ phone: '+351922222222', wa_id: '351922222222' }] }
  const withCards = (cards: object[], fields: object = {}) => {
    const message = { id: 'wamid.1', from_user_id: A, type: 'contacts', contacts: cards, ...fields }
    return inbound({ messages: [message] }).from
  }
  assert.deepEqual(withCards([card]), person({ phone: '351922222222', userId: A }))
  const others: object[][] = [
    [{ ...card, origin: 'other' }],
    [{ ...card, origin: undefined }],
    [card, card],
    [{ ...card, phones: [...card.phones, ...card.phones] }],
    [{ ...card, phones: [{ phone: '+351922222222' }] }],
    [{ ...card, phones: [{ phone: '+351922222222', wa_id: 'PT.9920011' }] }],
  ]
  for (const cards of others) assert.deepEqual(withCards(cards), person({ userId: A }), JSON.stringify(cards))
  const shown = withCards([card], { from: '351911111111' })
  assert.deepEqual(shown, person({ phone: '351911111111', userId: A }), 'the number that is shown counts')
})

describe('a change of number or id', () => {
  const changed = (message: object) => {
    const update = only('messages', { messages: [{ id: 'wamid.S', type: 'system', ...message }] })
    return update.type === 'inboundMessage'
      ? [update.from.phone, update.from.userId, update.formerly]
      : assert.fail(update.type)
  }

  test('names the person before and after', () => {
    const number = {
      type: 'user_changed_number',
      ...{ body: 'changed', wa_id: '351922222222', user_id: 'PT.9920011', previous_user_id: A },
    }
    assert.deepEqual(changed({ from: '351911111111', from_user_id: A, system: number }), [
      '351922222222',
      'PT.9920011',
      [A, '351911111111'],
    ])
    const id = { type: 'user_changed_user_id', body: 'changed', user_id: 'PT.9920011', previous_user_id: A }
    assert.deepEqual(changed({ system: id }), [null, 'PT.9920011', [A]])
    const legacy = { type: 'customer_changed_number', new_wa_id: '351922222222' }
    assert.deepEqual(changed({ from: '351911111111', system: legacy }), [
      '351922222222',
      null,
      ['351911111111'],
    ])
  })

  test('comes beside the messages too', () => {
    const update = only('user_id_update', {
      user_id_update: [{ user_id: { previous: A, current: 'PT.9920011' }, timestamp: '1793000000' }],
    })
    assert.deepEqual(update.type === 'identityChange' && [update.person.userId, update.before], [
      'PT.9920011',
      [A],
    ])
  })
})
