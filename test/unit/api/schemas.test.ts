import assert from 'node:assert/strict'
import fc from 'fast-check'
import * as v from 'valibot'
import { answerBody, callAction, callQuery, placeBody } from '../../../src/api/schemas/calls.ts'
import { id } from '../../../src/api/schemas/fields.ts'
import { messageQuery, sendBody } from '../../../src/api/schemas/messages.ts'
import { time } from '../../../src/platform/http/time.ts'
import { check } from '../../../src/platform/http/validate.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const to = '+15551230000'
const template = { name: 'order_ready', language: 'en_US' }
const good = { to, template }

/** Each fault as `<path> <message>`. */
function faults(schema: v.GenericSchema, value: unknown): string[] {
  const checked = check(schema, value)
  return checked.ok ? [] : checked.details.map(({ path, message }) => `${path} ${message}`)
}

describe('the body of a send', () => {
  test('needs a number and a template, and fills in the rest', () => {
    assert.deepEqual(v.parse(sendBody, good), {
      to: '15551230000',
      from: null,
      template: { ...template, variables: {} },
      metadata: {},
      idempotencyKey: null,
    })
  })

  test('says what is missing, by path', () => {
    assert.deepEqual(faults(sendBody, {}), [
      'to is required',
      'template is required, or text, media, location, contacts, interactive, reaction in its place',
    ])
    assert.deepEqual(faults(sendBody, { to, template: {} }), [
      'template.name is required',
      'template.language is required',
    ])
  })

  test('takes a number of 7 to 15 digits behind a plus, and nothing else', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\+[1-9]\d{6,14}$/), (number) =>
        v.is(sendBody, { ...good, to: number }),
      ),
    )
    for (const number of [
      '15551230000',
      '+0551230000',
      '+1 555 123',
      '+1555',
      `+${'1'.repeat(16)}`,
      '',
      '+15551230000\n',
    ])
      assert.match(faults(sendBody, { ...good, to: number })[0] ?? '', /^to must be a phone number/, number)
  })

  test('takes a locale with a country, or a language alone', () => {
    const language = (text: string) => faults(sendBody, { to, template: { ...template, language: text } })
    for (const text of ['en_US', 'pt_BR', 'en', 'fil']) assert.deepEqual(language(text), [])
    for (const text of ['en-US', 'EN_us', 'english', 'en_', '', 'en_USA'])
      assert.match(language(text)[0] ?? '', /^template\.language must be a locale/, text)
  })

  test('variables and metadata are strings to strings', () => {
    assert.deepEqual(faults(sendBody, { to, template: { ...template, variables: { a: 1 } } }), [
      'template.variables.a must be a string',
    ])
    assert.deepEqual(faults(sendBody, { ...good, metadata: { a: null } }), ['metadata.a must be a string'])
    for (const metadata of [[], ['a'], 'a', 7, null])
      assert.deepEqual(faults(sendBody, { ...good, metadata }), ['metadata must be an object'])
    assert.deepEqual(faults(sendBody, { ...good, metadata: JSON.parse('{"__proto__":"a"}') }).length, 1)
  })

  test('metadata has at most 16 pairs, of at most 64 and 512 characters', () => {
    const pairs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))
    assert.deepEqual(faults(sendBody, { ...good, metadata: pairs(16) }), [])
    assert.deepEqual(faults(sendBody, { ...good, metadata: pairs(17) }), [
      'metadata must hold at most 16 pairs',
    ])
    assert.deepEqual(faults(sendBody, { ...good, metadata: { ['k'.repeat(64)]: 'v'.repeat(512) } }), [])
    assert.equal(faults(sendBody, { ...good, metadata: { ['k'.repeat(65)]: 'v' } }).length, 1)
    assert.equal(faults(sendBody, { ...good, metadata: { k: 'v'.repeat(513) } }).length, 1)
  })

  test('an idempotencyKey has 1 to 255 characters', () => {
    for (const [key, count] of [
      ['', 1],
      ['k', 0],
      ['k'.repeat(255), 0],
      ['k'.repeat(256), 1],
    ] as const)
      assert.equal(faults(sendBody, { ...good, idempotencyKey: key }).length, count)
    assert.equal(faults(sendBody, { ...good, idempotencyKey: null }).length, 1)
  })

  test("from is a number's id or the number itself", () => {
    const numberId = newId('number')
    assert.deepEqual(v.parse(sendBody, { ...good, from: encodeId('number', numberId) }).from, { numberId })
    assert.deepEqual(v.parse(sendBody, { ...good, from: to }).from, { number: to })
    for (const from of ['', '15551230000', encodeId('call', newId('call'))])
      assert.match(faults(sendBody, { ...good, from })[0] ?? '', /^from must be/)
  })

  test('an unknown field is refused at every depth', () => {
    assert.deepEqual(faults(sendBody, { ...good, words: 'hi' }), ['words is not a known field'])
    assert.deepEqual(faults(sendBody, { to, template: { ...template, components: [] } }), [
      'template.components is not a known field',
    ])
  })

  test('whatever JSON comes is either taken or listed, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const checked = check(sendBody, value)
        assert.ok(checked.ok || checked.details.every(({ message, path }) => message !== '' && path !== ''))
      }),
    )
  })
})

