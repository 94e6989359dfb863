import assert from 'node:assert/strict'
import { createAttemptSend } from '../../../src/messaging/attempt-send.ts'
import { templateRendering } from '../../../src/messaging/messaging.module.ts'
import type { SendOutcome } from '../../../src/messaging/ports.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

describe('an attempt', () => {
  test('whose template was changed since the message was accepted fails, and asks nobody', async () => {
    const outcomes: SendOutcome[] = []
    const attemptSend = createAttemptSend({
      finishSend: async (outcome) => {
        outcomes.push(outcome)
        return []
      },
      templates: templateRendering,
      provider: {
        sendTemplate: () => assert.fail('the provider was asked'),
        sendMessage: () => assert.fail('the provider was asked'),
      },
      dispatch: () => undefined,
      consent: { noteRefusal: () => assert.fail('the provider refused nothing') },
      learn: () => assert.fail('nothing was learnt'),
      clock: systemClock,
      log: { warn: () => undefined },
    })
    const components = [{ type: 'BODY', text: 'Hi {{first_name}}, {{order}} is ready.' }]
    const verdict = await attemptSend({
      messageId: newId('message'),
      conversationId: newId('conversation'),
      recipientId: null,
      account: { workspaceId: 'w', phoneNumberId: '1', wabaId: null, accessToken: 't' },
      to: '15557000001',
      template: { name: 'order_ready', language: 'en_US' },
      definition: { status: 'APPROVED', category: 'UTILITY', parameterFormat: 'NAMED', components },
      variables: { first_name: 'Ines' },
      attempt: 1,
      tries: 0,
      by: 'single',
    })
    assert.equal(verdict.type === 'failed' && verdict.error.code, 'TEMPLATE_VARIABLES_MISMATCH')
    assert.deepEqual(
      outcomes.map((outcome) => [outcome.verdict.type, outcome.failure !== null]),
      [['failed', true]],
    )
  })
})
