import assert from 'node:assert/strict'
import * as v from 'valibot'
import { readAnswer } from '../../../../src/provider/outgoing/answer.ts'
import type { Exchange } from '../../../../src/provider/outgoing/pending-exchange.ts'
import { describe, test } from '../../../support/harness.ts'

const schema = v.object({ id: v.string() })
const secret = 'EAAB-secret'

const answered = (status: number, body: unknown, headers: Record<string, string> = {}): Exchange => ({
  type: 'answered',
  status,
  headers,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})
const read = (exchange: Exchange) => readAnswer(exchange, { schema, secret })
const refusal = (status: number, error: object, headers = {}) => {
  const result = read(answered(status, { error }, headers))
  if (result.type !== 'refused') throw new Error(`not refused but ${result.type}`)
  return result.error
}

describe('an answer of the provider', () => {
  test('that holds what was asked for is ok, whatever else it holds', () => {
    assert.deepEqual(read(answered(200, { id: 'a', extra: [1] })), { type: 'ok', value: { id: 'a' } })
  })

  test('with an error gives its code, its title without the code, and its details', () => {
    const error = refusal(404, {
      message: '(#132001) Template name does not exist',
      type: 'OAuthException',
      code: 132001,
      error_data: { messaging_product: 'whatsapp', details: 'not in pt_PT' },
    })
    assert.deepEqual(error, {
      code: '132001',
      title: 'Template name does not exist',
      details: 'not in pt_PT',
      httpStatus: 404,
      class: 'templateGone',
      retryAfterMs: null,
    })
  })

  test('with an error keeps its subcode and trace id, of the body or of the header', () => {
    const lost = {
      message: "Unsupported post request. Object with ID '1' does not exist",
      type: 'GraphMethodException',
      code: 100,
      error_subcode: 33,
      fbtrace_id: 'AbC-1_z',
    }
    const { code, subcode, traceId, class: kind } = refusal(400, lost, { 'x-fb-trace-id': 'other' })
    assert.deepEqual([code, subcode, traceId, kind], ['100', '33', 'AbC-1_z', 'account'])
    assert.equal(refusal(400, { code: 100 }, { 'x-fb-trace-id': 'other' }).traceId, 'other')
    assert.equal(refusal(400, { code: 100, fbtrace_id: 'no id at all\n' }).traceId, undefined)
  })

  test('with an error can be stored, whatever its texts hold, and is bounded', () => {
    const { title, details } = refusal(400, { code: 1, message: 'a\0b\ud800', error_data: 'x'.repeat(9_000) })
    assert.equal(title, 'ab\ufffd')
    assert.equal(details?.length, 1_024)
  })

  test('with an error is a refusal even at 200', () => {
    assert.equal(refusal(200, { code: 131009, message: 'no' }).class, 'permanent')
  })

  test('is judged by its code and not by its status', () => {
    assert.equal(refusal(400, { code: 130429 }).class, 'throttled')
    assert.equal(refusal(500, { code: 131045 }).class, 'account')
    assert.equal(refusal(401, { code: 138006 }).class, 'callPermission')
  })

  test('with an unknown code is transient when it says so or is a 5xx, else final', () => {
    assert.equal(refusal(400, { code: 777_777, is_transient: true }).class, 'retry')
    assert.equal(refusal(500, { code: 777_777 }).class, 'retry')
    assert.equal(refusal(400, { code: 777_777 }).class, 'permanent')
  })

  test('takes its details as text too, and from the words for the user', () => {
    assert.equal(refusal(400, { code: 100, error_data: 'plain' }).details, 'plain')
    assert.equal(refusal(400, { code: 100, error_user_msg: 'for the user' }).details, 'for the user')
    assert.equal(refusal(400, { code: 100, error_data: 7 }).details, null)
  })

  test('never shows the token, which the provider repeats when it is malformed', () => {
    const error = refusal(401, {
      code: 190,
      message: `Malformed access token ${secret}`,
      error_data: { details: `${secret} is no token` },
    })
    assert.doesNotMatch(JSON.stringify(error), new RegExp(secret))
  })

  test('says when to come back, in seconds or as a date', () => {
    assert.equal(refusal(429, { code: 4 }, { 'retry-after': '7' }).retryAfterMs, 7_000)
    const date = new Date(Date.now() + 60_000).toUTCString()
    const waitMs = refusal(429, { code: 4 }, { 'retry-after': date }).retryAfterMs ?? 0
    assert.ok(waitMs > 30_000 && waitMs <= 60_000)
    assert.equal(refusal(429, { code: 4 }, { 'retry-after': 'soon' }).retryAfterMs, null)
  })
})

describe('an answer that cannot be read', () => {
  test('leaves the outcome unknown where the request may have been passed on', () => {
    for (const given of [
      answered(502, '<html>'),
      answered(504, ''),
      answered(200, '{"id"'),
      answered(200, {}),
    ]) {
      assert.equal(read(given).type, 'unknown')
    }
  })

  test('is a refusal where the request was turned away', () => {
    for (const status of [302, 404, 429]) assert.equal(read(answered(status, 'no')).type, 'refused')
  })
})

describe('an exchange without an answer', () => {
  test('is unknown once bytes were written, and not sent before', () => {
    const lost = { type: 'failed', code: 'TIMEOUT', details: null } as const
    assert.equal(read({ ...lost, written: true }).type, 'unknown')
    assert.equal(read({ ...lost, written: false }).type, 'notSent')
  })
})