describe('ids and times', () => {
  test('an id decodes to what it was made of, and only under its own prefix', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        assert.equal(v.parse(id('message'), encodeId('message', uuid)), uuid)
        assert.ok(!v.is(id('call'), encodeId('message', uuid)))
      }),
    )
  })

  test('no other text is an id', () => {
    fc.assert(fc.property(fc.string(), (text) => !v.is(id('message'), text)))
    const text = encodeId('message', newId('message'))
    for (const bad of [text.toUpperCase(), `${text}0`, text.slice(0, -1), text.replace('msg_', 'msg_z')])
      assert.ok(!v.is(id('message'), bad), bad)
  })

  test('a time is ISO 8601 with a zone, also where its plus came unescaped', () => {
    const at = Date.UTC(2026, 10, 20, 14, 21, 3, 127)
    for (const text of [
      '2026-11-20T14:21:03.127Z',
      '2026-11-20T15:21:03.127+01:00',
      '2026-11-20T15:21:03.127 01:00',
    ])
      assert.equal(v.parse(time, text).getTime(), at, text)
    for (const text of [
      'yesterday',
      '1790000000',
      '2026-11-20T14:21:03',
      '2026-13-01',
      '2026-11-20T25:00Z',
      '',
    ])
      assert.ok(!v.is(time, text), text)
  })
})

describe('filters', () => {
  test('every filter of the message log is taken in its own form', () => {
    const conversationId = newId('conversation')
    const parsed = v.parse(messageQuery, {
      direction: 'INBOUND',
      status: 'READ',
      type: 'TEXT',
      conversationId: encodeId('conversation', conversationId),
      contact: '+15551230000',
      since: '2026-11-20',
      limit: '10',
    })
    assert.equal(parsed.conversationId, conversationId)
    assert.equal(parsed.contact, '15551230000')
    assert.equal(parsed.since?.toISOString(), '2026-11-20T00:00:00.000Z')
  })

  test('a contact is taken with a plus, without, and with one that became a space', () => {
    for (const contact of ['+15551230000', '15551230000', ' 15551230000'])
      assert.equal(v.parse(messageQuery, { contact }).contact, '15551230000')
    for (const contact of ['', 'x', '%2B1555', '0']) assert.ok(!v.is(messageQuery, { contact }), contact)
  })

  test('a word that is no choice is answered with the choices', () => {
    assert.deepEqual(faults(messageQuery, { direction: 'in' }), [
      'direction must be one of "INBOUND", "OUTBOUND"',
    ])
    assert.deepEqual(faults(callQuery, { live: 'yes' }), ['live must be true or false'])
    assert.equal(faults(callQuery, { status: 'ringing' }).length, 1)
  })
})

describe('call bodies', () => {
  const sdp = 'v=0\r\n'

  test('an answer carries an answer, a placed call an offer', () => {
    assert.deepEqual(faults(answerBody, { session: { sdpType: 'answer', sdp } }), [])
    assert.deepEqual(faults(answerBody, { session: { sdpType: 'offer', sdp } }), [
      'session.sdpType must be "answer"',
    ])
    assert.deepEqual(faults(placeBody, { session: { sdpType: 'answer', sdp } }), [
      'session.sdpType must be "offer"',
    ])
    assert.deepEqual(faults(answerBody, { sdp }), ['session is required', 'sdp is not a known field'])
  })

  test('SDP is at most 64 KiB', () => {
    const session = (bytes: number) => ({ session: { sdpType: 'answer', sdp: 'x'.repeat(bytes) } })
    assert.deepEqual(faults(answerBody, session(65_536)), [])
    assert.deepEqual(faults(answerBody, session(65_537)), ['session.sdp must not be larger than 65536 bytes'])
    const wide = { session: { sdpType: 'answer', sdp: 'é'.repeat(40_000) } }
    assert.equal(faults(answerBody, wide).length, 1)
  })

  test('only PRE_ACCEPT has a session, and it must', () => {
    const session = { sdpType: 'answer', sdp }
    for (const action of [{ action: 'PRE_ACCEPT', session }, { action: 'DECLINE' }, { action: 'HANG_UP' }])
      assert.deepEqual(faults(callAction, action), [])
    assert.deepEqual(faults(callAction, { action: 'PRE_ACCEPT' }), ['session is required'])
    assert.deepEqual(faults(callAction, { action: 'DECLINE', session }), ['session is not a known field'])
    assert.deepEqual(faults(callAction, { action: 'decline' }), [
      'action must be one of "PRE_ACCEPT", "DECLINE", "HANG_UP"',
    ])
    assert.deepEqual(faults(callAction, {}), ['action is required'])
  })
})
