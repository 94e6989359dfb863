import assert from 'node:assert/strict'
import { checkSend, type SendInput } from '../../../src/messaging/check-send.ts'
import type { SendContext } from '../../../src/messaging/ports.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const unused = () => assert.fail('nothing is rendered')
const ports = {
  templates: { render: unused, preview: unused, providerComponents: unused },
  clock: { now: () => 0 },
}
const input: SendInput = {
  ...{ to: '15557000001', idempotencyKey: null, from: null, metadata: {} },
  template: { name: 'hello', language: 'en_US', variables: {} },
}
const number = {
  ...{ workspaceId: newId('workspace'), numberId: newId('number') },
  ...{ number: '+15550000001', phoneNumberId: '1' },
}
const refused = (context: Partial<SendContext>) => {
  try {
    checkSend(context as SendContext, input, ports)
  } catch (error) {
    return error as Error
  }
  return assert.fail('the send was taken')
}

describe('a send without a sender', () => {
  test('names the number that is missing', () => {
    assert.match(refused({ number: null, account: null }).message, /no default number/)
  })

  test('names the access token that is missing, and not the number, which is there', () => {
    const { message } = refused({ number, account: null })
    assert.match(message, /no access token of the provider/)
    assert.doesNotMatch(message, /number/)
  })
})
