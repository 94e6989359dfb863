import assert from 'node:assert/strict'
import { personAt } from '../../../../src/contract/person.ts'
import { describe, test } from '../../../support/harness.ts'
import { calls, change, NUMBER_ID, only, parse, USER } from './fixtures.ts'

const inCalls = (...given: unknown[]) => change('calls', { calls: given })
const connect = (name: string) => only('callConnect', inCalls(calls[name]))
const terminate = (name: string) => only('callTerminate', inCalls(calls[name]))
const status = (name: string) => only('callStatus', change('calls', { statuses: [calls[name]] }))
const sdp = 'v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n'

describe('a call that connects', () => {
  test('inbound carries the caller and the offer', () => {
    assert.deepEqual(connect('inboundConnect'), {
      type: 'callConnect',
      wacid: 'wacid.C001',
      phoneNumberId: NUMBER_ID,
      direction: 'INBOUND',
      person: personAt(USER, 'Marta Reis'),
      at: new Date(1_790_000_201_000),
      opaque: null,
      session: { sdpType: 'offer', sdp },
    })
  })

  test('outbound carries the answer and what the placing gave along', () => {
    const update = connect('outboundConnect')
    assert.deepEqual(
      [update.direction, update.person?.phone, update.person?.name, update.opaque],
      ['OUTBOUND', USER, 'Marta Reis', 'call_9xyz'],
    )
    assert.deepEqual(update.session, { sdpType: 'answer', sdp })
  })

  test('without a direction is told by the number that it comes from', () => {
    assert.equal(connect('inboundConnectWithoutDirection').direction, 'INBOUND')
    assert.equal(connect('outboundConnectWithoutDirection').direction, 'OUTBOUND')
  })

  test('without a usable session is still a call', () => {
    assert.equal(connect('connectWithoutSession').session, null)
    const huge = { ...calls['inboundConnect'], session: { sdp_type: 'offer', sdp: 'v'.repeat(65_537) } }
    assert.equal(only('callConnect', inCalls(huge)).session, null)
  })

  test('inbound that names nobody at all cannot be told to anybody', () => {
    const value = { calls: [calls['connectWithoutSender']], contacts: [] }
    assert.deepEqual(parse(change('calls', value)).skipped, { noSender: 1 })
  })
})

describe('the status of a placed call', () => {
  test('is ringing, accepted or rejected', () => {
    assert.deepEqual(
      ['ringing', 'accepted', 'declined'].map((name) => status(name).status),
      ['RINGING', 'ACCEPTED', 'REJECTED'],
    )
  })

  test('carries the call, the user and what the placing gave along', () => {
    const { wacid, recipient, opaque, phoneNumberId } = status('ringing')
    assert.deepEqual(
      [wacid, recipient?.phone, opaque, phoneNumberId],
      ['wacid.C004', USER, 'call_9xyz', NUMBER_ID],
    )
  })

  test('is told from that of a message when both come in one field', () => {
    assert.equal(only('callStatus', change('messages', { statuses: [calls['ringing']] })).status, 'RINGING')
  })
})

describe('a call that ends', () => {
  test('after a conversation carries how long it was, whatever the case of its status', () => {
    const update = terminate('completed')
    assert.deepEqual(
      [update.outcome, update.durationSeconds, update.startedAt, update.endedAt],
      ['COMPLETED', 80, new Date(1_790_000_210_000), new Date(1_790_000_290_000)],
    )
    assert.equal(update.error, null)
  })

  test('unanswered has no duration', () => {
    const update = terminate('unanswered')
    assert.deepEqual([update.outcome, update.durationSeconds, update.startedAt], ['FAILED', null, null])
  })

  test('in a failure takes the reason that stands beside it', () => {
    const update = only(
      'callTerminate',
      change('calls', { calls: [calls['unanswered']], errors: [calls['mediaError']] }),
    )
    assert.deepEqual(update.error, {
      code: '138021',
      title: 'Media receive timeout',
      details: 'No media arrived.',
      class: 'callFailed',
    })
  })

  test('well takes no reason of a call that failed in the same batch', () => {
    const both = [calls['completed'], calls['unanswered']]
    const { updates } = parse(change('calls', { calls: both, errors: [calls['mediaError']] }))
    const codes = updates.map((update) => (update.type === 'callTerminate' ? update.error?.code : 'none'))
    assert.deepEqual(codes, [undefined, '138021'])
  })

  test('takes no reason at all where two failed and one reason came', () => {
    const both = [calls['unanswered'], { ...calls['unanswered'], id: 'wacid.C008' }]
    const { updates } = parse(change('calls', { calls: both, errors: [calls['mediaError']] }))
    assert.deepEqual(
      updates.map((update) => update.type === 'callTerminate' && update.error),
      [null, null],
    )
  })
})

test('a call event that is not known is counted and harms no other', () => {
  const { updates, skipped } = parse(inCalls(calls['recordingAvailable'], calls['inboundConnect']))
  assert.deepEqual([updates.length, skipped], [1, { unknown: 1 }])
})
