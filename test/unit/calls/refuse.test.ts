import assert from 'node:assert/strict'
import type { CallReply, ProviderRefusal } from '../../../src/calls/call.messages.ts'
import { refuse } from '../../../src/calls/refuse.ts'
import { describe, test } from '../../support/harness.ts'

const refusal = (kind: ProviderRefusal['class']): CallReply => ({
  type: 'refused',
  error: { code: '138006', title: 'No approved call permission', details: 'SDP line 3', class: kind },
})

describe('a reply of the owner of a call', () => {
  for (const [reply, code, status] of [
    [{ type: 'ended' }, 'CALL_ENDED', 409],
    [{ type: 'notRinging' }, 'CALL_NOT_RINGING', 409],
    [{ type: 'alreadyAnswered' }, 'CALL_ALREADY_ANSWERED', 409],
    [{ type: 'offerUnavailable' }, 'OFFER_UNAVAILABLE', 409],
    [{ type: 'wrongState', status: 'RINGING', pending: null }, 'INVALID_STATE', 409],
    [refusal('callPermission'), 'CALL_PERMISSION_REQUIRED', 422],
    [refusal('invalidSdp'), 'INVALID_SDP', 422],
    [refusal('throttled'), 'PROVIDER_ERROR', 502],
  ] as const)
    test(`${reply.type} becomes ${code}`, () => {
      const error = refuse(reply)
      assert.deepEqual([error.code, error.status], [code, status])
    })

  test('a refusal of the provider carries its codes, title, details and trace id', () => {
    const error = { code: '138006', title: 'No approved call permission', details: 'SDP line 3' }
    const ids = { subcode: '9', traceId: 'T1', class: 'permanent' } as const
    assert.deepEqual(refuse({ type: 'refused', error: { ...error, ...ids } }).details, [
      { path: 'provider.code', message: '138006' },
      { path: 'provider.title', message: 'No approved call permission' },
      { path: 'provider.subcode', message: '9' },
      { path: 'provider.traceId', message: 'T1' },
      { path: 'provider.details', message: 'SDP line 3' },
    ])
  })

  test('says what to do', () => {
    assert.match(refuse(refusal('callPermission')).message, /ask for it first/)
    assert.match(refuse(refusal('invalidSdp')).message, /make a new one/)
    assert.match(refuse({ type: 'notRinging' }).message, /read the call/)
    assert.match(refuse({ type: 'offerUnavailable' }).message, /read the call/)
  })

  test('an action that does not end this call names the one that does', () => {
    const hangingUp = refuse({ type: 'wrongState', status: 'RINGING', pending: null, instead: 'DECLINE' })
    assert.match(hangingUp.message, /RINGING.*use DECLINE/)
    assert.match(refuse({ type: 'notRinging', instead: 'HANG_UP' }).message, /use HANG_UP/)
    assert.doesNotMatch(refuse({ type: 'notRinging' }).message, /use /)
  })

  test('a wrong state names the state and what is under way', () => {
    const { message } = refuse({ type: 'wrongState', status: 'RINGING', pending: 'DECLINE' })
    assert.match(message, /RINGING.*DECLINE/)
  })
})
