import assert from 'node:assert/strict'
import { queuedBody } from '../../../../src/contract/events.ts'
import { limits } from '../../../../src/contract/limits.ts'
import { test } from '../../../support/harness.ts'
import { change, only, USER } from './fixtures.ts'

// Of all characters that are kept, a control character takes the most bytes in JSON: six.
const worst = '\u0001'.repeat(200_000)

test('the longest text that a user can write makes an event within the limit of a body', () => {
  const { text, from } = only(
    'inboundMessage',
    change('messages', {
      contacts: [{ profile: { name: worst }, wa_id: USER }],
      messages: [{ id: 'wamid.1', from: USER, timestamp: '1790000001', type: 'text', text: { body: worst } }],
    }),
  )
  assert.ok(text.length >= 4_096 * 9, 'far more than the provider carries')
  const body = queuedBody('message.received', new Date(), {
    messageId: 'x'.repeat(64),
    conversationId: 'x'.repeat(64),
    text,
    from: USER,
    fromName: from.name ?? '',
    userId: null,
    username: null,
    to: '+15550003333',
  })
  assert.ok(body.length > limits.bodyBytes / 2 && body.length <= limits.bodyBytes, `${body.length} bytes`)
})
