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
    type: 'TEXT',
  })
  assert.ok(body.length > limits.bodyBytes / 2 && body.length <= limits.bodyBytes, `${body.length} bytes`)
})

const thirty = (one: object) => Array.from({ length: 30 }, () => one)
const cards = Array.from({ length: 300 }, () => ({
  name: { formatted_name: worst },
  phones: thirty({ phone: worst, wa_id: worst, type: worst }),
}))
const card = {
  name: { formatted_name: worst },
  org: { company: worst, department: worst, title: worst },
  phones: thirty({ phone: worst, wa_id: worst, type: worst }),
  emails: thirty({ email: worst, type: worst }),
  addresses: thirty({ street: worst, city: worst, state: worst, zip: worst, country: worst, type: worst }),
  urls: thirty({ url: worst, type: worst }),
  birthday: worst,
  origin: worst,
}
const items = Array.from({ length: 1_000 }, () => ({ product_retailer_id: worst, currency: worst }))
const answers = JSON.stringify(
  Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`field ${at}`, '\u0001'])),
)
const form = { name: 'flow', body: worst, response_json: answers }
const referral = Object.fromEntries(
  ['source_type', 'source_id', 'source_url', 'headline', 'body', 'image_url', 'ctwa_clid'].map((name) => [
    name,
    worst,
  ]),
)

const longest: readonly (readonly [what: string, kind: string, content: unknown])[] = [
  ['list of contacts', 'contacts', cards],
  ['contact', 'contacts', [card]],
  ['order', 'order', { text: worst, product_items: items }],
  ['form', 'interactive', { type: 'nfm_reply', nfm_reply: form }],
  ['image', 'image', { id: '1', caption: worst, filename: worst }],
  ['location', 'location', { latitude: 1, longitude: 1, name: worst, address: worst, url: worst }],
  ['message of an unknown type', 'hologram', {}],
]
for (const [what, kind, content] of longest)
  test(`the longest ${what} makes an event within the limit of a body, and says that it was cut`, () => {
    const errors = Array.from({ length: 50 }, () => ({
      code: 1,
      title: worst,
      error_data: { details: worst },
    }))
    const update = only(
      'inboundMessage',
      change('messages', {
        messages: [
          { id: 'wamid.1', from: USER, type: kind, [kind]: content, referral, errors, group_id: worst },
        ],
      }),
    )
    const body = queuedBody('message.received', new Date(), {
      ...{ messageId: 'x'.repeat(64), conversationId: 'x'.repeat(64), text: update.text, from: USER },
      ...{
        fromName: worst.slice(0, 256),
        userId: worst.slice(0, 128),
        username: worst.slice(0, 64),
        to: '+15550003333',
        type: update.messageType,
      },
      ...(update.details && { details: update.details }),
    })
    assert.ok(body.length <= limits.bodyBytes, `${body.length} bytes`)
    assert.equal(update.details?.group?.id.length, 512)
    if (kind === 'contacts' || kind === 'order' || kind === 'interactive')
      assert.equal(update.details?.truncated, true)
  })

test('a form of the length that the provider allows is kept whole', () => {
  const response_json = JSON.stringify({ flow_token: 't', note: 'long '.repeat(4_000) })
  const nfm_reply = { name: 'flow', body: 'Sent', response_json }
  const interactive = { type: 'nfm_reply', nfm_reply }
  const { details } = only(
    'inboundMessage',
    change('messages', { messages: [{ id: 'wamid.1', from: USER, type: 'interactive', interactive }] }),
  )
  assert.deepEqual(details?.reply?.response, JSON.parse(response_json))
  assert.equal(details?.reply?.responseRaw, response_json)
  assert.equal(details?.truncated, undefined)
})

const isWhole = (text: string) => !/\p{Surrogate}/u.test(text)

test('a form that is cut to fit ends with no half of a character, for Postgres cannot store it', () => {
  const around = 'अ'.repeat(14_999)
  const nfm_reply = { name: 'flow', body: 'Sent', response_json: `${around}🙂${around}` }
  const interactive = { type: 'nfm_reply', nfm_reply }
  const { details } = only(
    'inboundMessage',
    change('messages', { messages: [{ id: 'wamid.1', from: USER, type: 'interactive', interactive }] }),
  )
  assert.deepEqual([details?.reply?.responseRaw, details?.truncated], [`${around}\uFFFD`, true])
})

test('neither does a text', () => {
  // One of the two is cut within a character, wherever the cut is.
  for (const first of ['', '!']) {
    const body = `${first}${worst.slice(0, 32_000)}${'🙂'.repeat(3_900)}`
    const { text, details } = only(
      'inboundMessage',
      change('messages', {
        messages: [{ id: 'wamid.1', from: USER, type: 'text', text: { body }, referral }],
      }),
    )
    assert.ok(text.length > 32_100 && text.length < body.length && details?.truncated)
    assert.ok(isWhole(text))
  }
})
