import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import {
  answer,
  connect,
  Drive,
  endpointId,
  forwardingRow,
  offer,
  ok,
  placedRow,
  ringingRow,
  sdpAnswer,
  startMs,
  status,
  terminate,
} from './driver.ts'

const failed = { type: 'failed', endpointId, code: 'TIMEOUT', message: 'no answer in time' } as const
const accepted = () => new Drive(placedRow()).tell(status('ACCEPTED'))

describe('call.ringing', () => {
  test('goes to the endpoint of a number set to Forward, with the offer and the time to answer by', () => {
    const call = new Drive(forwardingRow()).tell({ type: 'ringing', session: offer })
    const [effect] = call.forwards
    assert.equal(call.forwards.length, 1)
    assert.deepEqual(effect?.endpointIds, [endpointId])
    assert.equal(effect?.answerBy, new Date(startMs + 30_000).toISOString())
    const { event, channel, call: shown } = JSON.parse(effect?.body ?? '{}')
    assert.deepEqual(
      [event, channel, shown.status, shown.session],
      ['call.ringing', 'CHAT', 'RINGING', offer],
    )
    assert.deepEqual([shown.from, shown.to], ['15551230000', '+15550001111'])
    assert.equal(call.count('saveSdp'), 0, 'it was saved before the call began')
  })

  test('of a number that does not forward goes nowhere', () => {
    const call = new Drive(ringingRow(), { route: [] }).tell({ type: 'ringing', session: offer })
    assert.deepEqual([call.forwards, call.state.session], [[], offer])
  })

  test('that fails is recorded on the call, without a transition, and not repeated', () => {
    const call = new Drive(forwardingRow()).tell({ type: 'ringing', session: offer }).wait(5_000)
    call.tell({ type: 'forwarded', outcome: failed }).tell(connect(ringingRow(), offer))
    const at = new Date(startMs + 5_000).toISOString()
    const { code, message } = failed
    assert.deepEqual(call.state.row.lastForwardError, { code, message, endpointId, at })
    assert.deepEqual([call.forwards.length, call.events], [1, []])
    assert.deepEqual(call.kinds.slice(0, 2), ['forward.attempted', 'forward.failed'])
  })

  test('without an offer is a failure at once', () => {
    const call = new Drive(forwardingRow()).tell({ type: 'ringing', session: null })
    assert.equal(call.state.row.lastForwardError?.code, 'NO_OFFER')
  })

  test('may still be under way when the call is answered', () => {
    const call = new Drive(forwardingRow()).tell({ type: 'ringing', session: offer })
    const asked = call.ask(answer('A'))
    call
      .provider(ok)
      .provider(ok)
      .tell({ type: 'forwarded', outcome: { type: 'delivered' } })
    assert.deepEqual([call.reply(asked), call.state.row.forwardState], [{ type: 'done' }, 'OK'])
  })

  test('leaves its failure behind on a call that has ended meanwhile', () => {
    const call = new Drive(forwardingRow()).tell({ type: 'ringing', session: offer })
    call.tell(terminate()).tell({ type: 'forwarded', outcome: failed })
    assert.deepEqual([call.status, call.state.row.lastForwardError?.code], ['MISSED', 'TIMEOUT'])
  })
})

describe('call.accepted', () => {
  test('carries the answer that came while it rang, once, and the answer is gone afterwards', () => {
    const call = new Drive(placedRow()).tell(connect(placedRow(), sdpAnswer)).tell(status('ACCEPTED'))
    assert.equal(call.forwards.length, 1)
    assert.deepEqual(JSON.parse(call.forwards[0]?.body ?? '{}').call.session, sdpAnswer)
    call.tell(status('ACCEPTED')).tell(connect(placedRow(), sdpAnswer))
    call.tell({ type: 'forwarded', outcome: { type: 'delivered' } })
    assert.deepEqual([call.forwards.length, call.state.row.forwardState], [1, 'OK'])
    assert.deepEqual([call.state.session, call.count('dropSdp')], [null, 1])
  })

  test('waits for the answer that ACCEPTED overtook', () => {
    const call = accepted()
    assert.deepEqual(call.forwards, [])
    call.wait(9_000).tell({ type: 'wake' }).tell(connect(placedRow(), sdpAnswer))
    assert.equal(call.forwards.length, 1)
  })

  test('is given up when no answer comes within ten seconds', () => {
    const call = accepted().wait(10_000).tell({ type: 'wake' })
    assert.deepEqual([call.state.row.lastForwardError?.code, call.status], ['NO_ANSWER_SDP', 'ACCEPTED'])
    call.tell(connect(placedRow(), sdpAnswer))
    assert.deepEqual([call.forwards, call.state.session], [[], null])
  })

  test('goes nowhere when nobody listens, and the answer is dropped', () => {
    const call = new Drive(placedRow(), { route: [] })
    call.tell(connect(placedRow(), sdpAnswer)).tell(status('ACCEPTED'))
    assert.deepEqual([call.forwards, call.state.session, call.state.row.forwardState], [[], null, null])
  })
})
