import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { createSecret, createSigner } from '../../../src/delivery/signature.ts'
import { describe, test } from '../../support/harness.ts'

const secret = createSecret()
const older = createSecret()
// Not ASCII, and with unusual spaces: a signature over re-serialised JSON would not match.
const body = Buffer.from('{"event":"message.received",  "data":{"text":"Grüße 👋"}}')
const attempt = { event: 'message.received', deliveryId: 'dlv_1', attemptNumber: 3, body, at: new Date() }

const hmac = (key: string, content: Uint8Array | string) =>
  `sha256=${createHmac('sha256', key).update(content).digest('hex')}`

describe('a signing secret', () => {
  test('is whsec_ and 32 bytes in base64, new every time', () => {
    const made = Array.from({ length: 50 }, createSecret)
    assert.equal(new Set(made).size, 50)
    for (const one of made) {
      assert.match(one, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.equal(Buffer.from(one.slice(6), 'base64').byteLength, 32)
    }
  })

  test('of another shape is refused, not signed with', () => {
    for (const wrong of ['', 'whsec_', 'whsec_***', secret.slice(6), `${secret}\n`]) {
      assert.throws(() => createSigner({ current: wrong }), TypeError, JSON.stringify(wrong))
    }
  })
})

describe('the headers of an HTTPS attempt', () => {
  const headers = createSigner({ current: secret }).attemptHeaders(attempt)

  test('carry the hex HMAC of the exact bytes under the secret as it was shown [signatures]', () => {
    assert.equal(headers['x-communication-signature-256'], hmac(secret, body))
  })

  test('name the event, the delivery and the attempt', () => {
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['x-communication-event'], 'message.received')
    assert.equal(headers['x-communication-delivery'], 'dlv_1')
    assert.equal(headers['x-communication-attempt'], '3')
  })

  test('verify with the Standard Webhooks library', () => {
    assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body.toString()))
  })

  test('fail to verify there with another secret, body, id or time', () => {
    const library = new Webhook(secret)
    assert.throws(() => new Webhook(older).verify(body, headers))
    assert.throws(() => library.verify(Buffer.concat([body, Buffer.from(' ')]), headers))
    assert.throws(() => library.verify(body, { ...headers, 'webhook-id': 'dlv_2' }))
    const later = String(Number(headers['webhook-timestamp']) + 1)
    assert.throws(() => library.verify(body, { ...headers, 'webhook-timestamp': later }))
  })

  test('say nothing of an older secret when there is none', () => {
    assert.equal(Object.hasOwn(headers, 'x-communication-signature-256-previous'), false)
    assert.equal(headers['webhook-signature']?.split(' ').length, 1)
  })

  test('verify with either secret while both are valid, the new one first', () => {
    const both = createSigner({ current: secret, previous: older }).attemptHeaders(attempt)
    assert.equal(both['x-communication-signature-256'], hmac(secret, body))
    assert.equal(both['x-communication-signature-256-previous'], hmac(older, body))
    assert.equal(both['webhook-signature']?.split(' ')[0], headers['webhook-signature'])
    for (const key of [secret, older]) new Webhook(key).verify(body, both)
  })

  test('match an independent HMAC for any bytes', () => {
    const signer = createSigner({ current: secret })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        const signed = signer.attemptHeaders({ ...attempt, body: bytes })
        assert.equal(signed['x-communication-signature-256'], hmac(secret, bytes))
      }),
    )
  })
})

describe('the headers of an upgrade request', () => {
  const nonce = '018f6d1c-7f4e-7c3a-9a54-000000000001'

  test('are exactly three, signed over timestamp and nonce under the newest secret [signatures]', () => {
    const signer = createSigner({ current: secret, previous: older })
    assert.deepEqual(signer.handshakeHeaders(1_763_648_463_127, nonce), {
      'x-communication-timestamp': '1763648463127',
      'x-communication-nonce': nonce,
      'x-communication-signature-256': hmac(secret, `1763648463127.${nonce}`),
    })
  })
})
