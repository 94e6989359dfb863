import assert from 'node:assert/strict'
import { encodeWebhook, signatureOf } from '../../../src/simulator/webhook-encoding.ts'
import { describe, test } from '../../support/harness.ts'

const VECTOR = {
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '102290129340398',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550001111', phone_number_id: '106540352242922' },
            contacts: [{ profile: { name: 'Zoë' }, wa_id: '15551230000' }],
            messages: [
              {
                from: '15551230000',
                id: 'wamid.TEST0001',
                timestamp: '1760000000',
                type: 'text',
                text: { body: 'café' },
              },
            ],
          },
        },
      ],
    },
  ],
}

describe('the encoding of webhook bodies', () => {
  test('the documented body has 425 bytes and the documented signature', () => {
    const body = encodeWebhook(VECTOR)
    assert.equal(body.length, 425)
    assert.equal(
      signatureOf('app-secret-for-tests', body),
      'sha256=3b2ffd4f405b36c7dbbde987c80dc8e3045f09eba586eab88a6707fc46ae7fbe',
    )
  })

  test('non-ASCII becomes one escape for each UTF-16 unit and a slash is escaped', () => {
    assert.equal(encodeWebhook('é/👍').toString(), '"\\u00e9\\/\\ud83d\\udc4d"')
  })

  test('what was escaped parses back to the same text', () => {
    const text = 'a/b "quoted" \\ \u007f \u2028 日本 👩‍👧'
    assert.equal(JSON.parse(encodeWebhook(text).toString()), text)
  })
})
